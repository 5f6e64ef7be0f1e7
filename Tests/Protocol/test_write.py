"""`write`: each kind of change, defaults, server-kept fields, validation with its path, dates, strings."""

import re

import pytest

from client import RpcError
from conftest import create, delete, fresh, make_project, update

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
OF = "projectId == $0"


def item_of(session, result, index=0):
    return session.get("Item", result["ids"][index])


@pytest.fixture
def item(anna, project):
    """The id of an item in Anna's project."""
    return anna.write(create(project, itemId=fresh("i")))["ids"][0]


# create


def test_a_created_project_has_its_defaults(anna):
    result = anna.write({"create": "Project", "object": {"name": "Home"}})
    (id_,) = result["ids"]
    assert ID.fullmatch(id_)
    made = anna.get("Project", id_)
    assert DATE.fullmatch(made.pop("timestamp"))
    assert made == {
        "projectId": id_, "owner": anna.user_id, "name": "Home", "itemCount": 0, "openCount": 0, "access": "private",
    }  # fmt: skip


def test_creating_a_project_makes_the_caller_its_owner(anna, project):
    assert anna.objects("Permission", filter=OF, args=[project]) == [
        {"permissionId": f"{project}:{anna.user_id}", "projectId": project, "userId": anna.user_id, "role": "owner"}
    ]


def test_a_created_item_has_its_defaults(anna, project):
    made = item_of(anna, anna.write(create(project, "Buy milk")))
    assert ID.fullmatch(made.pop("itemId"))
    assert DATE.fullmatch(made.pop("timestamp"))
    assert isinstance(made["position"], str) and made.pop("position")
    assert made == {
        "projectId": project, "body": "Buy milk", "isDone": False, "completedAt": None, "dueDate": None, "notes": "", "priority": 0,
        "createdBy": anna.user_id, "assignee": None, "attachments": [],
    }  # fmt: skip


def test_a_created_item_has_the_given_fields(anna, project):
    given = {
        "itemId": fresh("given_-"), "body": "", "isDone": True, "dueDate": "2026-11-30T01:02:03.123Z", "notes": "Two\nlines",
        "priority": 3, "assignee": anna.user_id,
    }  # fmt: skip
    result = anna.write(create(project, **given))
    assert result["ids"] == [given["itemId"]]
    made = item_of(anna, result)
    assert {field: made[field] for field in given} == given
    assert made["completedAt"] == made["timestamp"]


def test_null_for_an_optional_field_is_its_absence(anna, project):
    made = item_of(anna, anna.write(create(project, dueDate=None, assignee=None)))
    assert made["dueDate"] is None and made["assignee"] is None


@pytest.mark.parametrize("access", ["private", "everyone-read", "everyone-write"])
def test_a_project_takes_each_access(anna, access):
    id_ = anna.write({"create": "Project", "object": {"name": "N", "access": access}})["ids"][0]
    assert anna.get("Project", id_)["access"] == access
    anna.write(delete(id_, "Project"))


def test_a_client_may_choose_ids_of_1_to_64_characters(anna, project):
    run = fresh("")
    for id_ in (f"A-Z_{run}", "x" * (64 - len(run)) + run, f"{run}-4f0c1e2d-0000-4000-8000-000000000000"[:64], f"-{run}", f"_{run}"):
        assert anna.write(create(project, itemId=id_))["ids"] == [id_]
        assert anna.get("Item", id_)["itemId"] == id_


def test_an_id_that_exists_is_a_conflict(anna, project, item):
    assert anna.refused(create(project, itemId=item)).code == -32004
    assert anna.refused({"create": "Project", "object": {"projectId": project, "name": "N"}}).code == -32004


def test_ids_of_different_classes_do_not_clash(anna, project):
    assert anna.write(create(project, itemId=project))["ids"] == [project]


def test_an_item_of_a_project_that_does_not_exist_is_refused(anna):
    assert anna.refused(create("nowhere")).code == -32003


# update


def test_an_update_sets_the_given_fields_only(anna, item):
    before = anna.get("Item", item)
    assert anna.write(update(item, body="New", priority=2))["ids"] == [None]
    assert anna.get("Item", item) == {**before, "body": "New", "priority": 2}


def test_an_update_renames_a_project(anna, project):
    before = anna.get("Project", project)
    anna.write(update(project, "Project", name="New"))
    assert anna.get("Project", project) == {**before, "name": "New"}


