"""`permessage-deflate`: what is agreed, and that a broadcast is compressed once for all and only if somebody takes it."""

import re

import pytest
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

from conftest import create, make_project, nickname
from process import eventually
from raw import RawConnection, RawWebSocket

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
