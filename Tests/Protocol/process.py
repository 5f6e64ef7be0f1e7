"""A `todo-server` process on a free port, with its data folder and everything it printed."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
ADDRESS = re.compile(r"https?://(?:\[[^]]+\]|[^ :\[]+):(\d+)")
START_SECONDS = 30
STOP_SECONDS = 5


def server_binary():
    path = os.environ.get("TODO_SERVER") or str(REPOSITORY / ".build/debug/todo-server")
    assert os.access(path, os.X_OK), f"no server at {path}: build it (swift build --product todo-server) or name it in TODO_SERVER"
    return path


class Server:
    """Starts the server and waits for the line with its address. `stop`, `kill` and `start` may follow in any order."""

    def __init__(self, *flags, data=None, environment=None, defaults=True):
        self.folder = tempfile.TemporaryDirectory(prefix="todosync-protocol-")
        self.data = str(data) if data else os.path.join(self.folder.name, "data")
        self.flags = list(flags)
        if defaults:
            self.flags = ["--host", "127.0.0.1", "--port", "0", "--data", self.data] + self.flags
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("TODOSYNC_")}
        self.environment.update(environment or {})
        self.process = None
        self.start()

    def start(self):
        self.output, self.errors = [], []
        self.port = None
        self.process = subprocess.Popen(
            [server_binary(), *self.flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=self.environment,
            cwd=self.folder.name,
        )
        started = threading.Event()
        self.readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.output, started), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.errors, None), daemon=True),
        ]
        for reader in self.readers:
            reader.start()
        if not started.wait(START_SECONDS) or self.port is None:
            self.kill()
            raise AssertionError(f"the server printed no address. {self.printed()}")

    def _read(self, stream, lines, started):
        for line in stream:
            lines.append(line)
            found = started and not self.port and ADDRESS.search(line)
            if found:
                self.port = int(found.group(1))
                started.set()
        if started:
            started.set()
        stream.close()

    def printed(self):
        return "stdout:\n" + "".join(self.output) + "stderr:\n" + "".join(self.errors)

    @property
    def url(self):
        return f"ws://127.0.0.1:{self.port}/sync"

    @property
    def is_running(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, seconds=STOP_SECONDS):
        """The exit status; it is a failure if the process outlives `seconds`."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server did not end within {seconds} s. {self.printed()}") from None
        for reader in self.readers:
            reader.join(5)
        return status

    def stop(self):
        if self.is_running:
            self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        """`kill -9`."""
        self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join(5)

    def close(self):
        if self.process and self.is_running:
            self.kill()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def run(*arguments, environment=None, seconds=20):
    """Runs the server binary to its end, for flags that print something or are refused."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TODOSYNC_")}
    clean.update(environment or {})
    with tempfile.TemporaryDirectory(prefix="todosync-protocol-") as folder:
        return subprocess.run(
            [server_binary(), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=seconds,
            env=clean,
            cwd=folder,
        )


def eventually(condition, what, seconds=15):
    """Waits until `condition()` is true; for states that no message announces."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"still not so: {what}"
        time.sleep(0.01)