def test_a_null_clears_an_optional_field(anna, item):
    anna.write(update(item, dueDate="2026-01-01T00:00:00Z", assignee=anna.user_id))
    assert anna.get("Item", item)["assignee"] == anna.user_id
    anna.write(update(item, dueDate=None, assignee=None))
    cleared = anna.get("Item", item)
    assert cleared["dueDate"] is None and cleared["assignee"] is None


@pytest.mark.parametrize("class_", ["Project", "Item", "Permission"])
def test_an_update_or_deletion_of_what_does_not_exist_is_refused(anna, class_):
    field = {"Project": {"name": "N"}, "Item": {"body": "B"}, "Permission": {"role": "viewer"}}[class_]
    id_ = "no:one" if class_ == "Permission" else "nothing"
    assert anna.refused(update(id_, class_, **field)).code == -32003
    assert anna.refused(delete(id_, class_)).code == -32003


def test_a_deletion_wins_over_a_later_update(anna, item):
    anna.write(delete(item))
    assert anna.refused(update(item, body="Late")).code == -32003
    assert anna.refused(delete(item)).code == -32003
    assert anna.get("Item", item) is None


def test_a_deleted_id_can_be_created_again(anna, project, item):
    anna.write(delete(item))
    anna.write(create(project, "Again", itemId=item))
    assert anna.get("Item", item)["body"] == "Again"


def test_deleting_a_project_deletes_its_items_and_permissions(anna, ben):
    gone = make_project(anna, items=["a", "b"], viewer=[ben.user_id])
    kept = make_project(anna, items=["c"])
    anna.write(delete(gone, "Project"))
    for session in (anna, ben):
        for class_ in ("Project", "Item", "Permission"):
            assert session.objects(class_, filter=OF, args=[gone]) == []
    assert len(anna.objects("Item", filter=OF, args=[kept])) == 1
    assert anna.write({"create": "Project", "object": {"projectId": gone, "name": "Again"}})["ids"] == [gone]
    assert anna.objects("Item", filter=OF, args=[gone]) == []
    assert len(anna.objects("Permission", filter=OF, args=[gone])) == 1


# upsert


def test_an_upsert_inserts_what_is_missing(anna, project):
    id_ = fresh("i")
    assert anna.write({"upsert": "Item", "object": {"itemId": id_, "projectId": project, "body": "Eggs"}})["ids"] == [id_]
    made = anna.get("Item", id_)
    assert (made["body"], made["priority"], made["notes"], made["createdBy"]) == ("Eggs", 0, "", anna.user_id)


def test_an_upsert_updates_the_given_fields_of_what_exists(anna, project, item):
    anna.write(update(item, notes="Kept", priority=1))
    before = anna.get("Item", item)
    result = anna.write({"upsert": "Item", "object": {"itemId": item, "projectId": project, "body": "New"}})
    assert result["ids"] == [item]
    assert anna.get("Item", item) == {**before, "body": "New"}


def test_an_upsert_of_what_exists_needs_only_the_key(anna, item):
    before = anna.get("Item", item)
    assert anna.write({"upsert": "Item", "object": {"itemId": item, "priority": 2}})["ids"] == [item]
    assert anna.get("Item", item) == {**before, "priority": 2}


def test_an_upsert_of_equal_values_changes_nothing_and_tells_the_id(anna, item):
    before = anna.query("Item", filter="itemId == $0", args=[item])
    result = anna.write({"upsert": "Item", "object": {"itemId": item, "body": "Body"}})
    assert result == {"version": before["version"], "ids": [item]}
    assert anna.query("Item", filter="itemId == $0", args=[item]) == before


def test_an_upsert_works_for_projects(anna):
    id_ = fresh("p")
    anna.write({"upsert": "Project", "object": {"projectId": id_, "name": "One"}})
    anna.write({"upsert": "Project", "object": {"projectId": id_, "name": "Two"}})
    assert anna.get("Project", id_)["name"] == "Two"
    assert len(anna.objects("Permission", filter=OF, args=[id_])) == 1


# The transaction as a whole


