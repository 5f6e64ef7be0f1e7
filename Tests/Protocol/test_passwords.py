"""`changePassword`, `sessions` and `session.end`, guessing, and a flood of log-ins."""

import re
import threading
import time

import pytest

from client import RpcError
from conftest import make_project, nickname
from process import eventually

PASSWORD = "correct horse"
NEW = "battery staple"
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@pytest.fixture
def account(connect):
    """Registers an account; (session, username)."""
    username = nickname("account")
    session = connect()
    session.register(username, PASSWORD)
    return session, username


def test_a_changed_password_ends_every_other_session_at_once(account, connect):
    session, username = account
    same, other = connect(), connect()
    same.login_with_token(session.token)
    other.login_with_password(username, PASSWORD)
    assert session.call("changePassword", old=PASSWORD, new=NEW) == {}
    changed = time.monotonic()
    assert [same.closed_code(), other.closed_code()] == [4002, 4002]
    print(f"closed {1000 * (time.monotonic() - changed):.1f} ms behind the result")
    assert connect().error("login", provider="token", token=other.token).code == -32009
    assert connect().error("login", provider="password", username=username, password=PASSWORD).code == -32008
    connect().login_with_password(username, NEW)
    connect().login_with_token(session.token)
    assert session.objects("User", filter="userId == $user") == [session.user]


def test_a_wrong_old_password_changes_nothing(account, connect):
    session, username = account
    other = connect()
    other.login_with_token(session.token)
    error = session.error("changePassword", old="wrong horse", new=NEW)
    assert (error.code, error.path) == (-32008, "old")
    assert other.objects("Item", filter="FALSEPREDICATE") == []
    connect().login_with_password(username, PASSWORD)


@pytest.mark.parametrize("params, path", [
    ({"new": NEW}, "old"), ({"old": PASSWORD}, "new"), ({"old": PASSWORD, "new": "1234567"}, "new"), ({"old": 1, "new": NEW}, "old"),
    ({"old": PASSWORD, "new": "x" * 1025}, "new"), ({"old": "x" * 1025, "new": NEW}, "old"), ({"old": PASSWORD, "new": "\0" * 9}, "new"),
    ({"old": PASSWORD, "new": NEW, "force": True}, "force"),
])  # fmt: skip
def test_changing_a_password_takes_an_old_and_a_new_one(account, params, path):
    error = account[0].error("changePassword", params)
    assert (error.code, error.path) == (-32602, path)


def test_a_nickname_has_no_password_to_change(anna):
    assert anna.call("sessions")["hasPassword"] is False
    error = anna.error("changePassword", old="", new=NEW)
    assert (error.code, error.data["reason"]) == (-32004, "noPassword")


@pytest.mark.parametrize("method, params", [("changePassword", {"old": PASSWORD, "new": NEW}), ("sessions", {}), ("session.end", {"id": "x"})])
def test_what_is_about_ones_own_account_needs_a_log_in(connect, method, params):
    assert connect().error(method, params).code == -32001


