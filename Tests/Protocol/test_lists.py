"""`subscribe`, `unsubscribe` and `query`: parameters, the first list, names, one list replaced by another."""

import pytest

from conftest import create, delete, fresh, make_project, update
from replica import LiveList

OF = "projectId == $0"


@pytest.fixture
def three(anna):
    """A project of Anna's with the items a, b and c."""
    return make_project(anna, items=["a", "b", "c"])


def bodies(objects):
    return [o["body"] for o in objects]


# query


def test_a_query_tells_objects_and_version(anna, three):
    result = anna.query("Item", filter=OF, args=[three], sort=["body"])
    assert set(result) == {"version", "objects"}
    assert bodies(result["objects"]) == ["a", "b", "c"]


def test_the_version_of_a_query_is_the_commit_it_reflects(anna, project):
    version = anna.write(create(project))["version"]
    assert anna.query("Item", filter=OF, args=[project])["version"] == version
    later = anna.write(create(project))["version"]
    assert later > version
    assert anna.query("Item", filter=OF, args=[project])["version"] == later


def test_a_query_without_a_filter_tells_all_that_the_caller_may_see(anna, ben, three):
    assert len(anna.objects("Item")) == 3
    assert ben.objects("Item") == []
    assert anna.ids("Project") == [three]
    assert anna.ids("Permission") == [f"{three}:{anna.user_id}"]
    assert anna.ids("User") == [anna.user_id]


def test_limit_and_offset_cut_a_window_out_of_the_sorted_list(anna, three):
    def window(**cut):
        return bodies(anna.objects("Item", filter=OF, args=[three], sort=["body"], **cut))

    assert window(limit=2) == ["a", "b"]
    assert window(offset=1) == ["b", "c"]
    assert window(limit=1, offset=1) == ["b"]
    assert window(offset=0, limit=100) == ["a", "b", "c"]
    assert window(offset=3) == window(offset=1_000_000) == []


def test_an_integral_number_is_an_integer(anna, three):
    anna.send_text('{"jsonrpc":"2.0","id":9,"method":"query","params":{"class":"Item","limit":2.0,"offset":1.0,"sort":["body"]}}')
    assert bodies(anna.finish(9)["objects"]) == ["b", "c"]


PARAMETERS = {
    "no class": ({"class": None}, "class"),
    "an unknown class": ({"class": "Nothing"}, "class"),
    "a class in lower case": ({"class": "item"}, "class"),
    "a number as class": ({"class": 1}, "class"),
    "a number as filter": ({"filter": 5}, "filter"),
    "an array as filter": ({"filter": ["isDone"]}, "filter"),
    "nul in the filter": ({"filter": "body == 'a\0'"}, "filter"),
    "args that are no array": ({"filter": OF, "args": "p"}, "args"),
    "an object as argument": ({"filter": OF, "args": [{}]}, "args[0]"),
    "nul in an argument": ({"filter": OF, "args": ["a\0"]}, "args[0]"),
    "a sort that is no array": ({"sort": "body"}, "sort"),
    "a sort of a number": ({"sort": ["body", 1]}, "sort[1]"),
    "a sort by an unknown field": ({"sort": ["colour"]}, "sort[0]"),
    "a sort by nothing": ({"sort": [""]}, "sort[0]"),
    "a sort by a sign alone": ({"sort": ["-"]}, "sort[0]"),
    "a sort by an array field": ({"sort": ["attachments"]}, "sort[0]"),
    "a sort by a hop": ({"sort": ["project.name"]}, "sort[0]"),
    "a sort with an unknown option": ({"sort": ["body[x]"]}, "sort[0]"),
    "a limit of 0": ({"limit": 0}, "limit"),
    "a limit below all counting": ({"limit": -(2**70)}, "limit"),
    "a negative limit": ({"limit": -1}, "limit"),
    "a limit with a fraction": ({"limit": 1.5}, "limit"),
    "a string as limit": ({"limit": "3"}, "limit"),
    "a boolean as limit": ({"limit": True}, "limit"),
}


