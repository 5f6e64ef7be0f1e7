"""The instruments themselves: a replica that accepted a broken message would prove nothing."""

import pytest

import raw
from client import parse
from replica import LiveList, fewest_moves, key_field
from world import CONFLICT, FORBIDDEN, UNSEEN, Refused, World, evaluate


def row(key, **fields):
    return {"itemId": key, "projectId": "p", "body": key, "isDone": False, **fields}


def complete(*keys, sort=("body",)):
    live = LiveList("items", sort=sort)
    live.next_sort = list(sort)
    live.apply_initial({"name": "items", "index": 0, "objects": [row(k) for k in keys], "state": "complete", "version": 5})
    return live


def change(live, version=6, **arrays):
    live.apply_change({"name": "items", **arrays}, version)


def test_parts_of_an_initial_are_joined():
    live = LiveList("items")
    live.apply_initial({"name": "items", "index": 0, "objects": [row("a"), row("b")], "state": "pending"})
    assert not live.is_complete
    live.apply_initial({"name": "items", "index": 2, "objects": [row("c")], "state": "complete", "version": 9})
    assert live.keys == ["a", "b", "c"] and live.is_complete and live.version == 9 and live.parts == 2


def test_a_change_before_the_list_is_complete_is_refused():
    live = LiveList("items")
    live.apply_initial({"name": "items", "index": 0, "objects": [row("a")], "state": "pending"})
    with pytest.raises(AssertionError, match="not complete"):
        change(live, deletions=[0])


def test_a_gap_between_parts_is_refused():
    live = LiveList("items")
    live.apply_initial({"name": "items", "index": 0, "objects": [row("a")], "state": "pending"})
    with pytest.raises(AssertionError, match="part at 2"):
        live.apply_initial({"name": "items", "index": 2, "objects": [row("c")], "state": "complete", "version": 9})


def test_deletions_insertions_and_modifications_apply_together():
    live = complete("b", "d", "f", "h")
    change(
        live,
        deletions=[0, 2],
        insertions=[{"index": 0, "object": row("a")}, {"index": 3, "from": 2, "set": {"body": "z"}}],
        modifications=[{"index": 2, "from": 3, "set": {"isDone": True}}],
    )
    assert live.keys == ["a", "d", "h", "f"]
    assert live.objects[3]["body"] == "z" and live.objects[2]["isDone"] is True


def test_a_modification_is_found_by_its_old_and_its_new_place():
    live = complete("b", "d")
    change(live, insertions=[{"index": 0, "object": row("a")}], modifications=[{"index": 2, "from": 1, "set": {"isDone": True}}])
    assert [o["isDone"] for o in live.objects] == [False, False, True]


def test_a_resumed_list_may_have_an_empty_change():
    live = LiveList("items", objects=[row("a")], version=5)
    change(live, state="complete")
    assert live.is_complete and live.version == 6 and live.keys == ["a"]


BROKEN = {
    "deletions do not ascend": dict(deletions=[2, 0]),
    "a deletion twice": dict(deletions=[1, 1]),
    "a deletion out of the list": dict(deletions=[4]),
    "an insertion out of the list": dict(insertions=[{"index": 5, "object": row("z")}]),
    "insertions do not ascend": dict(insertions=[{"index": 4, "object": row("y")}, {"index": 0, "object": row("a")}]),
    "a key twice": dict(insertions=[{"index": 0, "object": row("b")}]),
    "a move without its deletion": dict(insertions=[{"index": 0, "from": 2, "set": {"body": "a"}}]),
    "a move with a whole object": dict(deletions=[2], insertions=[{"index": 0, "object": row("f", body="a")}]),
    "a move of a row with unchanged keys": dict(deletions=[0], insertions=[{"index": 3, "from": 0, "set": {"isDone": True}}]),
    "more moves than needed": dict(
        deletions=[0, 1],
        insertions=[{"index": 0, "from": 0, "set": {"body": "aa"}}, {"index": 1, "from": 1, "set": {"body": "cc"}}],
    ),
    "a modification of an inserted row": dict(
        insertions=[{"index": 0, "object": row("a")}], modifications=[{"index": 0, "from": 1, "set": {"isDone": True}}]
    ),
    "a modification of another row": dict(modifications=[{"index": 0, "from": 1, "set": {"isDone": True}}]),
    "a modification with equal places": dict(modifications=[{"index": 1, "from": 1, "set": {"isDone": True}}]),
    "a modification that sets nothing": dict(modifications=[{"index": 1, "set": {}}]),
    "a modification that sets the same": dict(modifications=[{"index": 1, "set": {"isDone": False}}]),
    "a modification of an unknown field": dict(modifications=[{"index": 1, "set": {"colour": 1}}]),
    "a modification of the key": dict(modifications=[{"index": 1, "set": {"itemId": "q"}}]),
    "nothing at all": dict(),
    "an unknown member": dict(deletions=[0], moves=[]),
    "a state that was not asked for": dict(deletions=[0], state="complete"),
}


@pytest.mark.parametrize("arrays", BROKEN.values(), ids=BROKEN.keys())
def test_the_replica_refuses(arrays):
    with pytest.raises(AssertionError):
        change(complete("b", "d", "f", "h"), **arrays)


def test_the_replica_refuses_a_version_that_falls():
    with pytest.raises(AssertionError, match="fell"):
        change(complete("a"), version=4, deletions=[0])


