"""`permessage-deflate`: what is agreed, and that a broadcast is compressed once for all and only if somebody takes it."""

import re
import zlib

import pytest
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

from conftest import create, make_project, nickname
from process import eventually
from raw import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, RawConnection, RawWebSocket, deflated, frame

OFFER = "permessage-deflate"
LONG = "to do, again and again; " * 40


@pytest.fixture
def figure(server):
    """The value of one of the server's figures."""

    def figure(name):
        with RawConnection(server.port) as connection:
            text = connection.request("GET", "/metrics").body.decode()
        return int(re.search(rf"^todosync_{name} (\d+)$", text, re.MULTILINE).group(1))

    return figure


@pytest.fixture
def reader(connect):
    """A session of the project's owner with a live list of the project's items."""

    def reader(owner, project, **options):
        session = connect(**options)
        session.login_as(owner.user["name"])
        session.items = session.subscribe("items", "Item", filter="projectId == $0", args=[project])
        return session

    return reader


def read_change(session, count):
    while len(session.items.objects) < count:
        session.receive()
    return session.items.objects


@pytest.mark.parametrize(
    "offer, answer",
    [
        (OFFER, {"server_no_context_takeover", "client_no_context_takeover"}),
        (OFFER + "; client_max_window_bits", {"server_no_context_takeover", "client_no_context_takeover"}),
        (OFFER + "; server_max_window_bits=10", {"server_no_context_takeover", "client_no_context_takeover", "server_max_window_bits=10"}),
        (OFFER + "; unknown, " + OFFER, {"server_no_context_takeover", "client_no_context_takeover"}),
    ],
)
def test_an_offer_is_answered_with_no_context_on_either_side(server, offer, answer):
    with RawWebSocket(server.port, Sec_WebSocket_Extensions=offer) as socket:
        name, *parameters = [part.strip() for part in socket.handshake.headers["sec-websocket-extensions"].split(";")]
        assert name == OFFER and set(parameters) == answer


@pytest.mark.parametrize("offer", ["x-webkit-deflate-frame", OFFER + "; server_max_window_bits=7", OFFER + "; unknown"])
def test_an_offer_that_cannot_be_met_leaves_the_session_uncompressed(server, offer):
    with RawWebSocket(server.port, Sec_WebSocket_Extensions=offer) as socket:
        assert "sec-websocket-extensions" not in socket.handshake.headers
        assert socket.answers()


def test_sessions_with_and_without_compression_get_the_same_change(connect, reader):
    owner = connect(compression=None)
    owner.login_as(nickname("mixed"))
    project = make_project(owner)
    small = ClientPerMessageDeflateFactory(server_max_window_bits=9, client_max_window_bits=True)
    readers = [
        reader(owner, project, compression=None),
        reader(owner, project, compression="deflate"),
        reader(owner, project, compression=None, extensions=[small]),
    ]
    assert [len(r.socket.extensions) for r in readers] == [0, 1, 1]
    owner.write(create(project, LONG), create(project, "short"))
    for one in readers:
        assert sorted(o["body"] for o in read_change(one, 2)) == ["short", LONG]


def test_a_change_is_compressed_once_for_all_sessions(connect, reader, figure):
    owner = connect(compression=None)
    owner.login_as(nickname("once"))
    project = make_project(owner)
    readers = [reader(owner, project, compression="deflate") for _ in range(5)]
    before = figure("broadcasts_compressed_total")
    for count in (1, 2, 3):
        owner.write(create(project, LONG))
        for one in readers:
            read_change(one, count)
        assert figure("broadcasts_compressed_total") == before + count


def test_nothing_is_compressed_while_no_session_takes_it(connect, reader, figure):
    eventually(lambda: figure("deflating_sessions") == 0, "the sessions of earlier tests are gone")
    owner = connect(compression=None)
    owner.login_as(nickname("plain"))
    project = make_project(owner)
    readers = [reader(owner, project, compression=None) for _ in range(2)]
    before = figure("broadcasts_compressed_total")
    owner.write(create(project, LONG))
    for one in readers:
        read_change(one, 1)
    assert figure("broadcasts_compressed_total") == before


