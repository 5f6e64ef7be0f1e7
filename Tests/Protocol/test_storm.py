"""Everything at once against one server: writers, readers that stop reading, connections that are cut anywhere, pages, and the signals.

`STORM_SECONDS` makes it longer: that is how the server is run under the sanitizers.
"""

import os
import random
import re
import signal
import socket
import ssl
import struct
import threading
import time

import pytest
import websockets

import raw
from client import Closed, Session
from conftest import create, make_project, nickname, update
from process import eventually
from test_tls import make_certificate

SECONDS = float(os.environ.get("STORM_SECONDS", 4))
LOG_IN = '{"jsonrpc":"2.0","id":1,"method":"login","params":{"provider":"nickname","nickname":"%s"}}'
SUBSCRIBE = (
    '{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"name":"items","class":"Item","filter":"projectId == $0","args":["%s"]}}'
)


class Storm:
    def __init__(self, server, context):
        self.server, self.context = server, context
        self.scheme = "wss" if context else "ws"
        self.is_over = threading.Event()
        self.faults = []
        self.counts = {"writes": 0, "cuts": 0, "answers": 0}
        self.threads = []

    # Connections

    def session(self, name, **options):
        session = Session(f"{self.scheme}://127.0.0.1:{self.server.port}/sync", ssl=self.context, **options)
        session.login_as(name)
        return session

    def dial(self, *, receive_bytes=None):
        plain = socket.socket()
        if receive_bytes:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        plain.settimeout(60)
        plain.connect(("127.0.0.1", self.server.port))
        return self.context.wrap_socket(plain, server_hostname="127.0.0.1") if self.context else plain

    def upgrade(self, extensions=None):
        return raw.head("GET", "/sync", self.server.port, raw.upgrade_headers("dGhlIHNhbXBsZSBub25jZQ==", Sec_WebSocket_Extensions=extensions))

    # Roles, each a thread of its own until the storm is over

    def start(self, role, *arguments):
        def run():
            try:
                role(*arguments)
            except BaseException as fault:
                self.faults.append(f"{role.__name__}: {fault!r}")
                raise

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()

    def write(self, session, project):
        """Creates and changes tasks, and follows them."""
        items = session.subscribe("items", "Item", filter="projectId == $0", args=[project])
        while not self.is_over.is_set():
            if items.objects and random.random() < 0.7:
                session.write(update(random.choice(items.objects)["itemId"], body="x" * random.choice([1, 100, 5_000])))
            else:
                session.write(create(project, "y" * random.choice([1, 300])))
            self.counts["writes"] += 1

    def come_and_go(self, project, seed):
        """Connects, says some of what there is to say, and is gone: in order, reset, or in the middle of a frame."""
        chance = random.Random(seed)
        deflate = chance.choice([None, "permessage-deflate"])
        said = self.upgrade(deflate) + raw.frame(raw.TEXT, LOG_IN % "guest") + raw.frame(raw.TEXT, SUBSCRIBE % project)
        said += raw.frame(raw.PING, b"?") + chance.choice([b"", raw.frame(raw.CLOSE), b"\xff" * 40, os.urandom(200)])
        while not self.is_over.is_set():
            try:
                connection = self.dial()
                with connection:
                    connection.sendall(said[:chance.choice([0, 1, 50, chance.randrange(len(said)), len(said)])])
                    if chance.random() < 0.5:
                        connection.settimeout(chance.choice([0.001, 0.05]))
                        try:
                            connection.recv(4096)
                        except TimeoutError:
                            pass
                    if chance.random() < 0.5:
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            except (OSError, ssl.SSLError):
                pass  # the server may cut what breaks its rules
            self.counts["cuts"] += 1

    def read_nothing(self, project):
        """A subscriber that never reads what it is sent."""
        with self.dial(receive_bytes=4096) as connection:
            connection.sendall(self.upgrade() + raw.frame(raw.TEXT, LOG_IN % "guest") + raw.frame(raw.TEXT, SUBSCRIBE % project))
            self.is_over.wait()

    def ask(self):
        """The page and the figures, a connection each."""
        while not self.is_over.is_set():
            for target in ("/", "/metrics", "/nothing"):
                with self.dial() as connection:
                    connection.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                    answer = b""
                    while piece := connection.recv(65536):
                        answer += piece
                assert re.match(rb"HTTP/1\.1 (200|404) ", answer), answer[:200]
                self.counts["answers"] += 1

    def hang_up(self):
        while not self.is_over.wait(0.1):
            self.server.signal(signal.SIGHUP)

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(60)
            assert not thread.is_alive(), "a part of the storm does not come to its end"
        assert self.faults == []


@pytest.mark.parametrize("scheme", ["ws", "wss"])
def test_a_storm_leaves_every_list_right_and_the_server_ends_in_order(start_server, tmp_path, public, scheme):
    flags, context = [], None
    if scheme == "wss":
        certificate, key = make_certificate(tmp_path)
        flags = ["--tls-cert", certificate, "--tls-key", key]
        context = ssl.create_default_context(cafile=certificate)
    server = start_server("--providers", "nickname", "--public", str(public), "--access", "everyone-write", *flags)
    storm = Storm(server, context)
    name = nickname("storm")
    writers = [storm.session(name, compression=[None, "deflate"][n % 2]) for n in range(4)]
    project = make_project(writers[0])
    storm.start(storm.hang_up)
    for number, writer in enumerate(writers):
        storm.start(storm.write, writer, project)
        storm.start(storm.come_and_go, project, number)
    for _ in range(2):
        storm.start(storm.read_nothing, project)
    storm.start(storm.ask)
    try:
        storm.is_over.wait(SECONDS)
    finally:
        storm.end()
    assert all(count > 0 for count in storm.counts.values()), storm.counts

    version = writers[0].write(create(project, "the last one"))["version"]
    for writer in writers:
        writer.settle(version)
        expected = writer.objects("Item", filter="projectId == $0", args=[project])
        assert sorted(writer.lists["items"].objects, key=str) == sorted(expected, key=str)
    eventually(lambda: sessions_of(storm) == len(writers), "those that came and went are gone", seconds=60)

    last = [threading.Thread(target=write_until_closed, args=(writer, project)) for writer in writers]
    for thread in last:
        thread.start()
    server.signal(signal.SIGTERM)
    for thread in last:
        thread.join(60)
    assert [writer.closed_code() for writer in writers] == [1001] * len(writers)
    assert server.wait(30) == 0


def write_until_closed(writer, project):
    try:
        while True:
            writer.write(create(project, "perhaps too late"))
    except (Closed, websockets.ConnectionClosed):
        pass


def sessions_of(storm):
    with storm.dial() as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        text = b""
        while piece := connection.recv(65536):
            text += piece
    return int(re.search(rb"^todosync_sessions (\d+)", text, re.MULTILINE).group(1))
