"""Behind a reverse proxy: nginx that ends TLS, serves the page under a sub-path, and gives up quiet connections."""

import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import time

import pytest

import raw
from client import Session
from conftest import create, make_project
from process import REPOSITORY, Server, eventually
from test_tls import make_certificate, trusting

READ_SECONDS, PING_SECONDS = 3, 1
NGINX = "/usr/sbin/nginx"

# What the operator's page shows; the test puts ports, names and times in.
DOCUMENT = REPOSITORY / "Sources" / "OPERATING.md"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def documented_location():
    """The `location` block that the operator's page recommends."""
    return re.search(r"^ *location /todo/ \{.*?^ *\}", DOCUMENT.read_text(), re.S | re.M).group(0)


class Nginx:
    """nginx on two free ports, plain and encrypted, before a server; everything of it lies in one folder."""

    def __init__(self, folder, certificate, upstream, settings=""):
        self.folder, self.certificate = folder, certificate
        self.plain, self.secure = free_port(), free_port()
        location = documented_location().replace("http://127.0.0.1:8080/", f"http://{upstream}/")
        location = re.sub(r"proxy_read_timeout [^;]+;", f"proxy_read_timeout {READ_SECONDS}s;", location)
        root = location.replace("/todo/", "/", 1)
        assert f"proxy_read_timeout {READ_SECONDS}s" in location and upstream in location
        server = f"server {{ listen 127.0.0.1:%s; server_name localhost; %s {location} {root} }}"
        (folder / "nginx.conf").write_text(
            "daemon off; worker_processes 1; user root;" if os.geteuid() == 0 else "daemon off; worker_processes 1;"
        )
        with open(folder / "nginx.conf", "a") as file:
            file.write(
                f"""
                pid {folder}/nginx.pid;
                error_log {folder}/error.log;
                events {{ worker_connections 256; }}
                http {{
                    access_log off; {settings}
                    {"".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))}
                    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
                    {server % (self.plain, "")}
                    {server % (f"{self.secure} ssl", f"ssl_certificate {certificate[0]}; ssl_certificate_key {certificate[1]};")}
                }}
                """
            )
        self.process = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")], stderr=subprocess.PIPE, text=True)
        eventually(self._listens, "nginx listens")

    def _listens(self):
        assert self.process.poll() is None, self.process.stderr.read() + self.errors()
        try:
            socket.create_connection(("127.0.0.1", self.secure), timeout=1).close()
            return True
        except OSError:
            return False

    def errors(self):
        log = pathlib.Path(self.folder) / "error.log"
        return log.read_text() if log.exists() else ""

    def get(self, path, headers=()):
        with raw.RawConnection(self.plain) as connection:
            return connection.request("GET", path, headers)

    def close(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stderr.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("proxy"))


@pytest.fixture(scope="module", params=["tcp", "unix"])
def proxied(request, tmp_path_factory, certificate):
    """A server and its proxy, over the loopback and over a Unix socket; with the real page."""
    folder = tmp_path_factory.mktemp("nginx")
    path = folder / "todo.sock"
    flags = ["--providers", "nickname", "--ping-seconds", str(PING_SECONDS), "--public", str(REPOSITORY / "Public"), "--login-seconds", "60"]
    # The proxy speaks from an address that its clients don't have.
    flags += ["--connections-per-address", "3", "--trusted-proxies", "127.0.0.2" if request.param == "tcp" else "unix"]
    with Server(*flags, "--listen", f"unix:{path}") as server:
        upstream, settings = (f"127.0.0.1:{server.port}", "proxy_bind 127.0.0.2;") if request.param == "tcp" else (f"unix:{path}:", "")
        nginx = Nginx(folder, certificate, upstream, settings)
        server.nginx = nginx
        yield server
        nginx.close()
        assert "[emerg]" not in nginx.errors() and "[alert]" not in nginx.errors()


def session(proxied, path="/todo/sync", **options):
    context = ssl.create_default_context(cafile=proxied.nginx.certificate[0])
    return Session(f"wss://localhost:{proxied.nginx.secure}{path}", ssl=context, **options)


@pytest.mark.parametrize("prefix", ["/todo", ""])
def test_the_page_and_everything_it_names_come_through(proxied, prefix):
    page = proxied.nginx.get(f"{prefix}/")
    assert page.status == 200 and page.headers["content-type"].startswith("text/html")
    names = set(re.findall(r'(?:src|href)="([^"#:]+)"', page.body.decode()))
    assert {"app.js", "base.css"} <= names
    seen = set()
    while names:
        name = names.pop()
        seen.add(name)
        assert not name.startswith("/"), f"{name} leads out of the sub-path"
        answer = proxied.nginx.get(f"{prefix}/{name}")
        assert answer.status == 200, name
        if name.endswith(".js"):
            assert answer.headers["content-type"].startswith("text/javascript")
            imports = re.findall(r'''from ["']\./([\w.]+)["']''', answer.body.decode())
            names |= set(imports) - seen
    assert len(seen) > 8


