"""The matrix: role × method × object. Each cell is what that role is answered with, through every method of the protocol.

`ok` is a result; a number an error's code. Who may not see a thing is answered as if it did not exist, and hears of its right only
where it sees.
"""

import pathlib
import re
import subprocess

import pytest

from client import RpcError, Session
from conftest import fresh, make_project, permission
from process import Server, server_binary

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "PROTOCOL.md"
ROLES = ["anonymous", "outsider", "reader", "writer", "viewer", "editor", "owner", "admin"]

OK, LOGIN, FORBIDDEN, UNSEEN, CONFLICT, INVALID, CREDENTIALS = "ok", -32001, -32002, -32003, -32004, -32602, -32009


def by_right(viewer, editor, owner, outsider=UNSEEN):
    """What each role is answered with, by what viewers, editors and owners are; everybody sees an open project as a viewer or an editor."""
    return [LOGIN, outsider, viewer, editor, viewer, editor, owner, owner]


SEE = by_right(OK, OK, OK)
EDIT = by_right(FORBIDDEN, OK, OK)
OWN = by_right(FORBIDDEN, FORBIDDEN, OK)
ALL = [LOGIN] + [OK] * 7
ADMIN = [LOGIN] + [FORBIDDEN] * 6 + [OK]


class World:
    """A project of Anna's with an item, an invitation and a presence of hers, in which one role has its right."""

    def __init__(self, anna, subject, role):
        access = {"reader": "everyone-read", "writer": "everyone-write"}.get(role, "private")
        self.item, self.other, self.presence = fresh("i"), fresh("i"), fresh("h")
        roles = {role: [subject.user_id]} if role in ("viewer", "editor", "owner") else {}
        items = [{"itemId": self.item, "body": "One"}, {"itemId": self.other, "body": "Two"}]
        self.project = make_project(anna, items=items, access=access, **roles)
        anna.write({"create": "Presence", "object": {"presenceId": self.presence, "projectId": self.project}})
        self.invite = anna.call("invite.create", projectId=self.project, role="viewer", uses=5)
        self.anna, self.subject = anna, subject
        self.own = f"{self.project}:{subject.user_id}" if subject.user else "none:none"
        self.annas = f"{self.project}:{anna.user_id}"


def write(change):
    return "write", lambda w: {"changes": [change(w)]}


def of(class_, id_, **fields):
    return {"update": class_, "id": id_, "set": fields}