def test_a_transaction_tells_an_id_for_each_entry(anna, project):
    run = fresh("i")
    result = anna.write(
        create(project),
        create(project, itemId=f"{run}a"),
        update(f"{run}a", body="x"),
        {"upsert": "Item", "object": {"itemId": f"{run}b", "projectId": project, "body": "y"}},
        {"move": "Item", "id": f"{run}a", "to": "start"},
        {"update": "Item", "filter": OF, "args": [project], "set": {"priority": 1}},
        delete(f"{run}b"),
        {"delete": "Item", "filter": OF, "args": [project]},
    )
    assert ID.fullmatch(result["ids"][0])
    assert result["ids"][1:] == [f"{run}a", None, f"{run}b", None, None, None, None]
    assert type(result["version"]) is int
    assert anna.objects("Item", filter=OF, args=[project]) == []


def test_an_entry_sees_what_those_before_it_did(anna):
    project, item = fresh("p"), fresh("i")
    anna.write(
        {"create": "Project", "object": {"projectId": project, "name": "N"}},
        create(project, itemId=item),
        update(item, body="Second"),
        {"update": "Item", "id": item, "set": {"body": "Third"}, "if": {"body": "Second"}},
    )
    assert anna.get("Item", item)["body"] == "Third"


def test_a_refused_entry_undoes_the_whole_transaction(anna, project, item):
    before = anna.query("Item", filter=OF, args=[project])
    error = anna.refused(create(project), update(item, body="Gone"), delete("nothing"), create(project))
    assert error.code == -32003
    assert anna.query("Item", filter=OF, args=[project]) == before
    assert anna.get("Project", project)["itemCount"] == 1


def test_all_entries_are_checked_before_any_meets_the_store(anna, project):
    error = anna.refused(delete("nothing"), create(project, colour="red"))
    assert (error.code, error.path) == (-32602, "changes[1].object.colour")


def test_the_first_entry_that_the_store_refuses_tells_why(anna, project, item):
    assert anna.refused(create(project, itemId=item), delete("nothing")).code == -32004
    assert anna.refused(delete("nothing"), create(project, itemId=item)).code == -32003


def test_a_transaction_that_changes_nothing_takes_no_version(anna, project, item):
    version = anna.query("Item")["version"]
    assert anna.write() == {"version": version, "ids": []}
    assert anna.write(update(item, body="Body")) == {"version": version, "ids": [None]}
    assert anna.write(update(item, body="x"), update(item, body="Body"))["version"] == version
    assert anna.write({"delete": "Item", "filter": "FALSEPREDICATE"})["version"] == version
    assert anna.query("Item")["version"] == version


def test_all_dates_of_one_transaction_are_equal(anna):
    project = fresh("p")
    result = anna.write(
        {"create": "Project", "object": {"projectId": project, "name": "N"}},
        *[create(project, f"{n}", isDone=n % 2 == 0) for n in range(200)],
    )
    dates = {anna.get("Project", project)["timestamp"]}
    for item in anna.objects("Item", filter=OF, args=[project]):
        dates |= {item["timestamp"], item["completedAt"]}
    assert len(dates - {None}) == 1
    assert len(result["ids"]) == 201


def test_a_changes_list_of_1000_entries_is_taken(anna, project):
    assert len(anna.write(*[create(project, str(n)) for n in range(1000)])["ids"]) == 1000
    assert anna.get("Project", project)["itemCount"] == 1000


def test_a_changes_list_of_over_1000_entries_names_the_limit(anna, project):
    error = anna.refused(*[create(project, str(n)) for n in range(1001)])
    assert error.code == -32005
    assert error.data["maximum"] == 1000 and error.data["limit"]
    assert anna.get("Project", project)["itemCount"] == 0


# Validation

