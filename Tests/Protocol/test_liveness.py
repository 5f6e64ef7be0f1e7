"""Rules that count in seconds. Their connections are opened when the run begins and looked at here, at its end."""

import raw


def test_a_connection_that_never_logs_in_is_closed_with_4001(watch):
    assert watch.never_logged_in.closed_code(60) == 4001


def test_a_connection_that_logged_out_has_as_long_as_a_new_one(watch):
    assert watch.logged_out.closed_code(60) == 4001


def test_a_session_that_has_logged_in_stays(watch):
    assert watch.logged_in.objects("User", filter="userId == $user") == [watch.logged_in.user]


def test_the_server_pings_a_connection_that_is_silent(watch):
    watch.silent.socket.settimeout(60)
    opcode, _, _ = watch.silent.receive_frame()
    assert opcode == raw.PING


def test_a_connection_that_stays_silent_is_dropped(watch):
    watch.silent.socket.settimeout(90)
    try:
        while watch.silent.receive_frame()[0] != raw.CLOSE:
            pass
    except ConnectionError:
        pass


def test_a_connection_that_answers_pings_outlives_it(watch):
    assert watch.logged_in.call("info")["protocol"] == "todosync.v1"
