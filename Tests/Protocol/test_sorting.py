"""`sort`: code points, directions, folding, nulls, ties, several keys."""

import pytest

from conftest import create, fresh, make_project, update

OF = "projectId == $0"


@pytest.fixture
def listed(anna):
    """Creates items from {letter: fields}; the function that tells the letters in an order, by query and by live list."""

    def listed(rows):
        run = fresh("s")
        items = [{"itemId": f"{run}{letter}", "body": "", **fields} for letter, fields in rows.items()]
        project = make_project(anna, items=list(reversed(items)))

        def order(*sort):
            query = {"filter": OF, "args": [project], "sort": list(sort)}
            keys = anna.ids("Item", **query)
            name = fresh("n")
            assert anna.subscribe(name, "Item", **query).keys == keys
            anna.unsubscribe(name)
            return "".join(key[-1] for key in keys)

        order.project, order.run = project, run
        return order

    return listed


def test_without_a_sort_the_primary_key_orders(listed):
    assert listed({x: {} for x in "bZa_0-"})() == "-0Z_ab"


def test_strings_are_ordered_by_code_point(listed):
    order = listed({
        "a": {"body": "b"}, "b": {"body": "B"}, "c": {"body": "é"}, "d": {"body": "z"}, "e": {"body": ""}, "f": {"body": "\uff5e"},
        "g": {"body": "\U0001f600"}, "h": {"body": "ba"}, "i": {"body": "10"}, "j": {"body": "9"},
    })  # fmt: skip
    assert order("body") == "eijbahdcfg"
    assert order("-body") == "gfcdhabjie"


def test_equal_keys_are_ordered_by_the_primary_key_ascending_also_in_a_descending_list(listed):
    order = listed({"a": {"priority": 1}, "b": {"priority": 0}, "c": {"priority": 1}, "d": {"priority": 0}})
    assert order("priority") == "bdac"
    assert order("-priority") == "acbd"


def test_case_is_folded_where_asked_for(listed):
    order = listed({"a": {"body": "b"}, "b": {"body": "B"}, "c": {"body": "a"}, "d": {"body": "C"}, "e": {"body": "A"}})
    assert order("body") == "ebdca"
    assert order("body[c]") == "ceabd"
    assert order("-body[c]") == "dabce"


def test_folding_is_full_and_of_every_script(listed):
    order = listed({"a": {"body": "straßf"}, "b": {"body": "STRASSE"}, "c": {"body": "strasseg"}, "d": {"body": "Σ2"}, "e": {"body": "ς1"}})
    assert order("body[c]") == "bcaed"


def test_a_direction_and_folding_mix_with_further_keys(listed):
    order = listed({
        "a": {"body": "x", "priority": 1}, "b": {"body": "X", "priority": 2}, "c": {"body": "y", "priority": 0}, "d": {"body": "Y", "priority": 3},
    })  # fmt: skip
    assert order("body[c]", "-priority") == "badc"
    assert order("-body[c]", "priority") == "cdab"


def test_nulls_come_first_ascending_and_last_descending(listed):
    order = listed({
        "a": {"dueDate": None}, "b": {"dueDate": "2026-01-01T00:00:00Z"}, "c": {"dueDate": None}, "d": {"dueDate": "2025-01-01T00:00:00Z"},
        "e": {"dueDate": "0001-01-01T00:00:00Z"},
    })  # fmt: skip
    assert order("dueDate") == "acedb"
    assert order("-dueDate") == "bdeac"


def test_a_null_comes_before_the_empty_string(anna, listed):
    order = listed({"a": {"assignee": anna.user_id}, "b": {}})
    assert order("assignee") == "ba"
    assert order("-assignee") == "ab"


def test_false_comes_before_true(listed):
    order = listed({"a": {"isDone": True}, "b": {"isDone": False}, "c": {"isDone": True}})
    assert order("isDone") == "bac"
    assert order("-isDone") == "acb"


def test_numbers_are_ordered_as_numbers(anna):
    sizes = {make_project(anna, items=["x"] * n): n for n in (0, 2, 10, 9, 1)}
    assert [sizes[p] for p in anna.ids("Project", sort=["itemCount"])] == [0, 1, 2, 9, 10]
    assert [sizes[p] for p in anna.ids("Project", sort=["-itemCount"])] == [10, 9, 2, 1, 0]


def test_several_keys_count_in_their_order(listed):
    rows = {}
    for n, letter in enumerate("abcdefgh"):
        rows[letter] = {"isDone": bool(n & 4), "priority": (n & 2) // 2, "body": "xy"[n & 1]}
    order = listed(rows)
    assert order("isDone", "priority", "body") == "abcdefgh"
    assert order("-isDone", "priority", "-body") == "fehgbadc"
    assert order("body", "-priority") == "cgaedhbf"
    assert order("priority", "isDone") == "abefcdgh"


def test_the_primary_key_may_be_a_key_itself(listed):
    order = listed({x: {} for x in "bac"})
    assert order("-itemId") == "cba"
    assert order("itemId") == "abc"


def test_the_order_of_creation_is_the_order_of_positions(listed, anna):
    project = make_project(anna)
    for body in "zxy":
        anna.write(create(project, body))
    assert [o["body"] for o in anna.objects("Item", filter=OF, args=[project], sort=["position"])] == list("zxy")


def test_a_folded_key_that_stays_equal_does_not_move_a_row(anna, listed):
    order = listed({"a": {"body": "x"}, "b": {"body": "x"}, "c": {"body": "x"}})
    live = anna.subscribe("folded", "Item", filter=OF, args=[order.project], sort=["body[c]"])
    anna.write(update(f"{order.run}a", body="X"))
    assert [k[-1] for k in live.keys] == ["a", "b", "c"]
    (message,) = anna.take_changes()
    assert message["updates"][0]["modifications"] == [{"index": 0, "set": {"body": "X"}}]


def test_rows_come_to_their_place_among_nulls(anna, listed):
    order = listed({"a": {}, "b": {}, "c": {"dueDate": "2026-01-01T00:00:00Z"}})
    live = anna.subscribe("due", "Item", filter=OF, args=[order.project], sort=["-dueDate"])
    assert "".join(k[-1] for k in live.keys) == "cab"
    anna.write(update(f"{order.run}b", dueDate="2027-01-01T00:00:00Z"))
    assert "".join(k[-1] for k in live.keys) == "bca"
    anna.write(update(f"{order.run}c", dueDate=None))
    assert "".join(k[-1] for k in live.keys) == "bac"
