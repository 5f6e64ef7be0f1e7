"""HTTP on the same port: the static page, health, metrics, and a proper answer to everything else."""

import re

import pytest

from conftest import PAGE
from raw import RawConnection, upgrade_headers


@pytest.fixture
def http(server):
    """Sends one request on a connection of its own; the reply."""

    def http(method, target, *headers, body=b""):
        with RawConnection(server.port) as connection:
            return connection.request(method, target, headers, body)

    return http


@pytest.fixture
def bytes_answered(server):
    """Sends raw bytes; the status of the reply, or None where the server just closes."""

    def bytes_answered(data):
        with RawConnection(server.port) as connection:
            connection.send(data)
            try:
                return connection.reply().status
            except ConnectionError:
                return None

    return bytes_answered


# Static files


def test_the_page_is_served_at_the_root(http):
    reply = http("GET", "/")
    assert reply.status == 200
    assert reply.body == PAGE
    assert reply.headers["content-type"].lower().replace(" ", "") == "text/html;charset=utf-8"
    assert int(reply.headers["content-length"]) == len(PAGE)


@pytest.mark.parametrize("target, type_, body", [
    ("/index.html", "text/html", PAGE),
    ("/app.js", "text/javascript", b"export const x = 1;\n"),
    ("/style.css", "text/css", b"p { color: green }\n"),
    ("/icon.svg", "image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"/>'),
    ("/dot.png", "image/png", b"\x89PNG\r\n\x1a\n"),
    ("/data.json", "application/json", b"{}"),
    ("/empty.css", "text/css", b""),
    ("/deep/er/file.js", "text/javascript", b"2\n"),
])  # fmt: skip
def test_a_file_is_served_with_its_type(http, target, type_, body):
    reply = http("GET", target)
    assert (reply.status, reply.body) == (200, body)
    assert reply.headers["content-type"].split(";")[0] == type_


def test_a_query_string_does_not_change_the_file(http):
    assert http("GET", "/?from=mail").body == PAGE
    assert http("GET", "/app.js?v=2").status == 200


def test_an_escaped_path_is_the_same_path(http):
    assert http("GET", "/%61pp.js").body == http("GET", "/app.js").body


@pytest.mark.parametrize("target", ["/", "/app.js", "/empty.css", "/healthz", "/nothing"])
def test_head_answers_like_get_without_the_body(server, http, target):
    with RawConnection(server.port) as connection:
        head = connection.request("HEAD", target)
        get = connection.request("GET", target)
    assert head.status == get.status
    for name in ("content-type", "content-length", "etag", "content-security-policy"):
        assert head.headers.get(name) == get.headers.get(name)


def test_an_etag_that_still_holds_is_answered_with_304_and_no_body(server):
    with RawConnection(server.port) as connection:
        first = connection.request("GET", "/app.js")
        tag = first.headers["etag"]
        assert re.fullmatch(r'(W/)?"[^"]+"', tag)
        for known in (tag, f'"other", {tag}', "*", "W/" + tag.removeprefix("W/")):
            again = connection.request("GET", "/app.js", [("If-None-Match", known)])
            assert (again.status, again.body) == (304, b"")
            assert again.headers["etag"] == tag
        assert connection.request("HEAD", "/app.js", [("If-None-Match", tag)]).status == 304
        other = connection.request("GET", "/app.js", [("If-None-Match", '"other"')])
        assert (other.status, other.body) == (200, first.body)


def test_different_files_have_different_etags(http):
    tags = [http("GET", target).headers["etag"] for target in ("/", "/app.js", "/style.css", "/data.json")]
    assert len(set(tags)) == 4
    assert http("GET", "/").headers["etag"] == http("GET", "/index.html").headers["etag"] == tags[0]


def test_the_content_security_policy_is_strict(http):
    for target in ("/", "/app.js", "/icon.svg", "/nothing"):
        policy = http("GET", target).headers.get("content-security-policy", "")
        directives = {d.split()[0]: d.split()[1:] for d in policy.split(";") if d.strip()}
        assert directives.get("default-src") in (["'none'"], ["'self'"]), policy
        scripts = directives.get("script-src", directives["default-src"])
        assert set(scripts) <= {"'self'", "'none'"}, policy
        assert "unsafe-eval" not in policy and "*" not in policy
        # Of the schemes alone (ws:, wss:) any host in the world would have been allowed.
        assert directives["connect-src"] == ["'self'"], policy


@pytest.mark.parametrize("target", ["/nothing", "/app.js/", "/app.js/x", "/deep", "/deep/er", "/APP.JS", "/.hidden", "/%20", "/index.html%00.js"])
def test_what_does_not_exist_gets_a_4xx(http, target):
    assert 400 <= http("GET", target).status < 500


def test_an_unknown_path_is_not_found(http):
    reply = http("GET", "/nothing")
    assert reply.status == 404
    assert int(reply.headers["content-length"]) == len(reply.body)


ESCAPES = [
    "/../secret.txt", "/deep/../../secret.txt", "/%2e%2e/secret.txt", "/%2e%2e%2fsecret.txt", "/..%2fsecret.txt", "/.%2e/secret.txt",
    "/deep/er/../../../secret.txt", "/..\\secret.txt", "/%5c..%5csecret.txt", "//secret.txt", "/./../secret.txt", "/%252e%252e/secret.txt",
    "/link.txt", "/linked/secret.txt", "/..;/secret.txt", "/%c0%ae%c0%ae/secret.txt", "//etc/passwd", "/%2fetc%2fpasswd",
    "/../../../../../../etc/passwd", "http://127.0.0.1/../secret.txt",
]  # fmt: skip


@pytest.mark.parametrize("target", ESCAPES)
def test_no_path_escapes_the_folder(http, target):
    reply = http("GET", target)
    assert 400 <= reply.status < 500
    assert b"SECRET" not in reply.body and b"root:" not in reply.body


def test_several_requests_are_answered_on_one_connection(server):
    with RawConnection(server.port) as connection:
        for target, status in (("/", 200), ("/nothing", 404), ("/app.js", 200), ("/healthz", 200)):
            assert connection.request("GET", target).status == status


# Health and metrics


@pytest.mark.parametrize("target", ["/healthz", "/readyz"])
def test_a_healthy_server_says_so(http, target):
    assert http("GET", target).status == 200


def test_metrics_are_in_the_text_format_of_prometheus(http, person):
    person()
    reply = http("GET", "/metrics")
    assert reply.status == 200
    assert reply.headers["content-type"].startswith("text/plain")
    text = reply.body.decode()
    assert text.endswith("\n")
    sample = re.compile(r'[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\.)*",?)*\})? [-+]?([0-9.]+([eE][-+]?[0-9]+)?|Inf|NaN)( [0-9]+)?')
    comment = re.compile(r"# (HELP [a-zA-Z_:][a-zA-Z0-9_:]* .*|TYPE [a-zA-Z_:][a-zA-Z0-9_:]* (counter|gauge|histogram|summary|untyped)|.*)")
    lines = [line for line in text.split("\n") if line]
    assert lines
    for line in lines:
        assert (comment if line.startswith("#") else sample).fullmatch(line), line
    typed = {line.split()[2] for line in lines if line.startswith("# TYPE")}
    assert typed


# Everything else


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "get"])
@pytest.mark.parametrize("target", ["/", "/app.js", "/healthz", "/nothing"])
def test_another_method_gets_a_4xx(http, method, target):
    assert 400 <= http(method, target, ("Content-Length", "0")).status < 500


