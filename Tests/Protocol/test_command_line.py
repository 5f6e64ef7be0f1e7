"""Flags and environment variables: what they do, and that a wrong one is refused with what would be right."""

import os
import re
import shutil
import signal
import subprocess

import pytest

from client import Session
from process import REPOSITORY, Server, eventually, run

FLAGS = ["--host", "--port", "--data", "--providers", "--access", "--public", "--log-level", "--demo", "--help", "--version"]


def test_help_names_every_flag_and_ends_with_0():
    result = run("--help")
    assert result.returncode == 0
    assert [flag for flag in FLAGS if flag not in result.stdout] == []
    for value in ("everyone-read", "everyone-write", "private", "nickname", "password", "8080", "TODOSYNC_"):
        assert value in result.stdout


def test_the_short_form_asks_for_help_too():
    assert run("-h").stdout == run("--help").stdout


def test_version_is_told_and_ends_with_0():
    result = run("--version")
    assert result.returncode == 0
    assert re.search(r"\d+\.\d+", result.stdout)
    assert len(result.stdout.splitlines()) == 1


REFUSED = {
    "an unknown flag": (["--prot", "0"], ["--prot", "--help|--port"]),
    "an unknown short flag": (["-x"], ["-x"]),
    "a bare word": (["serve-me"], ["serve-me"]),
    "a word as port": (["--port", "banana"], ["--port", "banana", "65535|number"]),
    "a port beyond the last": (["--port", "65536"], ["--port", "65536"]),
    "a negative port": (["--port", "-1"], ["--port", "-1"]),
    "an unknown provider": (["--providers", "facebook"], ["--providers", "facebook", "password", "nickname"]),
    "an unknown provider among good ones": (["--providers", "password,facebook"], ["facebook", "nickname"]),
    "no provider": (["--providers", ""], ["--providers", "password", "nickname"]),
    "an unknown access": (["--access", "public"], ["--access", "public", "private", "everyone-read", "everyone-write"]),
    "a sign-up that is neither": (["--sign-up", "maybe"], ["--sign-up", "maybe", "yes", "no"]),
    "no time to log in": (["--login-seconds", "0"], ["--login-seconds", "0", "1"]),
    "a fraction of seconds": (["--ping-seconds", "1.5"], ["--ping-seconds", "1.5"]),
    "an origin without its scheme": (["--origins", "app.example"], ["--origins", "app.example", "https://"]),
    "permissions with which nobody connects": (["--socket-mode", "0"], ["--socket-mode", "660"]),
    "the same address twice": (["--listen", "127.0.0.1:18080", "--listen", "127.0.0.1:18080"], ["127.0.0.1:18080", "twice"]),
    "the same address by its name": (["--listen", "localhost:18081,127.0.0.1:18081"], ["127.0.0.1:18081", "twice"]),
    "the same socket twice": (["--listen", "unix:a.sock,unix:a.sock"], ["unix:a.sock", "twice"]),
    "a socket in no folder": (["--listen", "unix:/nowhere/at/all.sock"], ["/nowhere/at/all.sock", "folder"]),
    "a host that nobody knows": (["--host", "nosuch.invalid"], ["nosuch.invalid", "spelling", "127.0.0.1"]),
    "a folder for a certificate": (["--tls-cert", "/tmp", "--tls-key", "/tmp"], ["/tmp is a folder", "PEM"]),
    "an origin with a path": (["--origins", "https://app.example/path"], ["--origins", "'https://app.example/path'", "nothing behind"]),
    "an origin with a space": (["--origins", "https://a b"], ["'https://a b'", "https://app.example"]),
    "an origin with a port beyond the last": (["--origins", "https://app.example:99999"], ["'https://app.example:99999'", "port"]),
    "an origin without a host": (["--origins", "https://"], ["'https://'", "host"]),
    "nothing between two origins": (["--origins", "https://a,,https://b"], ["''", "commas"]),
    "an unknown log level": (["--log-level", "loud"], ["--log-level", "loud", "info", "debug"]),
    "no value": (["--port"], ["--port"]),
    "no value before the next flag": (["--data", "--port", "0"], ["--data"]),
    "a host that is none": (["--host", "not a host"], ["--host|not a host"]),
    "a public folder that does not exist": (["--public", "/nowhere/at/all"], ["/nowhere/at/all"]),
}


@pytest.mark.parametrize("arguments, words", REFUSED.values(), ids=REFUSED.keys())
def test_a_wrong_flag_or_value_is_refused_with_what_would_be_right(arguments, words):
    result = run("--port", "0", *arguments) if "--port" not in arguments else run(*arguments)
    assert result.returncode > 0
    for word in words:
        assert re.search(word if "|" in word else re.escape(word), result.stderr), f"{word} is not in: {result.stderr}"
    assert "Fatal error" not in result.stderr
    assert "http://" not in result.stdout, "the server started"


@pytest.mark.parametrize("name, value, words", [
    ("TODOSYNC_PORT", "banana", ["TODOSYNC_PORT|--port", "banana"]),
    ("TODOSYNC_ACCESS", "public", ["TODOSYNC_ACCESS|--access", "everyone-read"]),
    ("TODOSYNC_PROVIDERS", "facebook", ["TODOSYNC_PROVIDERS|--providers", "nickname"]),
])  # fmt: skip
def test_a_wrong_environment_variable_is_refused_alike(name, value, words):
    result = run(environment={"TODOSYNC_PORT": "0", name: value})
    assert result.returncode > 0
    for word in words:
        assert re.search(word, result.stderr), result.stderr