X = "changes[0]"
ENTRIES = {
    "no entry": (None, X),
    "a number": (1, X),
    "an array": ([], X),
    "an unknown class": ({"create": "Nothing", "object": {}}, f"{X}.create"),
    "a class in lower case": ({"create": "item", "object": {}}, f"{X}.create"),
    "a number as class": ({"delete": 1, "id": "i"}, f"{X}.delete"),
    "no object": ({"create": "Item"}, f"{X}.object"),
    "an object that is none": ({"create": "Item", "object": []}, f"{X}.object"),
    "no set": ({"update": "Item", "id": "i"}, f"{X}.set"),
    "a set that is no object": ({"update": "Item", "id": "i", "set": "body"}, f"{X}.set"),
    "an if that is no object": ({"update": "Item", "id": "i", "set": {"body": "b"}, "if": True}, f"{X}.if"),
    "a number as id": ({"delete": "Item", "id": 7}, f"{X}.id"),
    "an unknown member of a create": ({"create": "Item", "object": {"projectId": "p", "body": "b"}, "colour": 1}, f"{X}.colour"),
    "an unknown member of an update": ({"update": "Item", "id": "i", "set": {"body": "b"}, "sett": {}}, f"{X}.sett"),
    "an unknown member of a deletion": ({"delete": "Item", "id": "i", "cascade": True}, f"{X}.cascade"),
    "a set in a deletion": ({"delete": "Item", "id": "i", "set": {}}, f"{X}.set"),
    "an object in an update": ({"update": "Item", "id": "i", "object": {}}, f"{X}.object"),
    "an unknown field in an object": (create("p", colour="red"), f"{X}.object.colour"),
    "an unknown field in a set": (update("i", colour="red"), f"{X}.set.colour"),
    "an unknown field in an if": ({"update": "Item", "id": "i", "set": {"body": "b"}, "if": {"colour": 1}}, f"{X}.if.colour"),
    "a misfit in an if": ({"update": "Item", "id": "i", "set": {"body": "b"}, "if": {"isDone": 1}}, f"{X}.if.isDone"),
    "an item without a project": ({"create": "Item", "object": {"body": "b"}}, f"{X}.object.projectId"),
    "an item without a body": ({"create": "Item", "object": {"projectId": "p"}}, f"{X}.object.body"),
    "a project without a name": ({"create": "Project", "object": {}}, f"{X}.object.name"),
    "a filter that is no string": ({"delete": "Item", "filter": 1}, f"{X}.filter"),
    "a filter with an error": ({"delete": "Item", "filter": "colour == 1"}, f"{X}.filter"),
    "an argument that does not fit": ({"delete": "Item", "filter": "body == $0", "args": [1]}, f"{X}.args[0]"),
    "a filter form with an if": (
        {"update": "Item", "filter": "isDone == TRUE", "set": {"body": "b"}, "if": {"isDone": True}}, f"{X}.if",
    ),
    "an unknown place to move to": ({"move": "Item", "id": "i", "to": "middle"}, f"{X}.to"),
    "a number to move after": ({"move": "Item", "id": "i", "after": 1}, f"{X}.after"),
}  # fmt: skip


@pytest.mark.parametrize("entry, path", ENTRIES.values(), ids=ENTRIES.keys())
def test_a_malformed_entry_is_refused_with_its_path(anna, entry, path):
    error = anna.refused(entry)
    assert (error.code, error.path) == (-32602, path)


SHAPES = {
    "no verb": {"object": {}},
    "an empty entry": {},
    "two verbs": {"create": "Item", "delete": "Item", "id": "i", "object": {"projectId": "p", "body": "b"}},
    "an unknown verb": {"remove": "Item", "id": "i"},
    "neither id nor filter": {"delete": "Item"},
    "both id and filter": {"delete": "Item", "id": "i", "filter": "TRUEPREDICATE"},
    "a move to nowhere": {"move": "Item", "id": "i"},
    "a move to two places": {"move": "Item", "id": "i", "after": "a", "before": "b"},
    "a move of a project": {"move": "Project", "id": "i", "to": "start"},
    "a move by filter": {"move": "Item", "filter": "TRUEPREDICATE", "to": "start"},
    "an upsert by filter": {"upsert": "Item", "filter": "TRUEPREDICATE", "object": {"itemId": "i"}},
}


@pytest.mark.parametrize("entry", SHAPES.values(), ids=SHAPES.keys())
def test_an_entry_of_no_known_shape_is_refused(anna, entry):
    error = anna.refused(entry)
    assert error.code == -32602
    assert error.path.startswith("changes[0]")


@pytest.mark.parametrize("params, path", [
    ({}, "changes"),
    ({"changes": {}}, "changes"),
    ({"changes": "x"}, "changes"),
    ({"changes": None}, "changes"),
    ({"changes": [], "txn": 5}, "txn"),
    ({"changes": [], "txn": ""}, "txn"),
    ({"changes": [], "txn": "x" * 65}, "txn"),
    ({"changes": [], "txn": "a b"}, "txn"),
    ({"changes": [], "txn": "é"}, "txn"),
])  # fmt: skip
def test_bad_parameters_of_a_write_are_refused_with_their_path(anna, params, path):
    error = anna.error("write", params)
    assert (error.code, error.path) == (-32602, path)


