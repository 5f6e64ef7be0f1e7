"""`todo-server user …`: accounts by the operator, with and without a running server."""

import os
import pty
import select
import stat
import subprocess
import time

import pytest

from client import RpcError
from conftest import make_project, permission
from process import Server, server_binary

PASSWORD = "correct horse"


def user(data, *arguments, password=None, environment=None):
    """Runs `todo-server user`; the completed process."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TODOSYNC_")}
    clean.update(environment or {})
    folder = ["--data", str(data)] if data else []
    return subprocess.run(
        [server_binary(), "user", *arguments, *folder],
        input=password and password + "\n",
        stdin=None if password else subprocess.DEVNULL,
        capture_output=True, text=True, timeout=30, env=clean,
    )  # fmt: skip


def done(result):
    assert result.returncode == 0, result.stderr
    return result.stdout


def refused(result, *words):
    assert result.returncode == 1, result.stdout + result.stderr
    for word in words:
        assert word in result.stderr, result.stderr


@pytest.fixture
def running(start_server):
    return start_server("--providers", "password,nickname")


def test_accounts_are_made_before_the_first_start(tmp_path, connect):
    data = tmp_path / "data"
    assert "Ada" in done(user(data, "add", "Ada", "--admin", password=PASSWORD))
    done(user(None, "add", "Ben", password=PASSWORD, environment={"TODOSYNC_DATA": str(data)}))
    with Server("--sign-up", "no", data=data) as server:
        ada = connect(server)
        assert ada.login_with_password("ada", PASSWORD)["user"]["isAdmin"] is True
        assert connect(server).login_with_password("Ben", PASSWORD)["user"]["isAdmin"] is False


def test_what_is_done_takes_effect_in_the_running_server(running, connect):
    done(user(running.data, "add", "Ada", password=PASSWORD))
    ada = connect(running)
    ada.login_with_password("Ada", PASSWORD)
    ben = connect(running)
    ben.login_as("Ben")
    project = make_project(ben)
    projects = ada.subscribe("all", "Project")
    assert projects.keys == []
    done(user(running.data, "admin", "ada"))
    ada.settle(ben.write({"update": "Project", "id": project, "set": {"name": "Renamed"}})["version"])
    assert projects.keys == [project]
    done(user(running.data, "admin", "Ada", "--off"))
    assert ada.get("Project", project) is None
    assert ada.error("write", changes=[{"delete": "Project", "id": project}]).code == -32003

    listed = done(user(running.data, "list")).splitlines()
    assert [line.split("\t")[0] for line in listed] == ["name", "Ada", "Ben"]
    assert listed[1].split("\t")[2:5] == ["user", "active", "password"]

    done(user(running.data, "passwd", "Ada", password="battery staple"))
    assert ada.closed_code() == 4002
    assert connect(running).error("login", provider="password", username="Ada", password=PASSWORD).code == -32008
    connect(running).login_with_password("Ada", "battery staple")


def test_a_suspension_closes_open_connections_at_once(running, connect):
    ben, again = connect(running), connect(running)
    ben.login_as("Ben")
    again.login_with_token(ben.token)
    project = make_project(ben)
    done(user(running.data, "suspend", "Ben"))
    ended = time.monotonic()
    assert [ben.closed_code(), again.closed_code()] == [4002, 4002]
    print(f"closed {1000 * (time.monotonic() - ended):.1f} ms behind the command's end")
    assert connect(running).error("login", provider="token", token=ben.token).code == -32009
    assert connect(running).error("login", provider="nickname", nickname="Ben").code == -32008
    done(user(running.data, "suspend", "Ben", "--lift"))
    ben = connect(running)
    ben.login_as("Ben")
    assert ben.ids("Project") == [project]


def test_a_deletion_says_what_becomes_of_projects(running, connect):
    ada, ben = connect(running), connect(running)
    ada.login_as("Ada")
    ben.login_as("Ben")
    own, shared = make_project(ada, items=["x"]), make_project(ben, editor=[ada.user_id])
    ada.write({"create": "Item", "object": {"projectId": shared, "itemId": "by-ada", "body": "y"}})
    permissions = ben.subscribe("permissions", "Permission", filter="projectId == $0", args=[shared])
    refused(user(running.data, "delete", "Ada"), "Ada", "1 projects")
    refused(user(running.data, "delete", "Ada", "--hand-over", "Nobody"), "Nobody")
    assert ada.ids("Project", filter="owner == $user") == [own]
    done(user(running.data, "delete", "Ada", "--hand-over", "Ben"))
    assert ada.closed_code() == 4002
    ben.settle(ben.write({"update": "Project", "id": own, "set": {"name": "Mine now"}})["version"])
    assert len(permissions.objects) == 1
    assert set(ben.ids("Project", filter="owner == $user")) == {own, shared}
    assert ben.get("Item", "by-ada")["createdBy"] == ada.user_id
    done(user(running.data, "delete", "Ben", "--delete-projects"))
    assert done(user(running.data, "list")).splitlines()[1:] == []


def test_it_works_in_the_same_way_on_a_stopped_server(running, connect):
    ben = connect(running)
    ben.login_as("Ben")
    project = make_project(ben)
    running.stop()
    assert not os.path.exists(os.path.join(running.data, "control"))
    refused(user(running.data, "admin", "Ben"), "nickname")
    refused(user(running.data, "delete", "Ben"), "1 projects")
    done(user(running.data, "suspend", "Ben"))
    running.start()
    assert connect(running).error("login", provider="token", token=ben.token).code == -32009
    done(user(running.data, "suspend", "Ben", "--lift"))
    again = connect(running)
    again.login_as("Ben")
    assert again.ids("Project") == [project]


def test_alone_it_says_what_it_did_and_nothing_else(tmp_path):
    data = tmp_path / "data"
    for arguments in (["add", "Ada"], ["passwd", "Ada"], ["admin", "Ada"], ["suspend", "Ada"], ["delete", "Ada"]):
        result = user(data, *arguments, password=PASSWORD)
        assert done(result).count("\n") == 1 and "Ada" in result.stdout
        assert result.stderr == ""
    result = user(data, "suspend", "Ada")
    refused(result, "no user named 'Ada'")
    assert result.stderr.count("\n") == 1 and "audit" not in result.stderr


def test_the_list_says_when_somebody_was_last_seen_who_has_logged_out(running, connect):
    done(user(running.data, "add", "Ada", password=PASSWORD))
    ben = connect(running)
    ben.login_as("Ben")
    ben.call("logout")

    def seen():
        return [line.split("\t")[5] for line in done(user(running.data, "list")).splitlines()[1:]]

    told = seen()
    assert told[0] == "never" and told[1].startswith("20")
    running.stop()
    assert seen() == told


def test_only_the_servers_user_reaches_the_control_socket_and_a_kill_leaves_no_harm(running):
    control = os.path.join(running.data, "control")
    mode = os.stat(control).st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600
    running.kill()
    assert os.path.exists(control)
    assert "name" in done(user(running.data, "list"))
    running.start()
    assert "name" in done(user(running.data, "list"))


def test_a_data_folder_with_a_long_path_will_do(tmp_path):
    data = tmp_path / ("long" * 20) / ("path" * 20)
    with Server(data=data):
        done(user(data, "add", "Ada", password=PASSWORD))


def test_nonsense_on_the_control_socket_harms_nobody(running, connect):
    import socket

    for nonsense in (b"", b"\n", b"{}\n", b'{"command":"delete"}\n', b"x" * 100_000, b'{"command":"add","name":"A","hash":"x","on":false}\n'):
        with socket.socket(socket.AF_UNIX) as channel:
            channel.connect(os.path.join(running.data, "control"))
            channel.settimeout(20)
            try:
                channel.sendall(nonsense)
                channel.shutdown(socket.SHUT_WR)
                channel.recv(4096)
            except (BrokenPipeError, ConnectionResetError):
                pass
    assert done(user(running.data, "list")).splitlines()[1:] == []
    connect(running).login_as("Ben")


@pytest.mark.parametrize("arguments, words", [
    (["frobnicate", "Ada"], ["frobnicate", "suspend"]), (["add"], ["one name"]), (["add", "A", "B"], ["one name"]), (["list", "A"], ["no name"]),
    (["add", "Ada", "--off"], ["--off"]), (["admin", "Ada", "--hand-over", "Ben"], ["--hand-over"]), (["add", "Ada", "--pasword", "x"], ["--pasword"]),
    (["delete", "Ada", "--hand-over", "Ben", "--delete-projects"], ["exclude"]), (["delete", "Ada", "--hand-over"], ["--hand-over"]),
])  # fmt: skip
def test_a_wrong_command_line_is_refused_with_what_would_be_right(tmp_path, arguments, words):
    result = user(tmp_path, *arguments, password=PASSWORD)
    assert result.returncode == 2
    for word in words:
        assert word in result.stderr


def test_a_password_is_asked_for_and_never_an_argument(tmp_path):
    for password in ("short", "x" * 1025):
        assert user(tmp_path / "data", "add", "Ada", password=password).returncode == 2
    assert user(tmp_path / "data", "add", "Ada").returncode == 2
    assert "usage" in done(user(None, "--help")) and "usage" in done(user(None))


def on_a_terminal(data, *arguments, typed):
    """Runs the command with a terminal as its standard input; (exit status, all that the terminal showed)."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [server_binary(), "user", *arguments, "--data", str(data)], stdin=slave, stdout=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    shown = b""
    try:
        for line in typed:
            while not shown.endswith(b": "):
                assert select.select([master], [], [], 30)[0], f"it waits for nothing that it asked for: {shown}"
                shown += os.read(master, 1024)
            os.write(master, line.encode() + b"\n")
            shown += b"|"
        while select.select([master], [], [], 30)[0]:
            shown += os.read(master, 1024)
        process.kill()
    except OSError:
        pass  # the other end is closed
    os.close(master)
    return process.wait(20), shown.decode()


def test_a_terminal_does_not_show_the_password(tmp_path):
    data = tmp_path / "data"
    status, shown = on_a_terminal(data, "add", "Ada", typed=[PASSWORD, PASSWORD])
    assert status == 0 and "Added 'Ada'" in shown
    assert PASSWORD not in shown
    status, shown = on_a_terminal(data, "passwd", "Ada", typed=[PASSWORD, "another one"])
    assert status == 2 and "not the same" in shown and "another one" not in shown
    status, shown = on_a_terminal(data, "passwd", "Ada", typed=[PASSWORD + "\x03"])
    assert status == 2 and "nothing was changed" in shown


def test_a_folder_without_a_store_is_not_made(tmp_path):
    assert user(tmp_path / "data", "list").returncode == 2
    assert not (tmp_path / "data").exists()
