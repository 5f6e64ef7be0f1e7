"""One user's heavy writes hold up others for one of them at most, and what ends log-ins for none that has not begun.

Versions tell in which order the server did things: no time is looked at.
"""

import pytest

from client import Closed
from conftest import create, make_project

ITEMS = 1000
CONNECTIONS = 4
WRITES = 8


@pytest.fixture
def hog(person):
    """Connections of one user, who has a project of many items; each has a token of its own."""
    first = person("hog")
    first.heavy = make_project(first)
    first.write(*[create(first.heavy, f"{n:04}") for n in range(ITEMS)])
    return [first] + [person(again=first) for _ in range(CONNECTIONS - 1)]


def send_heavy(connections):
    """Sends more heavy writes than the server does at once, and waits for the first answer; the others wait in the server then."""
    project = connections[0].heavy
    sent = []
    for n in range(WRITES):
        for connection in connections:
            change = {"update": "Item", "filter": "projectId == $0", "args": [project], "set": {"body": f"{len(sent)}"}}
            sent.append((connection, connection.start("write", {"changes": [change]})))
    connection, number = sent.pop(0)
    connection.finish(number)
    return sent


def versions(sent):
    return [connection.finish(number)["version"] for connection, number in sent]


def test_small_writes_go_before_the_heavy_ones_of_another_user_that_wait(hog, person):
    ben = person("ben")
    project = make_project(ben)
    sent = send_heavy(hog)
    small = [ben.write(create(project, f"{n}"))["version"] for n in range(3)]
    heavy = versions(sent)
    assert len([version for version in heavy if version > small[-1]]) > len(heavy) // 4


def test_ending_a_session_goes_before_the_heavy_writes_of_others_that_wait(hog, person):
    ann = person("ann")
    phone = person(again=ann)
    project = make_project(ann)
    other = next(session["id"] for session in ann.call("sessions")["sessions"] if not session["current"])
    sent = send_heavy(hog)
    ann.call("session.end", {"id": other})
    assert phone.closed_code() == 4002
    behind = ann.write(create(project, "still here"))["version"]
    heavy = versions(sent)
    assert len([version for version in heavy if version > behind]) > len(heavy) // 4


def test_ending_the_sessions_of_who_writes_heavily_ends_the_writes(hog):
    keeper, *others = hog
    ids = [session["id"] for session in keeper.call("sessions")["sessions"] if not session["current"]]
    others[0].heavy = keeper.heavy
    sent = send_heavy(others)
    for session in ids:
        keeper.call("session.end", {"id": session})
    version = keeper.query("Item", limit=1)["version"]
    answered = 1
    for connection in others:
        with pytest.raises(Closed) as closed:
            while True:
                connection.receive_answer()
                answered += 1
        assert closed.value.code == 4002
    assert answered < len(sent) + 1
    assert keeper.query("Item", limit=1)["version"] == version, "nothing was written behind the end"