ROWS = {
    # Objects of a project
    "create an item": (*write(lambda w: {"create": "Item", "object": {"projectId": w.project, "body": "b"}}), EDIT),
    "upsert a new item": (*write(lambda w: {"upsert": "Item", "object": {"itemId": fresh("i"), "projectId": w.project, "body": "b"}}), EDIT),
    "upsert a known item": (*write(lambda w: {"upsert": "Item", "object": {"itemId": w.item, "projectId": w.project, "body": "b"}}), EDIT),
    "create onto a known item": (
        *write(lambda w: {"create": "Item", "object": {"itemId": w.item, "projectId": w.project, "body": "b"}}),
        by_right(FORBIDDEN, CONFLICT, CONFLICT),
    ),
    "update an item": (*write(lambda w: of("Item", w.item, body="New")), EDIT),
    "update an item if": (
        *write(lambda w: {**of("Item", w.item, body="New"), "if": {"body": "other"}}), by_right(FORBIDDEN, CONFLICT, CONFLICT)),
    "move an item": (*write(lambda w: {"move": "Item", "id": w.other, "before": w.item}), EDIT),
    "delete an item": (*write(lambda w: {"delete": "Item", "id": w.item}), EDIT),
    "assign an item": (*write(lambda w: of("Item", w.item, assignee=w.anna.user_id)), EDIT),
    "rename a project": (*write(lambda w: of("Project", w.project, name="New")), EDIT),
    "open a project": (*write(lambda w: of("Project", w.project, access="everyone-read")), OWN),
    "create onto a known project": (
        *write(lambda w: {"create": "Project", "object": {"projectId": w.project, "name": "N"}}), [LOGIN] + [CONFLICT] * 7),
    "delete a project": (*write(lambda w: {"delete": "Project", "id": w.project}), OWN),
    "give a permission by id": (*write(lambda w: permission(w.project, w.anna.user_id, "owner")), OWN),
    "give a permission by name": (
        *write(lambda w: {"upsert": "Permission", "object": {"projectId": w.project, "userName": w.anna.user["name"], "role": "owner"}}), OWN),
    "give a permission to an unknown name": (
        *write(lambda w: {"create": "Permission", "object": {"projectId": w.project, "userName": "nobody-at-all", "role": "viewer"}}),
        by_right(FORBIDDEN, FORBIDDEN, UNSEEN),
    ),
    "raise the own role": (*write(lambda w: permission(w.project, w.own.split(":")[1], "owner")), OWN),
    "demote the last owner": (
        *write(lambda w: of("Permission", w.annas, role="viewer")), [LOGIN, UNSEEN] + [FORBIDDEN] * 4 + [OK, CONFLICT]),
    "remove another's permission": (
        *write(lambda w: {"delete": "Permission", "id": w.annas}), [LOGIN, UNSEEN] + [FORBIDDEN] * 4 + [OK, CONFLICT]),
    "leave": (*write(lambda w: {"delete": "Permission", "id": w.own}), [LOGIN, UNSEEN, UNSEEN, UNSEEN, OK, OK, OK, UNSEEN]),
    "write a user": (*write(lambda w: {"delete": "User", "id": w.anna.user_id}), [LOGIN] + [INVALID] * 7),
    # Presences
    "be present": (*write(lambda w: {"create": "Presence", "object": {"projectId": w.project, "state": {"at": w.item}}}), SEE),
    "change another's presence": (
        *write(lambda w: of("Presence", w.presence, state=1)), by_right(FORBIDDEN, FORBIDDEN, FORBIDDEN)),
    "remove another's presence": (
        *write(lambda w: {"delete": "Presence", "id": w.presence}), by_right(FORBIDDEN, FORBIDDEN, FORBIDDEN)),
    # Invitations
    "invite": ("invite.create", lambda w: {"projectId": w.project, "role": "owner"}, OWN),
    "list invitations": ("invite.list", lambda w: {"projectId": w.project}, OWN),
    "take an invitation back": ("invite.revoke", lambda w: {"inviteId": w.invite["inviteId"]}, OWN),
    "take an invitation": ("invite.accept", lambda w: {"code": w.invite["code"]}, ALL),
    "take a wrong invitation": ("invite.accept", lambda w: {"code": w.invite["code"][::-1]}, [LOGIN] + [UNSEEN] * 7),
    # Users
    "find a user by name": ("findUser", lambda w: {"name": w.anna.user["name"]}, ALL),
    "find an unknown name": ("findUser", lambda w: {"name": "nobody-at-all"}, [LOGIN] + [UNSEEN] * 7),
    "find an unknown id": ("findUser", lambda w: {"userId": "nobody"}, [LOGIN] + [UNSEEN] * 7),
    # Lists
    "query": ("query", lambda w: {"class": "Item", "filter": "projectId == $0", "args": [w.project]}, ALL),
    "unsubscribe from nothing": ("unsubscribe", lambda w: {"name": "nothing"}, [LOGIN] + [UNSEEN] * 7),
    # Admins
    "statistics": ("admin.stats", lambda w: {}, ADMIN),
    "users": ("admin.users", lambda w: {}, ADMIN),
    "sessions": ("admin.sessions", lambda w: {"userId": w.anna.user_id}, ADMIN),
    "sessions with nonsense": ("admin.sessions", lambda w: {"nonsense": w.project}, ADMIN[:-1] + [INVALID]),
    "disconnect nobody": ("admin.disconnect", lambda w: {"sessionId": "9-999999"}, ADMIN[:-1] + [UNSEEN]),
    "delete a user who owns": ("admin.deleteUser", lambda w: {"userId": w.anna.user_id}, ADMIN[:-1] + [CONFLICT]),
    "delete an unknown user": ("admin.deleteUser", lambda w: {"userId": "nobody"}, ADMIN[:-1] + [UNSEEN]),
    # Of the connection
    "info": ("info", lambda w: {}, [OK] * 8),
    "the own sessions": ("sessions", lambda w: {}, ALL),
    "end a session that is none": ("session.end", lambda w: {"id": "none"}, [LOGIN] + [UNSEEN] * 7),
    "a token that is none": ("login", lambda w: {"provider": "token", "token": "none"}, [CREDENTIALS] * 8),
    "an unknown method": ("nothing", lambda w: {}, [-32601] * 8),
}

# In tests of their own, below, in test_accounts.py and in test_passwords.py.
ELSEWHERE = {"register", "logout", "changePassword", "subscribe"}
PASSWORD = "correct horse"


@pytest.fixture(scope="module")
def server():
    """An admin comes into being by the operator's hand, and has a password."""
    with Server("--providers", "password,nickname", "--access", "private") as started:
        with Session(started.url) as session:
            session.register("Root", PASSWORD)
        subprocess.run([server_binary(), "user", "admin", "Root", "--data", str(started.data)], check=True, stdout=subprocess.DEVNULL)
        yield started
        assert started.is_running, started.printed()