def test_each_flag_is_an_environment_variable_too(tmp_path):
    environment = {
        "TODOSYNC_HOST": "127.0.0.1", "TODOSYNC_PORT": "0", "TODOSYNC_DATA": str(tmp_path / "data"), "TODOSYNC_PROVIDERS": "nickname",
        "TODOSYNC_ACCESS": "everyone-read", "TODOSYNC_LOG_LEVEL": "info",
    }  # fmt: skip
    with Server(environment=environment, defaults=False) as server, Session(server.url) as session:
        assert (tmp_path / "data").is_dir()
        assert "password" not in session.call("info")["providers"]
        session.login_as("anna")
        id_ = session.write({"create": "Project", "object": {"name": "N"}})["ids"][0]
        assert session.get("Project", id_)["access"] == "everyone-read"


def test_a_flag_may_be_written_with_an_equals_sign_or_is_refused_clearly():
    result = run("--port=banana")
    assert result.returncode > 0 and "--port" in result.stderr


def test_without_flags_the_defaults_are_the_safe_ones(start_server, connect):
    server = start_server()
    session = connect(server)
    assert set(session.call("info")["providers"]) - {"token"} == {"password"}
    session.register("anna", "correct horse")
    id_ = session.write({"create": "Project", "object": {"name": "N"}})["ids"][0]
    assert session.get("Project", id_)["access"] == "private"


@pytest.mark.parametrize("data", ["d", "d/", "./d", "a/b", "a//b/", "ä"])
def test_the_data_folder_may_be_named_from_where_the_server_is_started(data):
    with Server(data=data) as server:
        assert os.path.exists(os.path.join(server.folder.name, data, "todosync.db"))
        assert server.stop() == 0


def test_a_public_folder_without_a_page_is_refused(tmp_path):
    result = run("--port", "0", "--public", str(tmp_path))
    assert result.returncode == 2 and str(tmp_path) in result.stderr and "index.html" in result.stderr


def test_the_banner_has_the_whole_path_of_the_data_folder():
    with Server(data="./b/") as server:
        eventually(lambda: any("stop" in line for line in server.output), "the whole of the first words is printed")
        folder = os.path.join(os.path.realpath(server.folder.name), "b")
        assert any(re.fullmatch(rf" +data +{re.escape(folder)}\n", line) for line in server.output), server.printed()


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGPIPE])
def test_a_signal_that_asks_for_no_end_ends_nothing(start_server, number):
    server = start_server()
    server.signal(number)
    with Session(server.url) as session:
        assert session.call("info")
    assert server.stop() == 0


def test_a_port_that_is_taken_is_refused_with_the_port(start_server):
    server = start_server()
    result = run("--port", str(server.port), "--data", server.folder.name + "/other")
    assert result.returncode > 0
    assert str(server.port) in result.stderr
    assert "Fatal error" not in result.stderr


# run.sh


def test_paths_given_to_the_run_script_are_the_callers(tmp_path):
    """With a toolchain and a server that only say how they were called."""
    clone, here = tmp_path / "clone", tmp_path / "here"
    for folder in (clone / "Sources", clone / ".build" / "release", here, tmp_path / "bin"):
        folder.mkdir(parents=True)
    shutil.copy(REPOSITORY / "Sources" / "run.sh", clone / "Sources")
    (clone / "Sources" / "install.sh").write_text("build_packages=none\ninstall_packages() { :; }\n")
    for program in (tmp_path / "bin" / "swift", clone / ".build" / "release" / "todo-server"):
        program.write_text('#!/bin/sh\necho "$(basename "$0") in $PWD: $*"\n')
        program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    command = ["bash", "../clone/Sources/run.sh", "--data", "./mydata"]
    printed = subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True, timeout=20).stdout
    assert f"todo-server in {here}: --data ./mydata" in printed
    assert f"swift in {here}: build --package-path {clone} " in printed


# --demo


@pytest.fixture
def demo():
    with Server("--demo", "--port", "0", defaults=False) as server:
        yield server


def test_a_demo_has_nicknames_projects_open_to_everyone_and_sample_data(demo, connect):
    session = connect(demo)
    assert "nickname" in session.call("info")["providers"]
    session.login_as("visitor")
    assert session.objects("Project") and session.objects("Item")
    id_ = session.write({"create": "Project", "object": {"name": "Mine"}})["ids"][0]
    assert session.get("Project", id_)["access"] == "everyone-write"
    other = connect(demo)
    other.login_as("other")
    assert other.get("Project", id_)["name"] == "Mine"


def test_the_counts_of_the_sample_data_are_right(demo, connect):
    session = connect(demo)
    session.login_as("visitor")
    for project in session.objects("Project"):
        items = session.objects("Item", filter="projectId == $0", args=[project["projectId"]])
        assert project["itemCount"] == len(items)
        assert project["openCount"] == sum(not i["isDone"] for i in items)


def test_a_demo_listens_on_loopback_only(demo):
    with open("/proc/net/tcp") as table:
        addresses = [line.split()[1] for line in table if line.split()[3] == "0A"]
    own = [a for a in addresses if int(a.split(":")[1], 16) == demo.port]
    assert own and all(a.startswith("0100007F") for a in own)


def test_two_demos_share_nothing(demo, connect):
    first = connect(demo)
    first.login_as("visitor")
    id_ = first.write({"create": "Project", "object": {"name": "Mine"}})["ids"][0]
    with Server("--demo", "--port", "0", defaults=False) as second:
        other = connect(second)
        other.login_as("visitor")
        assert other.get("Project", id_) is None


def test_a_demo_ends_orderly(demo):
    assert demo.stop() == 0
