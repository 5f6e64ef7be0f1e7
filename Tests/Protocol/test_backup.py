"""The epoch of a store's history: a restart keeps it, a copy that is put back or started begins another one."""

import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import time

import pytest

from client import Session
from conftest import create, make_project
from process import Server, eventually, run, server_binary

FLAGS = ("--providers", "password,nickname")
COPIED = "was copied or restored from a copy: lists that clients hold are sent anew"
DATABASE = "todosync.db"


class Operator:
    """A server on a folder of its own, what an operator does to that folder, and a client that holds a list."""

    def __init__(self, folder):
        self.folder = folder
        self.data = folder / "data"
        self.backup = folder / "backup"
        self.server = Server(*FLAGS, data=self.data)
        self.query = {"sort": ["body"]}
        with self.login() as anna:
            self.token = anna.token
            self.project = make_project(anna, items=["old"])

    def login(self, server=None):
        session = Session((server or self.server).url)
        session.login_as("anna")
        return session

    def info(self, server=None):
        with self.login(server) as session:
            return session.call("info")

    def write(self, *bodies):
        with self.login() as anna:
            for body in bodies:
                anna.write(create(self.project, body))

    def hold(self):
        """The client takes the list, and goes."""
        with self.login() as anna:
            live = anna.subscribe("list", "Item", **self.query)
            return list(live.objects), live.version, anna.call("info")["epoch"]

    def resume(self, held, server=None):
        """The client comes back with what it held; the list must be right. Whether it was resumed."""
        objects, since, epoch = held
        with self.login(server) as anna:
            live = anna.resume("list", "Item", objects, since, epoch, **self.query)
            assert live.objects == anna.objects("Item", **self.query)
            return live.result["resumed"]

    def marks(self, folder=None):
        return sorted(p.name for p in (folder or self.data).glob("history-*.mark"))

    def logged(self):
        return "".join(self.server.errors).count(COPIED)

    def check_log(self, words, server=None):
        """The line is there once; it comes on another stream than the address."""
        eventually(lambda: "".join((server or self.server).errors).count(words) == 1, f"{words!r} is logged")

    def close(self):
        self.server.close()


@pytest.fixture
def operator(tmp_path):
    operator = Operator(tmp_path)
    yield operator
    operator.close()


def shell(*command):
    subprocess.run(command, check=True, timeout=60)


def move(o):
    o.data.rename(o.folder / "elsewhere")
    (o.folder / "elsewhere").rename(o.data)


def set_owner(o):
    """As containers do at each start: owners and rights are what they were, and yet everything has changed."""
    shell("chown", "-R", f"{os.getuid()}:{os.getgid()}", str(o.data))
    shell("chmod", "-R", "u+rw", str(o.data))


def operators_command(o):
    assert run("user", "list", "--data", str(o.data)).returncode == 0


@pytest.mark.parametrize("meanwhile", [lambda o: None, move, set_owner, operators_command], ids=["nothing", "mv", "chown", "user-list"])
def test_a_restart_keeps_the_epoch(operator, meanwhile):
    held = operator.hold()
    operator.write("more")
    for _ in range(2):
        assert operator.server.stop() == 0
        meanwhile(operator)
        operator.server.start()
        assert operator.info()["epoch"] == held[2] and operator.logged() == 0
        assert len(operator.marks()) == 1
    assert operator.resume(held)


def test_a_kill_keeps_the_epoch(operator):
    held = operator.hold()
    operator.write("more")
    for _ in range(2):
        operator.server.kill()
        operator.server.start()
        assert operator.info()["epoch"] == held[2] and operator.logged() == 0
    assert operator.resume(held)