@pytest.mark.parametrize("changed, path", PARAMETERS.values(), ids=PARAMETERS.keys())
@pytest.mark.parametrize("method", ["query", "subscribe"])
def test_bad_parameters_are_refused_with_their_path(anna, method, changed, path):
    params = {"class": "Item", **changed}
    if method == "subscribe":
        params["name"] = "refused"
    error = anna.error(method, params)
    assert (error.code, error.path) == (-32602, path)


@pytest.mark.parametrize("offset", [-1, 1.5, "1", True])
def test_a_bad_offset_is_refused(anna, offset):
    error = anna.error("query", {"class": "Item", "offset": offset})
    assert (error.code, error.path) == (-32602, "offset")


@pytest.mark.parametrize("member", ["name", "since", "epoch", "update"])
def test_a_query_takes_no_parameter_of_a_subscription(anna, member):
    error = anna.error("query", {"class": "Item", member: "1"})
    assert (error.code, error.path) == (-32602, member)


def test_a_subscription_takes_no_offset(anna):
    error = anna.error("subscribe", {"name": "n", "class": "Item", "offset": 1})
    assert (error.code, error.path) == (-32602, "offset")


# subscribe and initial


def test_the_result_of_a_subscription_comes_before_its_data(anna, three):
    anna.lists["items"] = LiveList("items")
    number = anna.start("subscribe", {"name": "items", "class": "Item", "filter": OF, "args": [three]})
    first = anna.receive()
    assert first["id"] == number
    assert first["result"]["name"] == "items"
    anna.wait_complete(anna.lists["items"])


def test_a_first_list_is_complete_with_objects_and_version(anna, three):
    version = anna.query("Item")["version"]
    live = anna.subscribe("items", "Item", filter=OF, args=[three], sort=["body"])
    assert bodies(live.objects) == ["a", "b", "c"]
    assert live.version == version
    assert live.objects == anna.objects("Item", filter=OF, args=[three], sort=["body"])


def test_an_empty_list_is_one_part_without_objects(anna, project):
    anna.subscribe("items", "Item", filter=OF, args=[project])
    version = anna.query("Item")["version"]
    assert anna.take_initials() == [{"name": "items", "index": 0, "objects": [], "state": "complete", "version": version}]


@pytest.mark.parametrize("wide", [2**63 - 1, 2**63, 2**70, 1e30], ids=str)
def test_a_limit_that_no_list_reaches_is_like_none(anna, three, wide):
    query = dict(filter=OF, args=[three], sort=["body"])
    everything = anna.objects("Item", **query)
    assert anna.objects("Item", limit=wide, **query) == everything
    assert anna.objects("Item", limit=wide, offset=wide, **query) == []
    assert anna.subscribe("items", "Item", limit=wide, **query).objects == everything


def test_a_whole_number_that_is_too_big_is_told_so(anna, three):
    error = anna.refused({"update": "Project", "id": three, "set": {"name": 1e30}})
    assert "not whole" not in str(error)
    error = anna.refused({"create": "Item", "object": {"projectId": three, "body": "x", "priority": 1e30}})
    assert (error.code, error.data["reason"]) == (-32602, "outOfRange") and "not whole" not in error.message
    error = anna.refused({"update": "Project", "id": three, "set": {"name": "x"}, "if": {"itemCount": 1e30}})
    assert error.code == -32004


def test_a_limit_cuts_the_first_list(anna, three):
    live = anna.subscribe("items", "Item", filter=OF, args=[three], sort=["-body"], limit=2)
    assert bodies(live.objects) == ["c", "b"]