def test_a_sub_path_without_its_slash_is_led_there(proxied):
    answer = proxied.nginx.get("/todo")
    assert answer.status == 301 and answer.headers["location"].endswith("/todo/")


def test_a_file_that_is_still_right_is_not_sent_again(proxied):
    tag = proxied.nginx.get("/todo/app.js").headers["etag"]
    assert proxied.nginx.get("/todo/app.js", [("If-None-Match", tag)]).status == 304


@pytest.mark.parametrize("path", ["/todo/sync", "/sync"])
def test_sessions_work_and_changes_arrive(proxied, path):
    with session(proxied, path) as writer, session(proxied, path, compression=None) as reader:
        writer.login_as("anna")
        reader.login_as("anna")
        project = make_project(writer)
        items = reader.subscribe("items", "Item", filter="projectId == $0", args=[project])
        writer.write(create(project, "Through the proxy"))
        while not items.objects:
            reader.receive()
        assert items.objects[0]["body"] == "Through the proxy"


def test_a_quiet_session_outlives_the_proxys_time_out(proxied):
    """The server pings sooner than the proxy gives up; without pings it would be gone twice over."""
    with session(proxied) as quiet:
        quiet.login_as("quiet")
        time.sleep(2 * READ_SECONDS + 1)
        assert quiet.objects("User", filter="userId == $user")


def test_the_proxy_does_give_up_without_pings(tmp_path, certificate):
    """What the test before rests on."""
    with Server("--providers", "nickname", "--ping-seconds", "30") as server:
        nginx = Nginx(tmp_path, certificate, f"127.0.0.1:{server.port}")
        server.nginx = nginx
        try:
            with session(server) as quiet:
                quiet.login_as("quiet")
                assert quiet.closed_code() == 1006
        finally:
            nginx.close()


def upgrade(port, context=None, **headers):
    """The status of a handshake, and the connection."""
    connection = raw.RawConnection(port)
    if context:
        connection.socket = context.wrap_socket(connection.socket, server_hostname="localhost")
    key = "AAAAAAAAAAAAAAAAAAAAAA=="
    connection.send(raw.head("GET", "/sync", port, raw.upgrade_headers(key, **headers)))
    return connection.reply().status, connection


@pytest.mark.parametrize("origin, status", [
    ("https://localhost:{port}", 101), ("http://localhost:{port}", 403), ("https://localhost", 403), ("https://evil.example", 403),
])  # fmt: skip
def test_the_origin_is_that_of_the_page_as_the_browser_sees_it(proxied, origin, status):
    port = proxied.nginx.secure
    context = trusting(proxied.nginx.certificate[0])
    found, connection = upgrade(port, context, Host=f"localhost:{port}", Origin=origin.format(port=port))
    connection.close()
    assert found == status


def test_a_clients_own_word_about_the_host_does_not_pass_the_proxy(proxied):
    port = proxied.nginx.plain
    headers = {"Host": f"localhost:{port}", "X_Forwarded_Host": "evil.example", "X_Forwarded_Proto": "http"}
    for origin, status in (("http://evil.example", 403), (f"http://localhost:{port}", 101)):
        found, connection = upgrade(port, Origin=origin, **headers)
        connection.close()
        assert found == status


def test_the_host_that_a_trusted_proxy_names_counts_and_that_of_others_does_not(start_server):
    trusting_server = start_server("--trusted-proxies", "127.0.0.0/8")
    plain_server = start_server()
    headers = {"X_Forwarded_Host": "todo.example", "X_Forwarded_Proto": "https", "Host": "backend", "Origin": "https://todo.example"}
    for server, status in ((trusting_server, 101), (plain_server, 403)):
        found, connection = upgrade(server.port, **headers)
        connection.close()
        assert found == status
    found, connection = upgrade(trusting_server.port, **{**headers, "Origin": "http://todo.example"})
    connection.close()
    assert found == 403


@pytest.mark.parametrize("host, status", [
    ("todo.example", 101), ("evil.example, todo.example", 101), ("todo.example:443", 101), ("", 403),
    ("a b", 400), ("todo.example:x", 400), ("todo.example, [::1", 400), ("u@todo.example", 400),
])  # fmt: skip
def test_a_trusted_proxy_that_names_no_host_is_told_so(forwarding, host, status):
    found, connection = upgrade(forwarding.port, X_Forwarded_Host=host, X_Forwarded_Proto="https", Origin="https://todo.example")
    connection.close()
    assert found == status


# X-Forwarded-For


def logged_address(server, name, **headers):
    """The address under which the server's log knows a session that came with these headers."""
    status, connection = upgrade(server.port, **headers)
    assert status == 101
    connection.send(raw.frame(raw.TEXT, '{"jsonrpc":"2.0","id":1,"method":"login","params":{"provider":"nickname","nickname":"%s"}}' % name))
    found = []
    eventually(lambda: found.extend(addresses_of(server, name)) or found, "the log-in is in the log")
    connection.close()
    return found[0]