HOSTILE = ["'; DROP TABLE tokens; --", '" OR ""="', "Robert'); DELETE FROM accounts;--", "%", "_", "$1", "?1", "\\'", "a' || 'b"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_or_password_is_text_and_never_part_of_a_statement(connect, account, name):
    session = connect()
    session.register(name, name.ljust(8, "x"))
    assert session.user["name"] == name
    assert connect().login_with_password(name, name.ljust(8, "x"))["user"] == session.user
    assert connect().error("login", provider="token", token=name).code == -32009
    assert session.ids("User", filter="name == $0", args=[name]) == [session.user_id]
    connect().login_with_password(account[1], PASSWORD)


# Sessions


def test_sessions_lists_where_one_is_logged_in(account, connect):
    session, username = account
    other = connect(user_agent_header="Phone/1.0")
    other.login_with_password(username, PASSWORD)
    result = session.call("sessions")
    sessions = result["sessions"]
    assert set(result) == {"sessions", "hasPassword"} and result["hasPassword"] is True
    assert [s["current"] for s in sessions] == [True, False]
    assert [s["current"] for s in other.call("sessions")["sessions"]] == [False, True]
    assert sessions[1]["userAgent"] == "Phone/1.0"
    for one in sessions:
        assert set(one) == {"id", "created", "lastSeen", "expiresAt", "userAgent", "address", "current"}
        assert all(DATE.fullmatch(one[date]) for date in ("created", "lastSeen", "expiresAt"))
        assert one["address"] == "127.0.0.1"
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", one["id"])
        assert one["id"] not in session.token + other.token


def test_ending_a_session_closes_it_and_kills_its_token(account, connect, ben):
    session, username = account
    other = connect()
    other.login_with_password(username, PASSWORD)
    ended = session.call("sessions")["sessions"][1]["id"]
    assert ben.error("session.end", id=ended).code == -32003
    assert session.call("session.end", id=ended) == {}
    assert other.closed_code() == 4002
    assert connect().error("login", provider="token", token=other.token).code == -32009
    error = session.error("session.end", id=ended)
    assert (error.code, error.path) == (-32003, "id")
    assert len(session.call("sessions")["sessions"]) == 1


def test_ending_ones_own_session_is_a_log_out(account):
    session, _ = account
    session.subscribe("mine", "Project")
    assert session.call("session.end", id=session.call("sessions")["sessions"][0]["id"]) == {}
    assert session.error("sessions").code == -32001
    session.login_with_password(account[1], PASSWORD)


def test_a_log_in_by_token_amid_writes_loses_nothing(person):
    anna, writer = person("anna"), None
    writer = person(again=anna)
    project = make_project(anna)
    items = anna.subscribe("items", "Item", filter="projectId == $0", args=[project], sort=["body"])
    stop = threading.Event()
    written = []

    def write():
        while not stop.is_set():
            body = f"{len(written):05}"
            written.append((body, writer.write({"create": "Item", "object": {"projectId": project, "body": body}})["version"]))

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for round in range(60):
            anna.login_with_token(writer.token if round % 2 else anna.token)
    finally:
        stop.set()
        thread.join()
    anna.settle(written[-1][1])
    assert [o["body"] for o in items.objects] == [body for body, _ in written]


# Guessing


def guess(connect, server, name, count=8):
    """The errors of so many bad log-ins at once."""
    sessions = [connect(server) for _ in range(count)]
    numbers = [s.start("login", {"provider": "password", "username": name, "password": "wrong horse"}) for s in sessions]
    errors = []
    for session, number in zip(sessions, numbers):
        with pytest.raises(RpcError) as refused:
            session.finish(number)
        errors.append(refused.value)
    return errors


def test_guessing_at_an_account_is_slowed_down_whether_it_exists_or_not(start_server, connect):
    server = start_server("--login-failures", "3")
    owner = connect(server)
    owner.register("Ann", PASSWORD)
    # The owner is known at this address, so guesses at "ann" count for the pair of them.
    for name in ("Nobody", "ann"):
        errors = guess(connect, server, name)
        assert {error.code for error in errors} == {-32008, -32006}
        assert sum(error.code == -32008 for error in errors) >= 3
        waits = [error for error in errors if error.code == -32006]
        assert all(error.data["reason"] == "tooManyRequests" and error.data["retryAfter"] >= 1 for error in waits)
    # A token is never slowed, and a password only for a while.
    connect(server).login_with_token(owner.token)

    def is_in():
        try:
            connect(server).login_with_password("Ann", PASSWORD)
        except RpcError as error:
            assert error.code == -32006
            time.sleep(error.data["retryAfter"])
            return False
        return True

    eventually(is_in, "the owner gets in", seconds=60)


def test_registrations_are_slowed_down(start_server, connect):
    server = start_server("--registrations", "2")
    sessions = [connect(server) for _ in range(8)]
    numbers = [s.start("register", {"username": f"Ann {i}", "password": PASSWORD}) for i, s in enumerate(sessions)]
    errors = []
    for session, number in zip(sessions, numbers):
        try:
            session.finish(number)
        except RpcError as error:
            errors.append(error)
    assert 1 <= len(errors) <= 6
    assert all(error.code == -32006 and 1 <= error.data["retryAfter"] <= 3 for error in errors)


def test_a_flood_of_log_ins_is_bounded_and_slows_only_log_ins(start_server, connect):
    server = start_server("--providers", "password,nickname", "--login-seconds", "600")
    worker = connect(server)
    worker.login_as("Worker")
    project = make_project(worker)
    flood = [connect(server) for _ in range(90)]
    numbers = [s.start("login", {"provider": "password", "username": f"U{i}", "password": "x"}) for i, s in enumerate(flood)]
    for number in range(20):
        worker.write({"create": "Item", "object": {"projectId": project, "body": str(number)}})
    codes = []
    for session, number in zip(flood, numbers):
        with pytest.raises(RpcError) as refused:
            session.finish(number)
        codes.append(refused.value.code)
        assert refused.value.code == -32008 or refused.value.data["retryAfter"] >= 1
    assert set(codes) == {-32008, -32006}
    assert len(worker.objects("Item", filter="projectId == $0", args=[project])) == 20
    assert worker.call("info")["limits"]["passwordQueue"] == 128