@pytest.mark.parametrize(
    "before, after, may_move, moves",
    [
        ("abcd", "abcd", "", 0),
        ("abcd", "bcda", "a", 1),
        ("abcd", "bacd", "a", 1),
        ("abcd", "bacd", "ab", 1),
        ("abcd", "dcba", "abcd", 3),
        ("abcd", "dbca", "ad", 2),
        ("abcde", "badce", "ace", 2),
        ("abcd", "abdc", "abc", 1),
        ("", "", "", 0),
    ],
)
def test_the_fewest_moves_are_counted(before, after, may_move, moves):
    assert fewest_moves(list(before), list(after), set(may_move)) == moves


def test_unmoved_rows_that_change_their_order_are_found():
    with pytest.raises(AssertionError, match="unchanged"):
        fewest_moves(list("abc"), list("bac"), {"c"})


def test_the_class_of_an_object_shows_in_its_fields():
    assert key_field({"itemId": "i", "projectId": "p"}) == "itemId"
    assert key_field({"projectId": "p", "itemCount": 0}) == "projectId"
    assert key_field({"permissionId": "p:u", "projectId": "p", "userId": "u"}) == "permissionId"
    assert key_field({"userId": "u", "name": "n", "isAdmin": False}) == "userId"


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', '{"a":NaN}', "[1", '{"x":{"a":1,"a":1}}'])
def test_json_that_is_not_strict_is_refused(text):
    with pytest.raises((AssertionError, ValueError)):
        parse(text)


def test_frames_are_masked_and_have_the_shortest_length():
    for size, header in ((0, 2), (125, 2), (126, 4), (65535, 4), (65536, 10)):
        data = raw.frame(raw.TEXT, b"x" * size)
        assert len(data) == header + 4 + size
        mask, masked = data[header : header + 4], data[header + 4 :]
        assert bytes(b ^ mask[i % 4] for i, b in enumerate(masked)) == b"x" * size


# The naive model


def sample():
    world = World()
    world.users = {"a": "Anna", "b": "Ben"}
    world.write("a", [
        {"create": "Project", "object": {"projectId": "p", "name": "P"}},
        {"create": "Item", "object": {"itemId": "1", "projectId": "p", "body": "one"}},
        {"create": "Item", "object": {"itemId": "2", "projectId": "p", "body": "two", "isDone": True}},
    ])  # fmt: skip
    return world


def refusal(world, user, *changes):
    with pytest.raises(Refused) as refused:
        world.write(user, changes)
    return refused.value.code


def test_the_model_hides_a_private_project():
    world = sample()
    assert set(world.visible("a", "Item")) == {"1", "2"} and world.visible("b", "Item") == {}
    assert refusal(world, "b", {"update": "Item", "id": "1", "set": {"body": "x"}}) == UNSEEN
    assert set(world.visible("b", "User")) == {"b"}


def test_the_model_grants_by_role_and_access():
    world = sample()
    world.write("a", [{"upsert": "Permission", "object": {"projectId": "p", "userId": "b", "role": "viewer"}}])
    assert set(world.visible("b", "Item")) == {"1", "2"} and set(world.visible("b", "User")) == {"a", "b"}
    assert refusal(world, "b", {"delete": "Item", "id": "1"}) == FORBIDDEN
    world.write("a", [{"update": "Project", "id": "p", "set": {"access": "everyone-write"}}])
    world.write("b", [{"delete": "Item", "id": "1"}])
    assert world.order["p"] == ["2"]


def test_the_model_undoes_a_refused_transaction():
    world = sample()
    before = world.visible("a", "Project")
    assert refusal(world, "a", {"delete": "Item", "id": "1"}, {"delete": "Item", "id": "1"}) == UNSEEN
    assert world.visible("a", "Project") == before and world.order["p"] == ["1", "2"]


def test_the_model_counts_and_orders():
    world = sample()
    world.write("a", [{"move": "Item", "id": "2", "before": "1"}])
    assert world.order["p"] == ["2", "1"]
    project = world.visible("a", "Project")["p"]
    assert (project["itemCount"], project["openCount"], project["owner"]) == (2, 1, "a")


def test_the_model_keeps_the_last_owner_and_finds_the_next():
    world = sample()
    assert refusal(world, "a", {"delete": "Permission", "id": "p:a"}) == CONFLICT
    world.write("a", [{"upsert": "Permission", "object": {"projectId": "p", "userId": "b", "role": "owner"}}])
    world.write("a", [{"delete": "Permission", "id": "p:a"}])
    assert world.owner("p") == "b"


def test_the_naive_evaluator_sorts_nulls_first_and_reverses_them():
    rows = [{"itemId": k, "dueDate": d, "body": b} for k, d, b in (("1", None, "b"), ("2", "2026", "A"), ("3", None, "a"), ("4", "2025", "a"))]
    assert evaluate(rows, "Item", lambda o: True, ["dueDate"]) == ["1", "3", "4", "2"]
    assert evaluate(rows, "Item", lambda o: True, ["-dueDate", "body"]) == ["2", "4", "3", "1"]
    assert evaluate(rows, "Item", lambda o: True, ["body[c]"], 3) == ["2", "3", "4"]
    assert evaluate(rows, "Item", lambda o: o["dueDate"] is None, ["-body"]) == ["1", "3"]