def test_a_body_with_a_method_that_takes_none_gets_a_4xx(http):
    assert 400 <= http("POST", "/", ("Content-Length", "5"), body=b"hello").status < 500


BROKEN = {
    "no request": b"hello\r\n\r\n",
    "no version": b"GET /\r\n\r\n",
    "an unknown version": b"GET / HTTP/3.7\r\nHost: a\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "a header without a colon": b"GET / HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n",
    "a space before the colon": b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
    "a nul in a header": b"GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n",
    "no path": b"GET  HTTP/1.1\r\nHost: a\r\n\r\n",
    "bytes that are no text": b"\xff\xfe\xfd\r\n\r\n",
    "a long request line": b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "a long header": b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    "many headers": b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
}


@pytest.mark.parametrize("method, headers, status", [
    ("GET", [], 400), ("POST", [], 405), ("HEAD", [], 405), ("GET", [("Sec-WebSocket-Version", "8")], 426), ("GET", [("Origin", "https://evil.example")], 403),
])  # fmt: skip
def test_the_refusal_of_a_websocket_carries_the_headers_of_every_answer(server, http, method, headers, status):
    upgrade = [] if not headers else [line for line in upgrade_headers("AAAAAAAAAAAAAAAAAAAAAA==") if line[0] not in dict(headers)]
    reply, page = http(method, "/sync", *upgrade, *headers), http("GET", "/")
    assert reply.status == status
    for name in ("content-security-policy", "x-content-type-options", "referrer-policy", "cross-origin-opener-policy", "x-frame-options", "date"):
        assert reply.headers.get(name) and (name == "date" or reply.headers[name] == page.headers[name])
    if status == 426:
        assert reply.headers["upgrade"] == "websocket" and "upgrade" in reply.headers["connection"].lower()


@pytest.mark.parametrize("length, status", [(500, 200), (100_000, 413)])
def test_a_request_whose_body_never_comes_has_one_answer(start_server, length, status):
    server = start_server("--keep-alive-seconds", "1", "--head-seconds", "1")
    with RawConnection(server.port) as connection:
        assert connection.request("GET", "/healthz", [("Content-Length", length)]).status == status
        assert connection.at_end()


@pytest.mark.parametrize("host", ["", "a:b", "[::1", "[zz]", "a]", "%", "a..b", "a:99999", "a/b", "u@a"])
@pytest.mark.parametrize("path", ["/", "/sync"])
def test_a_host_that_is_none_gets_400(server, host, path):
    key = "AAAAAAAAAAAAAAAAAAAAAA=="
    with RawConnection(server.port) as connection:
        assert connection.request("GET", path, [("Host", host), *upgrade_headers(key)]).status == 400


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_request_gets_a_4xx_and_never_hangs(bytes_answered, data):
    try:
        status = bytes_answered(data)
    except OSError:
        status = None  # the server may answer and close while the rest is still being sent
    assert status is None or 400 <= status < 500 or status == 505


def test_broken_requests_leave_the_server_alive(bytes_answered, http):
    for data in BROKEN.values():
        try:
            bytes_answered(data)
        except OSError:
            pass
    assert http("GET", "/healthz").status == 200


def test_a_request_may_arrive_byte_by_byte(server):
    with RawConnection(server.port) as connection:
        for byte in b"GET /app.js HTTP/1.1\r\nHost: a\r\n\r\n":
            connection.send(bytes([byte]))
        assert connection.reply().status == 200
