"""TLS: `--tls-cert` and `--tls-key`, seen by clients that check the certificate."""

import os
import re
import signal
import socket
import ssl
import subprocess
import threading
import time

import pytest

from client import Session
from conftest import create, make_project, nickname
from process import eventually, run
from raw import RawConnection


def make_certificate(folder, name="server", *, days=30, algorithm="ec", passphrase=None):
    """A self-signed certificate for the loopback address; (certificate, key), PEM."""
    certificate, key = str(folder / f"{name}.crt"), str(folder / f"{name}.key")
    kind = ["-newkey", "rsa:2048"] if algorithm == "rsa" else ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    lock = ["-passout", f"pass:{passphrase}"] if passphrase else ["-nodes"]
    subprocess.run(
        ["openssl", "req", "-x509", *kind, *lock, "-keyout", key, "-out", certificate, "-days", str(days)]
        + ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"],
        check=True,
        capture_output=True,
    )
    return certificate, key


def trusting(certificate, *, version=None):
    context = ssl.create_default_context(cafile=certificate)
    context.set_alpn_protocols(["http/1.1"])
    if version:
        context.minimum_version = context.maximum_version = version
    return context


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def certificate(folder):
    return make_certificate(folder)


@pytest.fixture
def secure(start_server, certificate, public):
    return start_server(
        "--tls-cert", certificate[0], "--tls-key", certificate[1], "--providers", "nickname", "--public", str(public)
    )


def dial(server, context, **options):
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    return context.wrap_socket(plain, server_hostname="127.0.0.1", **options)


def get(connection, path="/healthz"):
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    answer = b""
    while piece := connection.recv(65536):
        answer += piece
    return answer


def test_the_server_says_that_it_speaks_https_and_wss(secure):
    assert any(f"https://127.0.0.1:{secure.port}/" in line for line in secure.output)
    eventually(lambda: any(f"wss://127.0.0.1:{secure.port}/sync" in line for line in secure.output), "the WebSocket's address is printed")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_the_page_comes_encrypted(secure, certificate, version):
    with dial(secure, trusting(certificate[0], version=version)) as connection:
        assert connection.selected_alpn_protocol() == "http/1.1"
        assert connection.cipher()[2] >= 128
        answer = get(connection, "/")
    assert answer.startswith(b"HTTP/1.1 200") and b"The page." in answer


def test_the_end_is_announced_so_that_nothing_can_be_cut_off(secure, certificate):
    with dial(secure, trusting(certificate[0]), suppress_ragged_eofs=False) as connection:
        assert get(connection).endswith(b"alive\n")


@pytest.mark.parametrize("compression", [None, "deflate"])
def test_sessions_work_over_wss(secure, certificate, compression):
    url = f"wss://127.0.0.1:{secure.port}/sync"
    context = ssl.create_default_context(cafile=certificate[0])
    with Session(url, ssl=context, compression=compression) as anna, Session(url, ssl=context) as reader:
        name = nickname("tls")
        anna.login_as(name)
        reader.login_as(name)
        project = make_project(anna)
        items = reader.subscribe("items", "Item", filter="projectId == $0", args=[project])
        body = "encrypted " * 1000
        for count in range(1, 6):
            anna.write(create(project, body))
            while len(items.objects) < count:
                reader.receive()
        assert [o["body"] for o in items.objects] == [body] * 5


