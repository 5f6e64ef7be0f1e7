"""Rules that count in seconds, against a server that counts in few: all its connections are opened at once."""

import threading
import time
from types import SimpleNamespace

import pytest

import raw
from client import Session
from conftest import create, make_project
from process import Server

LOGIN, PING, SILENCE = 2, 1, 4
INFO = '{"jsonrpc":"2.0","id":1,"method":"info"}'
LOG_IN = '{"jsonrpc":"2.0","id":1,"method":"login","params":{"provider":"nickname","nickname":"%s"}}'


@pytest.fixture(scope="module")
def brisk():
    with Server(
        "--providers", "nickname", "--login-seconds", str(LOGIN), "--ping-seconds", str(PING), "--silence-seconds", str(SILENCE)
    ) as server:
        never_logged_in = Session(server.url)
        logged_in = Session(server.url)
        logged_in.login_as("awake")
        logged_out = Session(server.url)
        logged_out.login_as("gone")
        logged_out.call("logout")
        yield SimpleNamespace(
            server=server,
            never_logged_in=never_logged_in,
            logged_in=logged_in,
            logged_out=logged_out,
            silent=deaf(server, "silent"),
            talkative=deaf(server, "talkative"),
            silent_deflating=deaf(server, "deflating", Sec_WebSocket_Extensions="permessage-deflate"),
            halfway=halfway(server),
            flooded=flooded(server, logged_in),
        )


def deaf(server, name, **headers):
    """A session that answers no ping."""
    socket = raw.RawWebSocket(server.port, **headers)
    socket.send_frame(raw.TEXT, LOG_IN % name)
    assert '"result"' in socket.receive_text()
    return socket


def halfway(server):
    """A session whose last frame stops in the middle."""
    socket = deaf(server, "halfway")
    socket.send(raw.frame(raw.TEXT, INFO)[:9])
    return socket


def flooded(server, writer):
    """A session that answers no ping while one change after the other is sent to it, until it is gone."""
    project = make_project(writer)
    socket = deaf(server, "awake")
    socket.send_frame(
        raw.TEXT,
        '{"jsonrpc":"2.0","id":2,"method":"subscribe","params":{"name":"n","class":"Item","filter":"projectId == $0","args":["%s"]}}'
        % project,
    )

    session = Session(server.url)
    session.login_as("awake")
    socket.is_gone = threading.Event()

    def write():
        while not socket.is_gone.wait(0.02):
            session.write(create(project, "x" * 2000))
        session.close()

    socket.writer = threading.Thread(target=write)
    socket.writer.start()
    return socket


def is_pinged_and_dropped(socket):
    """Whether a ping came before the connection ended, which must end."""
    opcodes = set()
    try:
        while raw.CLOSE not in opcodes:
            opcodes.add(socket.receive_frame()[0])
    except ConnectionError:
        pass
    return raw.PING in opcodes


def test_the_limits_are_told(brisk):
    limits = brisk.logged_in.call("info")["limits"]
    assert (limits["loginSeconds"], limits["pingSeconds"], limits["silenceSeconds"]) == (LOGIN, PING, SILENCE)


def test_any_traffic_counts_as_life(brisk):
    """The pauses are long enough for pings, which stay without answer."""
    for _ in range(4):
        brisk.talkative.send_frame(raw.TEXT, INFO)
        while brisk.talkative.receive_frame()[0] != raw.TEXT:
            pass
        time.sleep(SILENCE / 3)


def test_a_connection_that_never_logs_in_is_closed_with_4001(brisk):
    assert brisk.never_logged_in.closed_code() == 4001


def test_a_connection_that_logged_out_has_as_long_as_a_new_one(brisk):
    assert brisk.logged_out.closed_code() == 4001


def test_a_session_that_has_logged_in_and_answers_pings_stays(brisk):
    assert brisk.logged_in.objects("User", filter="userId == $user") == [brisk.logged_in.user]


def test_a_silent_connection_is_pinged_and_then_dropped(brisk):
    assert is_pinged_and_dropped(brisk.silent)


def test_a_silent_connection_is_dropped_alike_where_messages_are_compressed(brisk):
    assert is_pinged_and_dropped(brisk.silent_deflating)


def test_a_connection_that_falls_silent_in_the_middle_of_a_frame_is_dropped(brisk):
    assert is_pinged_and_dropped(brisk.halfway)


def test_data_that_is_sent_neither_starves_pings_nor_counts_as_life(brisk):
    try:
        assert is_pinged_and_dropped(brisk.flooded)
    finally:
        brisk.flooded.is_gone.set()
        brisk.flooded.writer.join()