def test_a_session_counts_as_compressing_until_it_ends(connect, figure):
    eventually(lambda: figure("deflating_sessions") == 0, "the sessions of earlier tests are gone")
    closed, cut = connect(compression="deflate"), connect(compression="deflate")
    connect(compression=None)
    assert figure("deflating_sessions") == 2
    closed.close()
    eventually(lambda: figure("deflating_sessions") == 1, "the closed session is not counted any more")
    cut.abort()
    eventually(lambda: figure("deflating_sessions") == 0, "the session that was cut is not counted any more")


# Compressed messages that a client frames itself

INFO = b'{"jsonrpc":"2.0","id":"deflated","method":"info"}'
RSV1 = 4


@pytest.fixture
def deflating(server):
    with RawWebSocket(server.port, Sec_WebSocket_Extensions=OFFER) as socket:
        assert socket.deflates
        yield socket


def ends_with(socket, code):
    assert socket.receive_close() == code
    assert socket.at_end(), "after the close frame the server must end the connection"


def test_compressed_and_plain_messages_may_alternate_and_be_fragmented(deflating):
    payload = deflated(INFO)
    for _ in range(3):
        deflating.send_frame(TEXT, payload, rsv=RSV1)
        deflating.send_frame(TEXT, INFO)
        deflating.send_frame(TEXT, payload[:9], rsv=RSV1, fin=False)
        deflating.send_frame(PING, b"between")
        deflating.send_frame(CONTINUATION, payload[9:])
        frames = [deflating.receive_frame() for _ in range(4)]
        assert [f for f in frames if f[0] == PONG] == [(PONG, b"between", True)]
        assert [b'"deflated"' in payload for opcode, payload, _ in frames if opcode == TEXT] == [True] * 3


def test_a_client_that_keeps_its_context_against_the_agreement_is_refused(deflating):
    """The server takes `client_no_context_takeover`: a message that refers to the one before can't be read, and no other session suffers."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflating.send_frame(TEXT, deflated(INFO, compressor), rsv=RSV1)
    assert '"deflated"' in deflating.receive_text()
    referring = deflated(INFO, compressor)
    with pytest.raises(zlib.error):
        zlib.decompressobj(-15).decompress(referring)
    with RawWebSocket(deflating.port, Sec_WebSocket_Extensions=OFFER) as other:
        other.send_frame(TEXT, deflated(INFO), rsv=RSV1)
        deflating.send_frame(TEXT, referring, rsv=RSV1)
        ends_with(deflating, 1007)
        assert '"deflated"' in other.receive_text() and other.answers()


@pytest.mark.parametrize("payload", [b"", b"\xff" * 8, b"\x07", deflated(INFO)[:-5], b"\x00\x05\x00\xff\xff"])
def test_malformed_compressed_data_close_with_1007(deflating, payload):
    deflating.send_frame(TEXT, payload, rsv=RSV1)
    ends_with(deflating, 1007)


def test_a_message_that_is_not_utf8_once_decompressed_closes_with_1007(deflating):
    deflating.send_frame(TEXT, deflated(b'"\xff"'), rsv=RSV1)
    ends_with(deflating, 1007)


@pytest.mark.parametrize("in_one_frame", [True, False])
@pytest.mark.parametrize(
    "piece, code",
    [
        (b"\x00\x04\x00\xfb\xff\"ab\xff", 1007),
        (b"\x07", 1007),
        (deflated(bytes(4 << 20))[:-1000], 1009),
    ],
    ids=["not UTF-8", "damaged", "a bomb"],
)
def test_what_is_wrong_with_a_compressed_message_is_told_before_its_end(deflating, piece, code, in_one_frame):
    if in_one_frame:
        deflating.send(frame(TEXT, piece + bytes(1000), rsv=RSV1)[:-1000])
    else:
        deflating.send_frame(TEXT, piece[:3], rsv=RSV1, fin=False)
        deflating.send_frame(CONTINUATION, piece[3:], fin=False)
    ends_with(deflating, code)


@pytest.mark.parametrize("opcode", [PING, PONG, CLOSE])
def test_a_compressed_control_frame_closes_with_1002(deflating, opcode):
    deflating.send_frame(opcode, b"", rsv=RSV1)
    ends_with(deflating, 1002)


def test_a_continuation_that_claims_to_be_compressed_closes_with_1002(deflating):
    payload = deflated(INFO)
    deflating.send_frame(TEXT, payload[:9], rsv=RSV1, fin=False)
    deflating.send_frame(CONTINUATION, payload[9:], rsv=RSV1)
    ends_with(deflating, 1002)


def test_a_compressed_binary_message_closes_with_1003(deflating):
    deflating.send_frame(BINARY, deflated(INFO), rsv=RSV1)
    ends_with(deflating, 1003)


def peak_bytes(server):
    """The most memory that the server's process has had."""
    with open(f"/proc/{server.process.pid}/status") as file:
        return int(re.search(r"^VmHWM:\s+(\d+) kB", file.read(), re.MULTILINE).group(1)) * 1024


