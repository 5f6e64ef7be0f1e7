"""Rules that count in seconds, against a server that counts in few: all its connections are opened at once."""

import time
from types import SimpleNamespace

import pytest

import raw
from client import Session
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
        )


def deaf(server, name):
    """A session that answers no ping."""
    socket = raw.RawWebSocket(server.port)
    socket.send_frame(raw.TEXT, LOG_IN % name)
    assert '"result"' in socket.receive_text()
    return socket


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
    assert brisk.silent.receive_frame()[0] == raw.PING
    try:
        while brisk.silent.receive_frame()[0] != raw.CLOSE:
            pass
    except ConnectionError:
        pass
