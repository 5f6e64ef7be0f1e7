"""Where the server listens: several addresses, both families, Unix sockets, and how all that ends."""

import os
import re
import socket
import stat
import subprocess

import pytest

import raw
from client import Session
from process import Server, eventually, run, server_binary

SOCKET_LINE = re.compile(r"socket +unix:(\S+)")


def pages(server):
    eventually(lambda: any("stop" in line for line in server.output), "the whole of the first words is printed")
    return [match.group(1) for line in server.output if (match := re.search(r"page +(http://\S+)/", line))]


def health_over(path):
    """The answer of `/healthz` over a Unix socket."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(10)
        connection.connect(path)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = b""
        while piece := connection.recv(4096):
            answer += piece
    return answer


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "todo.sock")


def listening(tmp_path, *places, **options):
    flags = [word for place in places for word in ("--listen", place)]
    return Server("--data", str(tmp_path / "data"), "--providers", "nickname", *flags, defaults=False, **options)


def test_every_address_serves_and_is_printed(tmp_path, place):
    with listening(tmp_path, "127.0.0.1:0,[::1]:0", f"unix:{place}") as server:
        four, six = pages(server)
        assert four.startswith("http://127.0.0.1:") and six.startswith("http://[::1]:")
        assert any((match := SOCKET_LINE.search(line)) and match.group(1) == place for line in server.output)
        for page in (four, six):
            with Session(page.replace("http", "ws") + "/sync") as session:
                session.login_as("anna")
        assert health_over(place).endswith(b"alive\n")


def test_changes_go_from_one_address_to_the_others(tmp_path):
    with listening(tmp_path, "127.0.0.1:0", "[::1]:0") as server:
        one, other = (Session(page.replace("http", "ws") + "/sync") for page in pages(server))
        with one, other:
            one.login_as("anna")
            other.login_as("anna")
            projects = other.subscribe("all", "Project")
            one.write({"create": "Project", "object": {"name": "N"}})
            while not projects.objects:
                other.receive()


def test_host_and_port_hold_beside_listen_where_they_are_given(tmp_path):
    with listening(tmp_path, "[::1]:0") as server:
        assert len(pages(server)) == 1
    with Server("--data", str(tmp_path / "other"), "--port", "0", "--listen", "[::1]:0", defaults=False) as server:
        assert [page.rsplit(":", 1)[0] for page in pages(server)] == ["http://127.0.0.1", "http://[::1]"]


def test_the_command_line_takes_the_place_of_what_the_environment_lists(tmp_path):
    with listening(tmp_path, "127.0.0.1:0", environment={"TODOSYNC_LISTEN": "[::1]:0"}) as server:
        assert [page.rsplit(":", 1)[0] for page in pages(server)] == ["http://127.0.0.1"]


@pytest.mark.parametrize("text, words", [
    ("::1:8080", ["::1:8080", "[::1]:8080"]),
    ("127.0.0.1", ["127.0.0.1"]),
    ("[127.0.0.1]:1", ["[127.0.0.1]:1"]),
    ("127.0.0.1:65536", ["65536"]),
    ("unix:", ["unix:"]),
    ("127.0.0.1:0,", ["--listen"]),
])  # fmt: skip
def test_what_is_no_address_is_refused(text, words):
    result = run("--listen", text)
    assert result.returncode == 2
    for word in words:
        assert word in result.stderr


def test_a_demo_listens_nowhere_but_on_this_machine():
    result = run("--demo", "--listen", "0.0.0.0:0")
    assert result.returncode == 2 and "--listen" in result.stderr


# Unix sockets


@pytest.mark.parametrize("flags, mode", [((), 0o660), (("--socket-mode", "600"), 0o600), (("--socket-mode", "666"), 0o666)])
def test_a_sockets_file_has_the_permissions_that_were_asked_for_whatever_the_umask(tmp_path, place, flags, mode):
    before = os.umask(0o077)
    try:
        with Server("--data", str(tmp_path / "data"), "--listen", f"127.0.0.1:0,unix:{place}", *flags, defaults=False):
            assert stat.S_IMODE(os.stat(place).st_mode) == mode
    finally:
        os.umask(before)


def test_the_file_goes_with_the_server_and_one_left_by_a_crash_is_replaced(tmp_path, place):
    with listening(tmp_path, "127.0.0.1:0", f"unix:{place}") as server:
        server.kill()
        assert os.path.exists(place)
        with pytest.raises(ConnectionRefusedError):
            health_over(place)
        server.start()
        assert health_over(place).endswith(b"alive\n")
        assert server.stop() == 0
        assert not os.path.exists(place)


def test_a_socket_that_is_in_use_is_left_alone_and_the_second_server_says_so(tmp_path, place):
    with listening(tmp_path, "127.0.0.1:0", f"unix:{place}"):
        result = run("--listen", f"unix:{place}", "--data", str(tmp_path / "other"))
        assert result.returncode == 1
        assert place in result.stderr and "Another program" in result.stderr
        assert health_over(place).endswith(b"alive\n")


def test_a_file_that_is_no_socket_is_left_alone(tmp_path, place):
    with open(place, "w") as file:
        file.write("mine")
    result = run("--listen", f"unix:{place}", "--data", str(tmp_path / "data"))
    assert result.returncode == 1 and place in result.stderr
    assert "no socket" in result.stderr and "Another program" not in result.stderr
    assert open(place).read() == "mine"


def test_a_file_that_somebody_else_has_put_there_stays(tmp_path, place):
    with listening(tmp_path, "127.0.0.1:0", f"unix:{place}") as server:
        os.unlink(place)
        with open(place, "w") as file:
            file.write("mine")
        server.stop()
        assert open(place).read() == "mine"


def test_a_socket_alone_is_enough(tmp_path, place):
    """Without an address of the network there is no page to print; the file says when the server is there."""
    flags = ["--data", str(tmp_path / "data"), "--listen", f"unix:{place}", "--providers", "nickname"]
    process = subprocess.Popen([server_binary(), *flags], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        line = ""
        while "stop" not in line:
            line = process.stdout.readline()
            assert line, "the server ended"
            assert "http" not in line
        assert health_over(place).endswith(b"alive\n")
    finally:
        process.terminate()
        assert process.wait(10) == 0
        process.stdout.close()


def test_a_socket_is_not_encrypted_where_the_network_is(tmp_path, place):
    from test_tls import make_certificate

    certificate, key = make_certificate(tmp_path)
    with listening(tmp_path, "127.0.0.1:0", f"unix:{place}", environment={"TODOSYNC_TLS_CERT": certificate, "TODOSYNC_TLS_KEY": key}):
        assert health_over(place).endswith(b"alive\n")


def test_a_session_over_a_unix_socket_works(tmp_path, place):
    with listening(tmp_path, "127.0.0.1:0", f"unix:{place}") as server:
        connection = raw.RawConnection(server.port)
        connection.close()
        connection.socket = socket.socket(socket.AF_UNIX)
        connection.socket.settimeout(raw.TIMEOUT)
        connection.socket.connect(place)
        key = "AAAAAAAAAAAAAAAAAAAAAA=="
        connection.send(raw.head("GET", "/sync", 1, raw.upgrade_headers(key)))
        assert connection.reply().status == 101
        connection.__class__ = raw.RawWebSocket
        assert connection.answers()
        connection.send_frame(raw.TEXT, '{"jsonrpc":"2.0","id":2,"method":"login","params":{"provider":"nickname","nickname":"Uma"}}')
        assert '"result"' in connection.receive_text()
        eventually(lambda: any('"address":"unix"' in line and '"Uma"' in line for line in server.errors), "the log says where she came from")
        connection.close()
