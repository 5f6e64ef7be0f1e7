"""Fixtures: one server for each module, people who log in to it, and servers with flags of their own."""

import itertools
import pathlib
import tempfile

import pytest

from client import Session
from process import Server

_nicknames = itertools.count(1)

PAGE = b"<!doctype html><title>Page</title><p>The page.</p>"


def write_public(folder):
    """A small `Public/` with a file of each type."""
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "index.html").write_bytes(PAGE)
    (folder / "app.js").write_bytes(b"export const x = 1;\n")
    (folder / "style.css").write_bytes(b"p { color: green }\n")
    (folder / "icon.svg").write_bytes(b'<svg xmlns="http://www.w3.org/2000/svg"/>')
    (folder / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "data.json").write_bytes(b"{}")
    (folder / "empty.css").write_bytes(b"")
    (folder / "deep" / "er" / "file.js").write_bytes(b"2\n")


@pytest.fixture(scope="session")
def public():
    """A public folder with a file beside it that must stay unseen."""
    with tempfile.TemporaryDirectory(prefix="todosync-public-") as parent:
        folder = pathlib.Path(parent) / "public"
        folder.mkdir()
        write_public(folder)
        (pathlib.Path(parent) / "secret.txt").write_text("SECRET")
        (folder / "link.txt").symlink_to("../secret.txt")
        (folder / "linked").symlink_to("..", target_is_directory=True)
        yield folder


@pytest.fixture(scope="module")
def server(public):
    """The server of this module: both kinds of log-in, private projects, an empty store."""
    with Server("--providers", "password,nickname", "--access", "private", "--public", str(public)) as started:
        yield started
        assert started.is_running, "the server ended by itself. " + started.printed()


@pytest.fixture
def start_server():
    """Starts further servers with flags of their own; stopped after the test."""
    started = []

    def start(*flags, **options):
        started.append(Server(*flags, **options))
        return started[-1]

    yield start
    for one in reversed(started):
        one.close()


@pytest.fixture
def connect(server):
    """Opens sessions that have not logged in: each third one of a test without compression, unless it says."""
    sessions = []

    def connect(to=None, **options):
        if len(sessions) % 3 == 2:
            options.setdefault("compression", None)
        sessions.append(Session((to or server).url, **options))
        return sessions[-1]

    yield connect
    for session in sessions:
        session.close()


def nickname(name):
    """A nickname that nobody has had in this run."""
    return f"{name}-{next(_nicknames)}"


@pytest.fixture
def person(connect):
    """Opens a session and logs in under a fresh nickname; `again=session` opens a second one of the same user."""

    def person(name="user", again=None, to=None):
        session = connect(to)
        session.login_as(again.user["name"] if again else nickname(name))
        return session

    return person


@pytest.fixture
def anna(person):
    return person("anna")


@pytest.fixture
def ben(person):
    return person("ben")


_fresh = itertools.count(1)


def fresh(prefix="x"):
    """An id that nothing else in this run has."""
    return f"{prefix}{next(_fresh)}"


@pytest.fixture
def project(anna):
    """The id of a private project of Anna's."""
    return make_project(anna)


def make_project(owner, /, name="Project", access="private", items=(), **roles):
    """Creates a project with `items` (bodies, or objects) and `roles` (viewer=[user ids], …); its id."""
    project = fresh("p")
    changes = [{"create": "Project", "object": {"projectId": project, "name": name, "access": access}}]
    for item in items:
        item = {"body": item} if isinstance(item, str) else item
        changes.append({"create": "Item", "object": {"projectId": project, **item}})
    for role, users in roles.items():
        for user in users:
            changes.append(permission(project, user, role))
    owner.write(*changes)
    return project


def permission(project, user, role):
    """The change that gives a user a role."""
    return {"upsert": "Permission", "object": {"projectId": project, "userId": user, "role": role}}


def create(project, body="Body", **fields):
    return {"create": "Item", "object": {"projectId": project, "body": body, **fields}}


def update(item, /, class_="Item", **fields):
    return {"update": class_, "id": item, "set": fields}


def delete(item, /, class_="Item"):
    return {"delete": class_, "id": item}
