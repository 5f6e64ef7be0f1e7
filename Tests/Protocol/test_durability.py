"""What was acknowledged survives `kill -9`; one server a data folder; an orderly end."""

import os
import signal
import threading

import pytest

import raw
from client import Closed, Session
from conftest import create, make_project, update
from process import eventually, run

OF = "projectId == $0"


@pytest.fixture
def own(start_server):
    """A server of this test's own."""
    return start_server("--providers", "password,nickname")


@pytest.fixture
def login(own):
    sessions = []

    def login(nickname="anna"):
        session = Session(own.url)
        sessions.append(session)
        session.login_as(nickname)
        return session

    yield login
    for session in sessions:
        session.close()


def test_an_acknowledged_write_survives_a_kill(own, login):
    anna = login()
    project = make_project(anna, name="Kept", items=["a", "b"])
    item = anna.ids("Item", filter="body == 'a'")[0]
    anna.write(update(item, isDone=True, dueDate="2026-11-30T01:02:03.456Z"), {"move": "Item", "id": item, "to": "end"})
    classes = ("Project", "Item", "Permission", "User")
    before = {c: anna.query(c) for c in classes}
    epoch = anna.call("info")["epoch"]
    own.kill()
    own.start()
    again = login()
    assert again.user == anna.user
    assert {c: again.query(c) for c in classes} == before
    assert again.call("info")["epoch"] == epoch
    assert again.write(create(project, "c"))["version"] > before["Item"]["version"]
    assert [o["body"] for o in again.objects("Item", filter=OF, args=[project], sort=["position"])] == ["b", "a", "c"]


def test_a_txn_is_known_after_a_kill(own, login):
    anna = login()
    project = make_project(anna)
    first = anna.write(create(project), txn="once")
    own.kill()
    own.start()
    again = login()
    assert again.write(create(project), txn="once") == {**first, "duplicate": True}
    assert again.get("Project", project)["itemCount"] == 1


def test_accounts_and_tokens_survive_a_kill(own):
    with Session(own.url) as session:
        session.register("anna", "correct horse")
        gone = Session(own.url)
        gone.login_with_password("anna", "correct horse")
        gone.call("logout")
        gone.close()
    own.kill()
    own.start()
    with Session(own.url) as again:
        assert again.login_with_token(session.token)["token"] == session.token
        assert again.user == session.user
    with Session(own.url) as again:
        again.login_with_password("anna", "correct horse")
        assert again.user == session.user
    with Session(own.url) as again:
        assert again.error("login", provider="token", token=gone.token).code == -32009


def test_a_list_is_resumed_across_a_kill(own, login):
    anna = login()
    project = make_project(anna, items=["a", "b"])
    query = {"filter": OF, "args": [project], "sort": ["body"]}
    live = anna.subscribe("items", "Item", **query)
    anna.write(create(project, "c"))
    since, objects, epoch = live.version, live.objects, anna.call("info")["epoch"]
    own.kill()
    own.start()
    other = login()
    other.write(create(project, "d"))
    resumed = login().resume("items", "Item", objects, since, epoch, **query)
    assert [o["body"] for o in resumed.objects] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("round_", range(3))
def test_a_kill_under_load_loses_nothing_acknowledged_and_halves_no_transaction(own, round_):
    setup = Session(own.url)
    setup.login_as("setup")
    project = make_project(setup, access="everyone-write")
    acknowledged, sent = [], []
    enough = threading.Event()

    def load(number):
        try:
            with Session(own.url) as session:
                session.login_as(f"writer-{number}")
                for n in range(10_000):
                    pair = f"{number}-{n}"
                    sent.append(pair)
                    session.write(create(project, pair, notes="first"), create(project, pair, notes="second"), txn=pair)
                    acknowledged.append(pair)
                    if len(acknowledged) >= 60 * (round_ + 1):
                        enough.set()
        except (Closed, ConnectionError, OSError):
            pass
        except Exception as error:  # the socket library's own ways to say that the server is gone
            assert "close" in type(error).__name__.lower() + str(error).lower(), repr(error)

    writers = [threading.Thread(target=load, args=(n,)) for n in range(4)]
    for writer in writers:
        writer.start()
    assert enough.wait(30)
    own.kill()
    for writer in writers:
        writer.join(30)
    setup.close()
    own.start()
    with Session(own.url) as session:
        session.login_as("setup")
        found = {}
        for item in session.objects("Item", filter=OF, args=[project]):
            found.setdefault(item["body"], []).append(item["notes"])
        assert set(acknowledged) <= set(found) <= set(sent)
        assert all(sorted(notes) == ["first", "second"] for notes in found.values())
        assert session.get("Project", project)["itemCount"] == 2 * len(found)


