"""Predicates that look over to the project of an item, or to the items of a project; also in live lists."""

import pytest

from conftest import create, delete, fresh, make_project, update


@pytest.fixture(scope="module")
def data(server):
    """Projects: empty (no items), open (two open), mixed (one open, one done), done (one done)."""
    from client import Session

    with Session(server.url) as session:
        session.login_as("relations")
        session.projects = {}
        for name, items in {"empty": "", "open": "oo", "mixed": "od", "done": "d"}.items():
            made = make_project(session, name=name, items=[{"body": f"{name} {x}", "isDone": x == "d"} for x in items])
            session.projects[made] = name
        yield session


def names(session, filter_, *args):
    return {session.projects[p] for p in session.ids("Project", filter=filter_, args=list(args))}


@pytest.mark.parametrize("filter_, expected", {
    "items.@count == 0": {"empty"},
    "items.@count > 1": {"open", "mixed"},
    "items.@count BETWEEN {1, 2}": {"open", "mixed", "done"},
    "ANY items.isDone == TRUE": {"mixed", "done"},
    "any items.isDone == FALSE": {"open", "mixed"},
    "ALL items.isDone == TRUE": {"empty", "done"},
    "NONE items.isDone == TRUE": {"empty", "open"},
    "ANY items.body CONTAINS 'd'": {"mixed", "done"},
    "NOT ANY items.isDone == TRUE": {"empty", "open"},
    "ANY items.isDone == TRUE AND items.@count == 1": {"done"},
}.items())  # fmt: skip
def test_a_project_is_found_by_its_items(data, filter_, expected):
    assert names(data, filter_) == expected


@pytest.mark.parametrize("filter_, count", {
    "project.name == 'open'": 2,
    "project.name == 'empty'": 0,
    "project.owner == $user": 5,
    "project.openCount == 1 AND isDone == TRUE": 1,
    "project.name BEGINSWITH[c] 'O' OR project.name == 'done'": 3,
    "project.access == 'private'": 5,
}.items())  # fmt: skip
def test_an_item_is_found_by_its_project(data, filter_, count):
    assert len(data.objects("Item", filter=filter_)) == count


@pytest.mark.parametrize("class_, filter_", [
    ("Item", "project.colour == 1"), ("Item", "project.owner.name == 'x'"), ("Item", "items.@count == 1"), ("Item", "project == 'x'"),
    ("Project", "items.colour == 1"), ("Project", "ANY items.colour == 1"), ("Project", "items.@sum > 1"), ("Project", "project.name == 'x'"),
    ("Project", "ANY name == 'x'"), ("Permission", "project.name == 'x'"),
])  # fmt: skip
def test_no_other_relation_can_be_named(data, class_, filter_):
    error = data.error("query", {"class": class_, "filter": filter_})
    assert (error.code, error.path) == (-32602, "filter")


def test_renaming_a_project_moves_its_items_in_and_out_of_a_live_list(anna):
    project = make_project(anna, name="Home", items=["a", "b"])
    live = anna.subscribe("home", "Item", filter="project.name == 'Home'", sort=["body"])
    assert len(live.objects) == 2
    anna.write(update(project, "Project", name="Away"))
    assert live.objects == []
    anna.write(create(project, "c"))
    anna.write(update(project, "Project", name="Home"))
    assert [o["body"] for o in live.objects] == ["a", "b", "c"]


def test_ticking_items_moves_a_project_in_and_out_of_a_live_list(anna):
    project = make_project(anna, items=[{"itemId": (one := fresh("i")), "body": "1"}, {"itemId": (two := fresh("i")), "body": "2"}])
    finished = anna.subscribe("finished", "Project", filter="ALL items.isDone == TRUE AND items.@count > 0")
    assert finished.objects == []
    anna.write(update(one, isDone=True))
    assert finished.objects == []
    anna.write(update(two, isDone=True))
    assert finished.keys == [project]
    anna.write(create(project, "3"))
    assert finished.objects == []
    anna.write({"delete": "Item", "filter": "body == '3'"})
    assert finished.keys == [project]
    anna.write(delete(one), delete(two))
    assert finished.objects == []