def test_kills_in_the_middle_of_starting_and_stopping_keep_the_epoch_and_leave_no_heap_of_marks(operator):
    epoch = operator.info()["epoch"]
    operator.server.stop()
    generator = random.Random(7)
    for turn in range(30):
        process = subprocess.Popen(
            [server_binary(), *operator.server.flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=operator.folder)
        if turn % 3 == 2:
            # In the middle of stopping.
            while not (operator.data / "control").exists() and process.poll() is None:
                time.sleep(0.001)
            process.terminate()
        time.sleep(generator.uniform(0, 0.06))
        process.kill()
        process.wait()
        (operator.data / "control").unlink(missing_ok=True)
        assert 1 <= len(operator.marks()) <= 2, operator.marks()
    operator.server.start()
    assert operator.info()["epoch"] == epoch and operator.logged() == 0
    assert len(operator.marks()) == 1


# What is copied, and how it is put back: each takes the operator, and leaves the folder as a restore does.


def folder_over_a_removed_one(o):
    shutil.rmtree(o.data)
    shell("cp", "-r", str(o.backup), str(o.data))


def forget_the_log(o):
    """What belongs to the database that is replaced: SQLite would bring it up to date with it."""
    for suffix in ("-wal", "-shm"):
        (o.data / (DATABASE + suffix)).unlink(missing_ok=True)


def folder_by_cp_in_place(o):
    forget_the_log(o)
    shell("cp", "-r", f"{o.backup}/.", str(o.data))


def folder_by_cp_a_in_place(o):
    forget_the_log(o)
    shell("cp", "-a", f"{o.backup}/.", str(o.data))


def folder_by_tar(o):
    shutil.rmtree(o.data)
    o.data.mkdir()
    shell("sh", "-c", f"tar -C '{o.backup}' -c . | tar -C '{o.data}' -x")


def folder_by_renames(o):
    """As rsync does: each file that differs is written beside its place and renamed over it; the others are left alone."""
    for file in filter(pathlib.Path.is_file, o.backup.iterdir()):
        target = o.data / file.name
        if target.exists() and (target.stat().st_size, target.stat().st_mtime_ns) == (file.stat().st_size, file.stat().st_mtime_ns):
            continue
        shutil.copy2(file, o.data / ".partial")
        (o.data / ".partial").rename(target)
    for file in o.data.iterdir():
        if not (o.backup / file.name).exists():
            file.unlink()


def database_in_place(o):
    forget_the_log(o)
    shell("cp", str(o.backup / DATABASE), str(o.data / DATABASE))


def database_by_rename(o):
    forget_the_log(o)
    shutil.copy2(o.backup / DATABASE, o.data / ".partial")
    (o.data / ".partial").rename(o.data / DATABASE)


WAYS = [
    folder_over_a_removed_one,
    folder_by_cp_in_place,
    folder_by_cp_a_in_place,
    folder_by_tar,
    folder_by_renames,
    database_in_place,
    database_by_rename,
]


def check_restored(operator, held):
    """Others have written until the numbers of versions are past where the client stands: it must not be told changes of another history."""
    operator.check_log(COPIED)
    epoch = operator.info()["epoch"]
    assert epoch != held[2]
    operator.write(*[f"new {n}" for n in range(8)])
    assert operator.info()["version"] > held[1]
    assert operator.resume(held) is False
    now = operator.hold()
    operator.server.stop()
    operator.server.start()
    assert operator.info()["epoch"] == epoch and operator.logged() == 0
    assert operator.resume(now)
    assert len(operator.marks()) == 1


@pytest.mark.parametrize("restore", WAYS)
@pytest.mark.parametrize("ends", ["stop", "kill"])
def test_a_copy_of_the_stopped_server_that_is_put_back_begins_a_new_history(operator, restore, ends):
    operator.server.stop()
    shell("cp", "-a", str(operator.data), str(operator.backup))
    operator.server.start()
    operator.write(*[f"lost {n}" for n in range(5)])
    held = operator.hold()
    getattr(operator.server, ends)()
    restore(operator)
    operator.server.start()
    check_restored(operator, held)


@pytest.mark.parametrize("restore", [database_in_place, database_by_rename])
def test_a_backup_that_sqlite_made_of_the_running_server_begins_a_new_history(operator, restore):
    operator.backup.mkdir()
    with sqlite3.connect(operator.data / DATABASE) as source, sqlite3.connect(operator.backup / DATABASE) as target:
        source.backup(target)
    source.close()
    target.close()
    operator.write(*[f"lost {n}" for n in range(5)])
    held = operator.hold()
    operator.server.stop()
    restore(operator)
    operator.server.start()
    check_restored(operator, held)


@pytest.mark.parametrize("restore", [w for w in WAYS if w is not database_in_place])
def test_a_copy_of_a_killed_server_that_is_put_back_after_a_kill_begins_a_new_history(operator, restore):
    operator.server.kill()
    shell("cp", "-a", str(operator.data), str(operator.backup))
    operator.server.start()
    operator.write(*[f"lost {n}" for n in range(5)])
    held = operator.hold()
    operator.server.kill()
    if restore is database_by_rename:
        # What the killed server left beside its database belongs to the copy.
        for suffix in ("-wal", "-shm"):
            shutil.copy2(operator.backup / (DATABASE + suffix), operator.data / (DATABASE + suffix))
        shutil.copy2(operator.backup / DATABASE, operator.data / ".partial")
        (operator.data / ".partial").rename(operator.data / DATABASE)
    else:
        restore(operator)
    operator.server.start()
    check_restored(operator, held)


def test_a_copy_that_is_started_beside_the_original_has_a_history_of_its_own(operator):
    held = operator.hold()
    operator.server.stop()
    shell("cp", "-a", str(operator.data), str(operator.backup))
    operator.server.start()
    with Server(*FLAGS, data=operator.backup) as second:
        assert operator.info()["epoch"] == held[2] and operator.logged() == 0
        assert operator.info(second)["epoch"] != held[2]
        operator.check_log(COPIED, second)
        assert operator.resume(held, second) is False
    assert operator.resume(held) is True


def test_what_was_remembered_and_who_was_logged_in_stays_over_a_restore(operator):
    with operator.login() as anna:
        first = anna.write(create(operator.project, "once"), txn="t1")
    operator.server.stop()
    shell("cp", "-a", str(operator.data), str(operator.backup))
    operator.server.start()
    operator.write("lost")
    operator.server.stop()
    folder_over_a_removed_one(operator)
    operator.server.start()
    with Session(operator.server.url) as anna:
        anna.login_with_token(operator.token)
        again = anna.write(create(operator.project, "once"), txn="t1")
        assert again["duplicate"] is True and again["ids"] == first["ids"]


def test_an_operator_begins_a_new_history_by_a_flag_for_one_start(operator):
    held = operator.hold()
    operator.server.stop()
    flags = list(operator.server.flags)
    operator.server.flags.append("--new-epoch")
    operator.server.start()
    epoch = operator.info()["epoch"]
    assert epoch != held[2] and operator.resume(held) is False
    operator.check_log("a new history has begun")
    operator.server.stop()
    operator.server.flags = flags
    operator.server.start()
    assert operator.info()["epoch"] == epoch
    assert "--new-epoch" in run("--help").stdout


def test_a_folder_that_takes_no_mark_costs_clients_their_lists_and_nothing_else(operator):
    """A position that is handed out where a copy could not be found out later must mean nothing later."""
    held = operator.hold()
    operator.server.stop()
    # No mark can be made and recorded where no row can be: as on a full disk, but for this table alone.
    with sqlite3.connect(operator.data / DATABASE) as database:
        database.execute("CREATE TRIGGER full BEFORE INSERT ON history_mark BEGIN SELECT RAISE(ABORT, 'no room'); END")
    database.close()
    marks = operator.marks()
    operator.server.start()
    operator.check_log("no room")
    assert operator.marks() == marks
    unkept = operator.hold()
    assert unkept[2] != held[2] and operator.resume(held) is False
    operator.write("more")
    operator.server.kill()
    with sqlite3.connect(operator.data / DATABASE) as database:
        database.execute("DROP TRIGGER full")
    database.close()
    operator.server.start()
    assert operator.info()["epoch"] == held[2]
    assert operator.resume(unkept) is False and operator.resume(held) is True