@pytest.mark.parametrize("class_, fields", [
    ("Project", {"projectId", "owner", "name", "timestamp", "itemCount", "openCount", "access"}),
    ("Item", {"itemId", "projectId", "body", "isDone", "completedAt", "timestamp", "dueDate", "notes", "priority", "position",
              "createdBy", "assignee", "attachments"}),
    ("Permission", {"permissionId", "projectId", "userId", "role"}),
    ("User", {"userId", "name", "isAdmin"}),
])  # fmt: skip
def test_objects_have_exactly_the_fields_of_their_class(anna, three, class_, fields):
    live = anna.subscribe("all", class_)
    assert live.objects and all(set(o) == fields for o in live.objects)


def test_all_classes_can_be_subscribed_at_once(anna, three):
    lists = [anna.subscribe(c, c) for c in ("Project", "Item", "Permission", "User")]
    assert [len(live.objects) for live in lists] == [1, 3, 1, 1]


# Names


@pytest.mark.parametrize("name", ["a", "x" * 128, "é" * 64, "with space / and \"", "\U0001f600"])
def test_names_of_1_to_128_bytes_are_taken(anna, name):
    live = anna.subscribe(name, "Item", filter="FALSEPREDICATE")
    assert live.is_complete
    anna.unsubscribe(name)


@pytest.mark.parametrize("name", ["", "x" * 129, "é" * 65, None, 5, ["n"], "nul\0"])
def test_other_names_are_refused(anna, name):
    error = anna.error("subscribe", {"name": name, "class": "Item"})
    assert (error.code, error.path) == (-32602, "name")


def test_the_same_name_and_query_again_succeeds_and_sends_nothing(anna, three):
    query = dict(filter=OF, args=[three], sort=["body"], limit=2)
    live = anna.subscribe("items", "Item", **query)
    anna.take_initials()
    again = anna.subscribe("items", "Item", **query)
    anna.subscribe("items", "Item", update=True, **query)
    anna.subscribe("items", "Item", since=0, epoch="other", **query)
    anna.call("info")
    assert again is live and anna.take_initials() == [] and anna.take_changes() == []
    anna.write(create(three, "0"))
    assert bodies(live.objects) == ["0", "a"]


OTHER_QUERIES = {
    "class": {"class": "Project"},
    "filter": {"filter": "projectId == $0 AND TRUEPREDICATE"},
    "spaces in the filter": {"filter": "projectId  ==  $0"},
    "args": {"args": ["other"]},
    "sort": {"sort": ["-body"]},
    "limit": {"limit": 3},
    "no limit": {"limit": None},
}


@pytest.mark.parametrize("other", OTHER_QUERIES.values(), ids=OTHER_QUERIES.keys())
def test_the_same_name_with_another_query_is_a_conflict(anna, three, other):
    query = {"name": "items", "class": "Item", "filter": OF, "args": [three], "sort": ["body"], "limit": 2}
    live = anna.subscribe("items", "Item", filter=OF, args=[three], sort=["body"], limit=2)
    if other.get("class") == "Project":
        other = {"class": "Project", "sort": None}
    assert anna.error("subscribe", {**query, **other}).code == -32004
    assert anna.error("subscribe", {**query, **other, "update": False}).code == -32004
    anna.write(create(three, "0"))
    assert bodies(live.objects) == ["0", "a"]


def test_update_replaces_the_query(anna, three):
    live = anna.subscribe("items", "Item", filter=OF, args=[three], sort=["body"])
    anna.replace("items", "Item", filter=OF, args=[three], sort=["-body"], limit=2)
    assert bodies(live.objects) == ["c", "b"]
    anna.write(create(three, "d"))
    assert bodies(live.objects) == ["d", "c"]


def test_update_may_change_the_class(anna, three):
    live = anna.subscribe("mine", "Item", filter=OF, args=[three])
    anna.replace("mine", "Project")
    assert live.keys == [three]
    anna.write(update(three, "Project", name="New"))
    assert live.objects[0]["name"] == "New"