def addresses_of(server, name):
    """The addresses under which the audit has log-ins of that name."""
    lines = [json.loads(line.split(" audit ", 1)[1]) for line in "".join(server.errors).splitlines() if " audit {" in line and line.endswith("}")]
    return [line["address"] for line in lines if line["event"] == "login" and line.get("name") == name]


@pytest.mark.parametrize("forwarded, address", [
    (None, "127.0.0.1"),
    ("192.0.2.7", "192.0.2.7"),
    ("192.0.2.7:4711", "192.0.2.7"),
    ("2001:db8::7", "2001:db8::7"),
    ("[2001:DB8:0:0::7]:4711", "2001:db8::7"),
    ("::ffff:192.0.2.7", "192.0.2.7"),
    ("198.51.100.1, 192.0.2.7", "192.0.2.7"),
    ("not an address, 192.0.2.7", "192.0.2.7"),
    ("192.0.2.7, 10.1.2.3, 127.0.0.1", "192.0.2.7"),
    ("10.1.2.3", "10.1.2.3"),
])  # fmt: skip
def test_the_right_most_address_that_is_no_proxy_is_the_clients(forwarding, forwarded, address):
    forwarding.count += 1
    assert logged_address(forwarding, f"Fay{forwarding.count}", X_Forwarded_For=forwarded) == address


@pytest.fixture(scope="module")
def forwarding():
    with Server("--providers", "nickname", "--trusted-proxies", "127.0.0.1, 10.0.0.0/8") as server:
        server.count = 0
        yield server


@pytest.mark.parametrize("forwarded", ["unknown", "192.0.2.7, unknown", "192.0.2", "192.0.2.7:", "192.0.2.7:99999", "[::1", "_hidden", "1.2.3.4, [::1]x"])
def test_a_proxy_that_names_no_address_is_told_so(forwarding, forwarded):
    status, connection = upgrade(forwarding.port, X_Forwarded_For=forwarded)
    connection.close()
    assert status == 400


def test_nobody_else_is_believed(start_server):
    server = start_server("--providers", "nickname", "--trusted-proxies", "10.0.0.0/8,unix")
    assert logged_address(server, "Eve", X_Forwarded_For="192.0.2.7") == "127.0.0.1"
    assert logged_address(server, "Mallory", X_Forwarded_For="unknown") == "127.0.0.1"


def test_the_proxys_own_header_wins_over_what_the_client_wrote(proxied):
    """nginx appends the address that it sees; what the client claims stands left of it."""
    status, connection = upgrade(proxied.nginx.plain, X_Forwarded_For="198.51.100.9")
    assert status == 101
    connection.send(raw.frame(raw.TEXT, '{"jsonrpc":"2.0","id":1,"method":"login","params":{"provider":"nickname","nickname":"Spoof"}}'))
    eventually(lambda: addresses_of(proxied, "Spoof"), "the log-in is in the log")
    connection.close()
    assert addresses_of(proxied, "Spoof") == ["127.0.0.1"]


def test_sessions_through_a_proxy_are_counted_by_the_address_that_it_names(start_server):
    server = start_server("--connections-per-address", "2", "--trusted-proxies", "127.0.0.1")
    first = [upgrade(server.port, X_Forwarded_For="192.0.2.7") for _ in range(3)]
    assert [status for status, _ in first] == [101, 101, 429]
    # Of IPv6 one network counts as one address.
    six = [upgrade(server.port, X_Forwarded_For=f"2001:db8:0:1::{n}") for n in range(3)]
    assert [status for status, _ in six] == [101, 101, 429]
    other = [upgrade(server.port, X_Forwarded_For=address) for address in ("192.0.2.8", "2001:db8:0:2::1")]
    assert [status for status, _ in other] == [101, 101]
    first[0][1].close()

    def admitted():
        status, connection = upgrade(server.port, X_Forwarded_For="192.0.2.7")
        connection.close()
        return status == 101

    eventually(admitted, "a place that was given back is free")
    for _, connection in first + six + other:
        connection.close()


def test_through_nginx_too(proxied):
    sockets = [upgrade(proxied.nginx.plain) for _ in range(4)]
    assert [status for status, _ in sockets] == [101, 101, 101, 429]
    for _, connection in sockets:
        connection.close()


@pytest.mark.parametrize("text", ["10.0.0.1/8", "localhost", "10.0.0.0/33", "", "10.0.0.0/8,,unix", "::/129", "10.0.0.0/"])
def test_a_list_of_proxies_that_is_none_is_refused(text):
    from process import run

    result = run("--trusted-proxies", text)
    assert result.returncode == 2 and "--trusted-proxies" in result.stderr