def test_the_path_names_the_entry_by_its_index(anna, project):
    good = create(project)
    error = anna.refused(good, good, good, update("i", dueDate="tomorrow"), good)
    assert (error.code, error.path) == (-32602, "changes[3].set.dueDate")


VALUES = {
    "projectId": [1, None, "", "a b", "é", "x" * 65, ["p"]],
    "itemId": [1, "", "a b", "a/b", "é", "x" * 65, "a:b", {"id": "i"}],
    "body": [1, None, True, ["b"], {}, "x" * 10_001, "é" * 5_001, "a\0b", "\0"],
    "isDone": [0, 1, "true", [], {}],
    "dueDate": [0, True, "", "tomorrow", {}],
    "notes": [1, False, [], "x" * 100_001, "é" * 50_001, "\0"],
    "priority": [-1, 4, 1.5, "1", True, [1], 1e30],
    "assignee": [1, True, [], "a b"],
}


@pytest.mark.parametrize("field, value", [(f, v) for f, values in VALUES.items() for v in values], ids=lambda v: repr(v)[:20])
def test_a_value_that_does_not_fit_an_item_is_refused(anna, project, field, value):
    entry = create(project)
    entry["object"][field] = value
    error = anna.refused(entry)
    assert (error.code, error.path) == (-32602, f"changes[0].object.{field}")


@pytest.mark.parametrize("field, value", [(f, v) for f, values in VALUES.items() if f not in ("projectId", "itemId") for v in values[:3]], ids=lambda v: repr(v)[:20])
def test_a_value_that_does_not_fit_is_refused_in_a_set_too(anna, item, field, value):
    error = anna.refused(update(item, **{field: value}))
    assert (error.code, error.path) == (-32602, f"changes[0].set.{field}")


@pytest.mark.parametrize("field, value", [
    ("name", ""), ("name", "x" * 501), ("name", "é" * 251), ("name", 1), ("name", None), ("name", "a\0"),
    ("access", "public"), ("access", ""), ("access", 1), ("access", "Private"), ("projectId", "a b"), ("projectId", ""),
])  # fmt: skip
def test_a_value_that_does_not_fit_a_project_is_refused(anna, field, value):
    error = anna.refused({"create": "Project", "object": {"name": "N", **{field: value}}})
    assert (error.code, error.path) == (-32602, f"changes[0].object.{field}")


@pytest.mark.parametrize("role", ["admin", "", "Owner", 1, None])
def test_a_role_that_does_not_exist_is_refused(anna, ben, project, role):
    error = anna.refused({"create": "Permission", "object": {"projectId": project, "userId": ben.user_id, "role": role}})
    assert (error.code, error.path) == (-32602, "changes[0].object.role")


KEPT = {
    "Project": {"owner": "u", "timestamp": "2026-01-01T00:00:00Z", "itemCount": 1, "openCount": 1},
    "Item": {"completedAt": "2026-01-01T00:00:00Z", "timestamp": "2026-01-01T00:00:00Z", "position": "a", "createdBy": "u", "attachments": []},
    "Permission": {"permissionId": "p:u"},
}
NEEDED = {"Project": {"name": "N"}, "Item": {"projectId": "p", "body": "B"}, "Permission": {"projectId": "p", "userId": "u", "role": "viewer"}}


@pytest.mark.parametrize("class_, field, value", [(c, f, v) for c, fields in KEPT.items() for f, v in fields.items()])
def test_a_field_that_the_server_keeps_cannot_be_set(anna, class_, field, value):
    error = anna.refused({"create": class_, "object": {**NEEDED[class_], field: value}})
    assert (error.code, error.path) == (-32602, f"changes[0].object.{field}")
    error = anna.refused({"update": class_, "id": "p:u", "set": {field: value}} if class_ == "Permission" else update("x", class_, **{field: value}))
    assert (error.code, error.path) == (-32602, f"changes[0].set.{field}")
    error = anna.refused({"update": class_, "filter": "TRUEPREDICATE", "set": {field: value}})
    assert (error.code, error.path) == (-32602, f"changes[0].set.{field}")


@pytest.mark.parametrize("class_, key", [("Project", "projectId"), ("Item", "itemId")])
def test_a_primary_key_cannot_be_set(anna, class_, key):
    error = anna.refused(update("x", class_, **{key: "y"}))
    assert (error.code, error.path) == (-32602, f"changes[0].set.{key}")