def test_a_bomb_is_stopped_while_it_is_inflated(start_server):
    """Half a gigabyte of zeros in half a megabyte: 1009, and the memory of a message or two."""
    server = start_server("--login-seconds", "600")
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    bomb = b"".join(compressor.compress(bytes(1 << 20)) for _ in range(512)) + compressor.flush(zlib.Z_SYNC_FLUSH)[:-4]
    assert len(bomb) < 1 << 20
    with RawWebSocket(server.port, Sec_WebSocket_Extensions=OFFER) as warm:
        warm.send_frame(TEXT, deflated(INFO), rsv=RSV1)
        assert '"deflated"' in warm.receive_text()
    before = peak_bytes(server)
    for size in (len(bomb), 1000):
        with RawWebSocket(server.port, Sec_WebSocket_Extensions=OFFER) as socket:
            try:
                for start in range(0, len(bomb), size):
                    opcode, rsv = (TEXT, RSV1) if start == 0 else (CONTINUATION, 0)
                    socket.send_frame(opcode, bomb[start:start + size], rsv=rsv, fin=start + size >= len(bomb))
            except ConnectionError:
                pass  # it was refused in the middle
            ends_with(socket, 1009)
    assert peak_bytes(server) - before < 16 << 20


def test_idle_sessions_hold_no_memory_for_compression(start_server):
    """zlib takes some 300 KiB for both ways: held by each of these sessions, that would be 60 MiB."""
    server = start_server("--login-seconds", "600")

    def open_sessions():
        sockets = [RawWebSocket(server.port, Sec_WebSocket_Extensions=OFFER) for _ in range(200)]
        for socket in sockets:
            socket.send_frame(TEXT, deflated(INFO), rsv=RSV1)
            assert '"deflated"' in socket.receive_text()
        return sockets

    with RawWebSocket(server.port, Sec_WebSocket_Extensions=OFFER) as warm:
        assert warm.answers()
    before = peak_bytes(server)
    sockets = open_sessions()
    assert peak_bytes(server) - before < 8 << 20
    for socket in sockets:
        socket.close()


def test_a_session_that_was_paused_still_counts_as_compressing_and_no_more_when_it_ends(server, figure):
    """It sends far more requests than may wait, so that it is not read from for a while."""
    eventually(lambda: figure("deflating_sessions") == 0, "the sessions of earlier tests are gone")
    with RawWebSocket(server.port, Sec_WebSocket_Extensions=OFFER) as socket:
        socket.socket.settimeout(60)
        socket.send_frame(TEXT, '{"jsonrpc":"2.0","id":1,"method":"login","params":{"provider":"nickname","nickname":"paused"}}')
        assert '"result"' in socket.receive_text()
        count = 6000
        socket.send(frame(TEXT, INFO) * count)
        for _ in range(count):
            assert '"deflated"' in socket.receive_text()
        assert figure("deflating_sessions") == 1
    eventually(lambda: figure("deflating_sessions") == 0, "the session is not counted any more")