@pytest.fixture(scope="module")
def people(server):
    """A session for each role, and Anna's, which lasts for the module."""
    sessions = {role: Session(server.url) for role in ROLES + ["anna"]}
    for role, session in sessions.items():
        if role == "admin":
            session.login_with_password("Root", PASSWORD)
        elif role != "anonymous":
            session.login_as(f"the {role}")
    yield sessions
    for session in sessions.values():
        session.close()


def attempt(session, method, params):
    try:
        session.call(method, params)
    except RpcError as error:
        return error.code
    return OK


@pytest.mark.parametrize("row", ROWS)
def test_each_role_is_answered_as_the_matrix_says(people, server, row):
    method, params, expected = ROWS[row]
    answers = []
    for role in ROLES:
        session = people[role]
        if role == "anonymous":  # which has ten seconds only
            session = Session(server.url)
        world = World(people["anna"], session, role)
        answers.append(attempt(session, method, params(world)))
        if role == "anonymous":
            session.close()
        for key in session.ids("Presence", filter="userId == $user") if role != "anonymous" else []:
            session.write({"delete": "Presence", "id": key})
        if people["anna"].get("Project", world.project) and not people["anna"].objects(
            "Permission", filter="permissionId == $0 AND role == 'owner'", args=[world.annas]
        ):
            continue
        people["anna"].call("write", changes=[{"delete": "Project", "filter": "projectId == $0", "args": [world.project]}])
    assert dict(zip(ROLES, answers)) == dict(zip(ROLES, expected))


def test_the_matrix_goes_through_every_method_of_the_protocol():
    table = PAGE.read_text().split("## Methods", 1)[1].split("### ", 1)[0]
    listed = {name for line in table.splitlines() if line.startswith("| [`") for name in re.findall(r"`([A-Za-z.]+)`", line.split("|")[1])}
    assert len(listed) > 15
    covered = {method for method, _, _ in ROWS.values()} | ELSEWHERE
    assert listed - covered == set(), "methods that the matrix leaves out"


@pytest.mark.parametrize("class_", ["Project", "Item", "Permission", "User", "Presence"])
def test_each_role_sees_of_each_class_what_it_may(people, class_):
    """By query and by live list alike, of all and of one."""
    key = {"Project": "projectId", "Item": "itemId", "Permission": "permissionId", "User": "userId", "Presence": "presenceId"}[class_]
    for role in ROLES[1:]:
        session = people[role]
        world = World(people["anna"], session, role)
        one = {
            "Project": world.project, "Item": world.item, "Permission": world.annas, "User": world.anna.user_id,
            "Presence": world.presence,
        }[class_]  # fmt: skip
        sees = role != "outsider"
        live = session.subscribe("all", class_)
        single = session.subscribe("one", class_, filter=f"{key} == $0", args=[one])
        assert [o[key] for o in single.objects] == ([one] if sees else []), role
        assert (one in [o[key] for o in live.objects]) == sees, role
        assert [o[key] for o in session.objects(class_, filter=f"{key} == $0", args=[one])] == ([one] if sees else []), role
        for name in ("all", "one"):
            session.unsubscribe(name)
        people["anna"].write({"delete": "Project", "id": world.project})


def test_a_presence_is_gone_at_once_when_its_connection_is(people, server):
    world = World(people["anna"], people["viewer"], "viewer")
    live = people["viewer"].subscribe("here", "Presence", filter="projectId == $0", args=[world.project])
    with Session(server.url) as second:
        second.login_as("the viewer")
        second.write({"create": "Presence", "object": {"projectId": world.project, "state": [1]}})
        while len(live.objects) < 2:
            people["viewer"].receive()
        second.abort()
    while len(live.objects) > 1:
        people["viewer"].receive()
    people["viewer"].unsubscribe("here")
    people["anna"].write({"delete": "Project", "id": world.project})


def test_an_invitation_outlives_a_restart_and_the_presences_do_not(start_server):
    server = start_server("--providers", "nickname")
    with Session(server.url) as anna:
        anna.login_as("Anna")
        project = make_project(anna)
        code = anna.call("invite.create", projectId=project, role="editor")["code"]
        anna.write({"create": "Presence", "object": {"projectId": project}})
    assert server.stop() == 0
    assert code.encode() not in pathlib.Path(server.data, "todosync.db").read_bytes()
    server.start()
    with Session(server.url) as ben:
        ben.login_as("Ben")
        assert ben.call("invite.accept", code=code) == {"projectId": project}
        assert ben.objects("Presence") == []
        assert ben.get("Project", project)["projectId"] == project
    assert code not in server.printed()