def test_lengths_are_taken_to_their_last_byte(anna, project):
    made = item_of(anna, anna.write(create(project, "é" * 5_000, notes="x" * 100_000)))
    assert made["body"] == "é" * 5_000 and made["notes"] == "x" * 100_000
    id_ = anna.write({"create": "Project", "object": {"name": "\U0001f600" * 125}})["ids"][0]
    assert anna.get("Project", id_)["name"] == "\U0001f600" * 125


@pytest.mark.parametrize("number, value", [("1.0", 1), ("2e0", 2), ("30e-1", 3), ("0.0", 0), ("-0", 0)])
def test_an_integral_number_is_an_integer_in_a_field(anna, project, number, value):
    anna.send_text(
        '{"jsonrpc":"2.0","id":1000,"method":"write","params":{"changes":[{"create":"Item","object":'
        '{"projectId":"%s","body":"b","priority":%s}}]}}' % (project, number)
    )
    stored = item_of(anna, anna.finish(1000))["priority"]
    assert stored == value and type(stored) is int


# Strings


STRINGS = {
    "composed and decomposed": "\u00e9 e\u0301",
    "beyond the first plane": "\U0001f600\U0010ffff",
    "controls": "\x01\x1f\x7f\u0080\t\r\n\b\f",
    "quotes and slashes": '"\\/\'</script>',
    "separators": "\u2028\u2029\ufeff",
    "right to left": "\u202eabc\u05d0",
    "noncharacters": "\ufffe\uffff\ufffd",
    "markup": "<img src=x onerror=alert(1)>&amp;",
    "spaces": "  two  ",
    "null as a word": "null",
}


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS.keys())
def test_strings_are_kept_as_sent(anna, person, project, text):
    other = person(again=anna)
    live = other.subscribe("items", "Item", filter=OF, args=[project])
    result = anna.write(create(project, text, notes=text))
    other.settle(result["version"])
    for made in (item_of(anna, result), live.objects[0]):
        assert made["body"] == text and made["notes"] == text


def test_an_escaped_string_is_the_same_as_an_unescaped_one(anna, project):
    anna.send_text(
        '{"jsonrpc":"2.0","id":1001,"method":"wri\\u0074e","params":{"ch\\u0061nges":[{"create":"It\\u0065m","object":'
        '{"projectId":"%s","body":"\\u00e9\\ud83d\\ude00\\/"}}]}}' % project
    )
    assert item_of(anna, anna.finish(1001))["body"] == "é\U0001f600/"


@pytest.mark.parametrize("path, entry", [
    ("changes[0].object.body", '{"create":"Item","object":{"projectId":"p","body":"a\\u0000"}}'),
    ("changes[0].object.itemId", '{"create":"Item","object":{"projectId":"p","body":"a","itemId":"\\u0000"}}'),
    ("changes[0].set.notes", '{"update":"Item","id":"i","set":{"notes":"\\u0000"}}'),
    ("changes[0].id", '{"delete":"Item","id":"\\u0000"}'),
    ("changes[0].filter", '{"delete":"Item","filter":"body == \'\\u0000\'"}'),
])  # fmt: skip
def test_nul_is_refused_with_its_path(anna, path, entry):
    answer = anna.send_and_answer('{"jsonrpc":"2.0","id":1,"method":"write","params":{"changes":[%s]}}' % entry)
    assert answer["error"]["code"] == -32602
    assert answer["error"]["data"]["path"] == path


def test_a_lone_surrogate_never_reaches_another_client(anna, person, project):
    other = person(again=anna)
    live = other.subscribe("items", "Item", filter=OF, args=[project])
    answer = anna.send_and_answer(
        r'{"jsonrpc":"2.0","id":1,"method":"write","params":{"changes":[{"create":"Item","object":{"projectId":"%s","body":"a\ud800b"}}]}}' % project
    )
    assert (answer["error"]["code"], answer["id"]) == (-32700, None)
    other.call("info")
    assert live.objects == [] and anna.objects("Item", filter=OF, args=[project]) == []


# Dates