# One server a folder


def test_a_second_server_on_the_same_folder_is_refused_with_a_clear_message(own, login):
    anna = login()
    second = run("--port", "0", "--data", own.data)
    assert second.returncode not in (0, None) and second.returncode > 0
    message = second.stderr + second.stdout
    assert own.data in message
    assert "Fatal error" not in message and len(message.splitlines()) <= 5
    assert anna.call("info")["protocol"] == "todosync.v1"
    make_project(anna)


def test_a_folder_can_be_used_again_after_an_orderly_end(own, login):
    project = make_project(login())
    assert own.stop() == 0
    own.start()
    assert login().get("Project", project)["projectId"] == project


def test_a_data_folder_is_made_where_there_is_none(start_server, tmp_path):
    start_server(data=tmp_path / "not" / "there" / "yet")
    assert os.listdir(tmp_path / "not" / "there" / "yet")


def test_a_second_server_on_another_folder_is_a_store_of_its_own(own, start_server, connect):
    other = start_server("--providers", "nickname")
    epochs = {connect(s).call("info")["epoch"] for s in (own, other)}
    assert len(epochs) == 2


# The end


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_on_a_signal_sessions_are_closed_with_1001_and_the_exit_code_is_0(own, login, number):
    sessions = [login(f"user-{n}") for n in range(5)]
    sessions[0].subscribe("projects", "Project")
    strangers = [Session(own.url) for _ in range(2)]
    own.signal(number)
    assert own.wait() == 0
    assert [s.closed_code() for s in sessions + strangers] == [1001] * 7


def test_what_is_queued_is_finished_before_the_end(own, login):
    anna = login()
    project = make_project(anna)
    numbers = [anna.start("write", {"changes": [create(project, str(n))]}) for n in range(50)]
    anna.finish(numbers[0])
    own.signal(signal.SIGTERM)
    answered = 1
    try:
        for number in numbers[1:]:
            anna.finish(number)
            answered += 1
    except Closed as closed:
        assert closed.code == 1001
    assert own.wait() == 0
    own.start()
    assert login().get("Project", project)["itemCount"] >= answered


def test_a_client_that_does_not_answer_the_close_does_not_hold_up_the_end(own):
    with raw.RawWebSocket(own.port) as deaf, raw.RawConnection(own.port) as silent:
        assert deaf.answers()
        silent.send(b"GET / HT")
        own.signal(signal.SIGTERM)
        assert own.wait() == 0


def test_while_a_session_is_waited_for_who_asks_is_told_that_the_server_goes_away(own):
    def status(path, *headers):
        with raw.RawConnection(own.port) as connection:
            return connection.request("GET", path, headers).status

    upgrade = raw.upgrade_headers("AAAAAAAAAAAAAAAAAAAAAA==")
    with raw.RawWebSocket(own.port) as deaf, raw.RawConnection(own.port) as kept:
        assert deaf.answers()
        assert kept.request("GET", "/readyz").status == 200
        own.signal(signal.SIGTERM)
        assert deaf.receive_close() == 1001
        assert kept.request("GET", "/sync", upgrade).status == 503
        assert [status(path) for path in ("/healthz", "/readyz")] == [200, 503]
        assert status("/sync", *upgrade) == 503
        assert own.wait() == 0


def test_no_connection_is_taken_once_the_server_has_ended(own):
    own.stop()
    eventually(lambda: not own.is_running, "the server ended")
    with pytest.raises(OSError):
        Session(own.url)


# The log


def test_the_log_holds_no_password_and_no_token(start_server):
    server = start_server("--providers", "password,nickname", "--log-level", "debug")
    secret = "s3cret-Password"
    with Session(server.url) as session:
        session.register("anna", secret)
        session.error("login", provider="password", username="ben", password=secret + "-wrong")
        session.send_text('{"jsonrpc":"2.0","id":1,"method":"login","params":{"provider":"password","password":"%s"}' % secret)
        session.receive_answer()
        with Session(server.url) as again:
            again.login_with_token(session.token)
        session.call("logout")
        session.error("login", provider="token", token=session.token)
    server.stop()
    printed = server.printed()
    assert secret not in printed and session.token not in printed