@pytest.mark.parametrize("version", ["-tls1", "-tls1_1"])
def test_older_versions_are_refused(secure, version):
    done = subprocess.run(
        ["openssl", "s_client", version, "-cipher", "ALL:@SECLEVEL=0", "-connect", f"127.0.0.1:{secure.port}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode != 0
    assert "alert protocol version" in done.stderr, done.stderr


@pytest.mark.parametrize("cipher", ["AES128-SHA", "ECDHE-ECDSA-AES128-SHA", "AES128-GCM-SHA256", "eNULL"])
def test_ciphers_without_forward_secrecy_or_authentication_are_refused(secure, cipher):
    done = subprocess.run(
        ["openssl", "s_client", "-tls1_2", "-cipher", f"{cipher}:@SECLEVEL=0", "-connect", f"127.0.0.1:{secure.port}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.returncode != 0 and "alert handshake failure" in done.stderr, done.stderr


def test_a_client_that_speaks_no_protocol_of_ours_is_refused(secure, certificate):
    context = trusting(certificate[0])
    context.set_alpn_protocols(["h2"])
    with pytest.raises(ssl.SSLError, match="(?i)no.application.protocol"):
        dial(secure, context).close()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_session_is_resumed_without_a_full_handshake(secure, certificate, version):
    context = trusting(certificate[0], version=version)
    with dial(secure, context) as first:
        assert not first.session_reused
        get(first)
        ticket = first.session
    assert ticket.has_ticket
    with dial(secure, context, session=ticket) as second:
        assert second.session_reused
        assert get(second).endswith(b"alive\n")


def test_fresh_keys_in_the_middle_change_nothing(secure):
    """`K` makes this client ask for an update of the keys (RFC 8446 §4.6.3)."""
    request = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    process = subprocess.Popen(
        ["openssl", "s_client", "-tls1_3", "-connect", f"127.0.0.1:{secure.port}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    read = []
    reader = threading.Thread(target=lambda: read.extend(iter(lambda: process.stdout.read(1), "")))
    reader.start()

    def wait_for(mark, count):
        """The client takes a command only where it begins what it reads: so each is sent when the one before has shown its effect."""
        end = time.monotonic() + 30
        while "".join(read).count(mark) < count and time.monotonic() < end:
            time.sleep(0.01)
        assert "".join(read).count(mark) >= count, "".join(read)

    def send(line):
        process.stdin.write(line)
        process.stdin.flush()

    with process:
        wait_for("Verify return code", 1)
        for turn, last in ((1, ""), (2, "Connection: close\r\n")):
            send("K\n")
            wait_for("KEYUPDATE", turn)
            send(request + last + "\r\n")
            wait_for("alive\n", turn)
        reader.join(30)


def test_renegotiation_is_refused(secure):
    process = subprocess.run(
        ["openssl", "s_client", "-tls1_2", "-connect", f"127.0.0.1:{secure.port}"],
        input="R\n" + "x" * 3,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert "no renegotiation" in process.stderr, process.stderr


@pytest.mark.parametrize("request_line", ["GET / HTTP/1.1", "GET /sync HTTP/1.1", "POST /x HTTP/1.0", "OPTIONS * HTTP/1.1"])
def test_plain_http_gets_an_answer_that_a_person_understands(secure, request_line):
    with RawConnection(secure.port) as connection:
        connection.send(f"{request_line}\r\nHost: 127.0.0.1\r\n\r\n".encode())
        reply = connection.reply()
        assert reply.status == 400
        assert b"https://" in reply.body and b"TLS" in reply.body
        assert connection.at_end()


def test_bytes_that_are_neither_end_the_connection(secure, certificate):
    for noise in (b"\x00" * 64, b"\x16\x03\x01\x00\x05hello" * 3, os.urandom(512)):
        with socket.create_connection(("127.0.0.1", secure.port), timeout=20) as connection:
            connection.sendall(noise + b"\x00" * 20000)
            try:
                while connection.recv(4096):
                    pass
            except ConnectionError:
                pass
    with dial(secure, trusting(certificate[0])) as connection:
        assert get(connection).endswith(b"alive\n")


def test_handshakes_that_stop_are_cut(secure):
    """The deadline is that of a request's head: ten seconds."""
    hello = bytes.fromhex("160301010001")
    with socket.create_connection(("127.0.0.1", secure.port), timeout=20) as connection:
        connection.sendall(hello)
        try:
            assert connection.recv(1) == b""
        except ConnectionResetError:
            pass


def test_a_certificate_is_exchanged_on_sighup_and_nobody_is_dropped(start_server, folder, public):
    certificate, key = make_certificate(folder, "old")
    server = start_server("--tls-cert", certificate, "--tls-key", key, "--providers", "nickname", "--public", str(public))
    old = ssl.create_default_context(cafile=certificate)
    with Session(f"wss://127.0.0.1:{server.port}/sync", ssl=old) as held:
        held.login_as(nickname("held"))
        new_certificate, new_key = make_certificate(folder, "new", algorithm="rsa")
        trusted = trusting(new_certificate)
        os.replace(new_certificate, certificate)
        os.replace(new_key, key)
        server.signal(signal.SIGHUP)
        eventually(lambda: any("read again" in line for line in server.errors), "the server says that it has the new certificate")
        with dial(server, trusted) as connection:
            assert get(connection).endswith(b"alive\n")
        assert held.call("info")["protocol"] == "todosync.v1"
        make_project(held)


def test_a_certificate_that_cannot_be_read_again_changes_nothing(start_server, folder):
    certificate, key = make_certificate(folder, "kept")
    server = start_server("--tls-cert", certificate, "--tls-key", key)
    trusted = trusting(certificate)
    with open(certificate, "w") as file:
        file.write("nonsense")
    server.signal(signal.SIGHUP)
    eventually(lambda: any("has not been exchanged" in line for line in server.errors), "the server complains")
    with dial(server, trusted) as connection:
        assert get(connection).endswith(b"alive\n")


def test_sighup_without_tls_is_nothing(start_server):
    server = start_server()
    server.signal(signal.SIGHUP)
    with RawConnection(server.port) as connection:
        assert connection.request("GET", "/healthz").status == 200


@pytest.fixture(scope="module")
def files(folder, certificate):
    other = make_certificate(folder, "other")
    locked = make_certificate(folder, "locked", passphrase="secret")
    nonsense = folder / "nonsense.pem"
    nonsense.write_text("nothing of the kind")
    return {
        "certificate": certificate[0],
        "key": certificate[1],
        "other key": other[1],
        "locked certificate": locked[0],
        "locked key": locked[1],
        "nonsense": str(nonsense),
        "missing": str(folder / "missing.pem"),
    }


@pytest.mark.parametrize(
    "flags, status, words",
    [
        (["--tls-cert", "certificate"], 2, "--tls-key FILE"),
        (["--tls-key", "key"], 2, "--tls-cert FILE"),
        (["--tls-cert", "missing", "--tls-key", "key"], 1, r"certificate file .*missing.pem can't be read: No such file"),
        (["--tls-cert", "certificate", "--tls-key", "missing"], 1, r"key file .*missing.pem can't be read: No such file"),
        (["--tls-cert", "nonsense", "--tls-key", "key"], 1, r"nonsense.pem holds no certificate"),
        (["--tls-cert", "certificate", "--tls-key", "nonsense"], 1, r"nonsense.pem holds no private key"),
        (["--tls-cert", "certificate", "--tls-key", "other key"], 1, r"other.key is not that of the first certificate in .*server.crt"),
        (["--tls-cert", "locked certificate", "--tls-key", "locked key"], 1, r"locked.key has a passphrase.*openssl pkey"),
    ],
)
def test_a_pair_that_cannot_be_used_is_said_to_be_so(files, flags, status, words):
    done = run("--port", "0", "--data", "data", *[files.get(flag, flag) for flag in flags])
    assert done.returncode == status
    assert re.search(words, done.stderr), done.stderr


def test_an_expired_certificate_is_warned_of(start_server, folder):
    key, request, certificate = (str(folder / f"expired.{kind}") for kind in ("key", "csr", "crt"))
    subprocess.run(
        ["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        + ["-keyout", key, "-out", request, "-subj", "/CN=expired"],
        check=True,
        capture_output=True,
    )
    subprocess.run(
        ["openssl", "x509", "-req", "-in", request, "-signkey", key, "-out", certificate, "-days", "-1"], check=True, capture_output=True
    )
    server = start_server("--tls-cert", certificate, "--tls-key", key)
    eventually(lambda: any("has expired" in line for line in server.errors), "the server warns")