def test_update_of_an_unknown_name_subscribes(anna, three):
    live = anna.subscribe("items", "Item", update=True, filter=OF, args=[three])
    assert len(live.objects) == 3


@pytest.mark.parametrize("bad", [{"filter": "nothing == 1"}, {"limit": 0}, {"sort": ["nothing"]}, {"class": "Nothing"}])
def test_a_refused_update_leaves_the_old_list_alive(anna, three, bad):
    live = anna.subscribe("items", "Item", filter=OF, args=[three], sort=["body"])
    assert anna.error("subscribe", {"name": "items", "class": "Item", "update": True, **bad}).code == -32602
    anna.write(create(three, "d"))
    assert bodies(live.objects) == ["a", "b", "c", "d"]


def test_a_refused_subscription_leaves_its_name_free(anna, three):
    anna.error("subscribe", {"name": "items", "class": "Item", "filter": "nothing == 1"})
    assert len(anna.subscribe("items", "Item", filter=OF, args=[three]).objects) == 3


def test_a_name_belongs_to_its_session(anna, person, three):
    other = person(again=anna)
    ascending = anna.subscribe("items", "Item", filter=OF, args=[three], sort=["body"])
    descending = other.subscribe("items", "Item", filter=OF, args=[three], sort=["-body"])
    other.settle(anna.write(create(three, "d"))["version"])
    assert bodies(ascending.objects) == ["a", "b", "c", "d"]
    assert bodies(descending.objects) == ["d", "c", "b", "a"]


def test_two_names_may_stand_for_the_same_query(anna, three):
    lists = [anna.subscribe(name, "Item", filter=OF, args=[three], sort=["body"]) for name in ("one", "two")]
    anna.write(create(three, "d"))
    assert [bodies(live.objects) for live in lists] == [["a", "b", "c", "d"]] * 2


# unsubscribe


def test_no_change_for_a_name_follows_its_unsubscribe(anna, person, three):
    other = person(again=anna)
    anna.subscribe("items", "Item", filter=OF, args=[three])
    anna.subscribe("projects", "Project")
    anna.unsubscribe("items")
    anna.settle(other.write(create(three, "d"))["version"])
    changes = anna.take_changes()
    assert [[u["name"] for u in c["updates"]] for c in changes] == [["projects"]]


def test_a_name_can_be_used_again_after_unsubscribe(anna, three):
    anna.subscribe("items", "Item", filter=OF, args=[three])
    anna.unsubscribe("items")
    assert anna.subscribe("items", "Project").keys == [three]


def test_unsubscribing_an_unknown_name_is_refused(anna):
    assert anna.error("unsubscribe", name="unknown").code == -32003
    anna.subscribe("once", "Item", filter="FALSEPREDICATE")
    anna.unsubscribe("once")
    assert anna.error("unsubscribe", name="once").code == -32003


@pytest.mark.parametrize("params", [{}, {"name": 5}, {"name": None}])
def test_unsubscribe_needs_a_name(anna, params):
    error = anna.error("unsubscribe", params)
    assert (error.code, error.path) == (-32602, "name")


# Objects enter and leave by the filter


def test_a_list_of_deleted_objects_runs_empty(anna, three):
    live = anna.subscribe("items", "Item", filter=OF, args=[three])
    for item in list(live.keys):
        anna.write(delete(item))
    assert live.objects == []


def test_a_list_over_a_project_that_does_not_exist_yet_fills_when_it_does(anna):
    later = fresh("later")
    live = anna.subscribe("items", "Item", filter=OF, args=[later])
    assert live.objects == []
    anna.write({"create": "Project", "object": {"projectId": later, "name": "Later"}}, create(later, "first"))
    assert bodies(live.objects) == ["first"]


def test_a_list_by_user_holds_what_the_user_owns(anna, ben):
    own = make_project(anna)
    make_project(ben, viewer=[anna.user_id])
    live = anna.subscribe("own", "Project", filter="owner == $user")
    assert live.keys == [own]
