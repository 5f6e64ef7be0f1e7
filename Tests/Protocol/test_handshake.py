"""The opening handshake at `/sync`: RFC 6455 §4.2, the subprotocol, the Origin."""

import pytest

import raw
from client import Session
from process import eventually
from raw import RawConnection, RawWebSocket, accept_of, upgrade_headers

KEY = "dGhlIHNhbXBsZSBub25jZQ=="


@pytest.fixture
def shake(server):
    """Sends an upgrade request; the HTTP reply."""
    connections = []

    def shake(target="/sync", method="GET", headers=None, **changes):
        connections.append(RawConnection(server.port))
        return connections[-1].request(method, target, headers or upgrade_headers(KEY, **changes))

    yield shake
    for connection in connections:
        connection.close()


def test_a_good_handshake_is_answered_as_rfc_6455_says(shake):
    reply = shake()
    assert reply.status == 101
    assert reply.headers["upgrade"].lower() == "websocket"
    assert "upgrade" in reply.headers["connection"].lower()
    assert reply.headers["sec-websocket-accept"] == accept_of(KEY) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="


def test_a_client_that_offers_no_subprotocol_is_accepted_and_told_none(shake):
    reply = shake()
    assert reply.status == 101
    assert "sec-websocket-protocol" not in reply.headers


@pytest.mark.parametrize("offer", ["todosync.v1", "chat, todosync.v1", "todosync.v1,todosync.v2"])
def test_the_server_answers_with_its_subprotocol(shake, offer):
    reply = shake(Sec_WebSocket_Protocol=offer)
    assert reply.status == 101
    assert reply.headers["sec-websocket-protocol"] == "todosync.v1"


def test_a_subprotocol_may_be_offered_in_several_headers(shake):
    headers = upgrade_headers(KEY) + [("Sec-WebSocket-Protocol", "chat"), ("Sec-WebSocket-Protocol", "todosync.v1")]
    reply = shake(headers=headers)
    assert reply.status == 101
    assert reply.headers["sec-websocket-protocol"] == "todosync.v1"


@pytest.mark.parametrize("offer", ["chat", "todosync.v2", "todosync", "chat, superchat"])
def test_a_client_that_offers_only_other_subprotocols_gets_400(shake, offer):
    assert shake(Sec_WebSocket_Protocol=offer).status == 400


def test_no_extension_is_agreed_that_was_not_offered(shake):
    assert "sec-websocket-extensions" not in shake().headers


def test_header_values_are_read_without_regard_to_case_and_among_others(shake):
    assert shake(Upgrade="WebSocket", Connection="keep-alive, upgrade").status == 101


def test_another_version_is_refused_and_told_13(shake):
    reply = shake(Sec_WebSocket_Version="8")
    assert reply.status == 426
    assert reply.headers["sec-websocket-version"] == "13"


@pytest.mark.parametrize("key", [None, "", "short", "dGhlIHNhbXBsZSBub25jZQ", "!!!!!!!!!!!!!!!!!!!!!!==", "dG9vIHNob3J0"])
def test_a_missing_or_broken_key_is_refused_with_400(shake, key):
    assert shake(Sec_WebSocket_Key=key).status == 400


@pytest.mark.parametrize("changes", [{"Upgrade": None}, {"Connection": None}, {"Sec_WebSocket_Version": None}])
def test_a_request_at_the_path_that_is_no_upgrade_gets_a_4xx(shake, changes):
    assert 400 <= shake(**changes).status < 500


@pytest.mark.parametrize("method", ["POST", "PUT", "HEAD"])
def test_only_get_can_upgrade(shake, method):
    assert 400 <= shake(method=method).status < 500


@pytest.mark.parametrize("target", ["/", "/other", "/sync/", "/SYNC", "/sync/x"])
def test_no_other_path_upgrades(shake, target):
    assert shake(target).status != 101


@pytest.mark.parametrize(
    "origin", ["https://elsewhere.example", "http://127.0.0.1.elsewhere.example", "http://127.0.0.1:1", "null"]
)
def test_an_origin_from_elsewhere_is_refused_with_403_before_the_upgrade(shake, origin):
    reply = shake(Origin=origin)
    assert reply.status == 403
    assert "upgrade" not in reply.headers


def test_the_refusal_of_an_origin_says_which_and_what_to_do_and_is_in_the_log_once(start_server):
    server = start_server()
    for origin in ("https://app.example:8443", "https://app.example:8443", "null"):
        with RawConnection(server.port) as connection:
            reply = connection.request("GET", "/sync", upgrade_headers(KEY, Origin=origin))
        assert reply.status == 403 and origin in reply.body.decode()
        assert (f"--origins {origin}." in reply.body.decode()) == (origin != "null")
    eventually(lambda: any("app.example:8443" in line for line in server.errors), "the log says so")
    said = [line for line in server.errors if "--origins" in line]
    assert len(said) == 1 and " info " in said[0], server.printed()


def test_the_own_origin_is_accepted(shake, server):
    assert shake(Origin=f"http://127.0.0.1:{server.port}").status == 101


def test_the_own_origin_goes_by_the_host_that_was_asked_for(shake, server):
    headers = upgrade_headers(KEY, Origin=f"http://localhost:{server.port}") + [("Host", f"localhost:{server.port}")]
    assert shake(headers=headers).status == 101


def test_an_origin_that_the_operator_allowed_is_accepted_and_no_other(start_server):
    server = start_server("--origins", "HTTPS://app.example/, http://Two.example:8081")
    for origin, status in (("https://app.example", 101), ("http://two.example:8081", 101), ("https://three.example", 403)):
        with RawConnection(server.port) as connection:
            assert connection.request("GET", "/sync", upgrade_headers(KEY, Origin=origin)).status == status


def test_a_handshake_may_arrive_byte_by_byte(server):
    with RawConnection(server.port) as connection:
        for byte in raw.head("GET", "/sync", server.port, upgrade_headers(KEY)):
            connection.send(bytes([byte]))
        assert connection.reply().status == 101


def test_frames_right_behind_the_handshake_are_answered(server):
    request = raw.frame(raw.TEXT, '{"jsonrpc":"2.0","id":"early","method":"info"}')
    with RawWebSocket(server.port, behind=request) as socket:
        assert '"early"' in socket.receive_text()


def test_the_python_client_connects_with_its_default_options(server):
    """With compression offered, pings of its own and its own limits."""
    with Session(server.url, compression="deflate", ping_interval=20, max_size=2**20, max_queue=32) as session:
        assert session.call("info")["protocol"] == "todosync.v1"
        assert session.socket.subprotocol == "todosync.v1"
        session.login_as("default-options")
        project = session.write({"create": "Project", "object": {"name": "x" * 500}})["ids"][0]
        assert session.get("Project", project)["name"] == "x" * 500