DATES = {
    "2026-11-30T01:02:03.123Z": "2026-11-30T01:02:03.123Z",
    "2026-11-30T01:02:03Z": "2026-11-30T01:02:03.000Z",
    "2026-11-30T01:02:03.1Z": "2026-11-30T01:02:03.100Z",
    "2026-11-30T01:02:03.1239Z": "2026-11-30T01:02:03.123Z",
    "2026-11-30T01:02:03.999999999Z": "2026-11-30T01:02:03.999Z",
    "2026-11-30T01:02:03.123456789012345678901234567890Z": "2026-11-30T01:02:03.123Z",
    "2026-11-30T01:02:03+00:00": "2026-11-30T01:02:03.000Z",
    "2026-11-30T01:02:03-00:00": "2026-11-30T01:02:03.000Z",
    "2026-11-30T01:02:03+02:00": "2026-11-29T23:02:03.000Z",
    "2026-12-31T23:30:00-01:00": "2027-01-01T00:30:00.000Z",
    "2026-11-30T01:02:03.5+05:45": "2026-11-29T19:17:03.500Z",
    "2026-11-30T01:02:03-23:59": "2026-12-01T01:01:03.000Z",
    "2024-02-29T00:00:00Z": "2024-02-29T00:00:00.000Z",
    "2000-02-29T00:00:00Z": "2000-02-29T00:00:00.000Z",
    "2024-03-01T00:30:00+01:00": "2024-02-29T23:30:00.000Z",
    "1969-12-31T23:59:59.999Z": "1969-12-31T23:59:59.999Z",
    "1969-12-31T23:59:59.9999Z": "1969-12-31T23:59:59.999Z",
    "0001-01-01T00:00:00Z": "0001-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z": "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59+01:00": "9999-12-31T22:59:59.000Z",
}


@pytest.mark.parametrize("sent, stored", DATES.items())
def test_a_date_of_any_offset_and_precision_is_kept_in_utc_to_the_millisecond(anna, project, sent, stored):
    assert item_of(anna, anna.write(create(project, dueDate=sent)))["dueDate"] == stored


NO_DATES = [
    "2026-11-30", "2026-11-30T01:02:03", "2026-11-30T01:02Z", "20261130T010203Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
    "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-11-00T00:00:00Z", "2026-11-32T00:00:00Z",
    "2026-11-30T24:00:00Z", "2026-11-30T01:60:00Z", "2026-11-30T01:02:61Z", "2026-11-30T01:02:03.Z", "2026-11-30T01:02:03+0200",
    "2026-11-30T01:02:03+2:00", "2026-11-30T01:02:03+24:00", "2026-11-30T01:02:03+02:60", "2026-11-30T01:02:03Zx",
    " 2026-11-30T01:02:03Z", "26-11-30T01:02:03Z", "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00",
    "0001-01-01T00:00:00+01:00", "-2026-11-30T01:02:03Z", "Mon, 30 Nov 2026 01:02:03 GMT", "２０２６-11-30T01:02:03Z",
]  # fmt: skip


@pytest.mark.parametrize("sent", NO_DATES)
def test_what_is_no_date_is_refused(anna, project, sent):
    error = anna.refused(create(project, dueDate=sent))
    assert (error.code, error.path) == (-32602, "changes[0].object.dueDate")


def test_equal_instants_are_equal_values(anna, project):
    result = anna.write(create(project, dueDate="2026-11-30T01:02:03+02:00"))
    again = anna.write(update(result["ids"][0], dueDate="2026-11-29T23:02:03.0001Z"))
    assert again["version"] == result["version"]


# assignee


def test_an_assignee_must_be_someone_who_sees_the_project(anna, ben, person, project):
    stranger = person("stranger")
    shared = make_project(anna, viewer=[ben.user_id])
    assert item_of(anna, anna.write(create(shared, assignee=ben.user_id)))["assignee"] == ben.user_id
    for unfit in (stranger.user_id, "nobody"):
        with pytest.raises(RpcError) as refused:
            anna.write(create(shared, assignee=unfit))
        assert refused.value.code in (-32602, -32003, -32004)
    assert anna.refused(create(project, assignee=ben.user_id)).code in (-32602, -32003, -32004)


def test_an_unknown_and_an_unseen_assignee_are_refused_alike(anna, person, project):
    stranger = person("stranger")
    unseen = anna.refused(create(project, assignee=stranger.user_id))
    unknown = anna.refused(create(project, assignee="unknown-id"))
    assert unseen.code == unknown.code and unseen.data.get("reason") == unknown.data.get("reason")
    assert unseen.message.replace(stranger.user_id, "X") == unknown.message.replace("unknown-id", "X")
