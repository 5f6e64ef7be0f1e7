"""`change`: the exact indices of every kind of diff, by hand, and what one message holds."""

import pytest

from conftest import create, delete, fresh, make_project, permission, update

OF = "projectId == $0"


class Board:
    """A project whose items b, d, f, h (bodies) have the ids `ids[body]`, and a list of them sorted by body."""

    def __init__(self, owner, watcher, bodies="bdfh", **query):
        self.owner, self.watcher = owner, watcher
        run = fresh("i")
        self.ids = {body: f"{run}-{body}" for body in "abcdefghijklm"}
        self.project = make_project(owner, items=[self.item(b) for b in bodies], viewer=[watcher.user_id])
        query = {"filter": OF, "args": [self.project], "sort": ["body"], **query}
        self.live = watcher.subscribe("items", "Item", **query)
        self.query = query

    def item(self, body, **fields):
        return {"itemId": self.ids[body], "body": body, **fields}

    def create(self, body, **fields):
        return create(self.project, **self.item(body, **fields))

    def update(self, which, **fields):
        return update(self.ids[which], **fields)

    def delete(self, body):
        return delete(self.ids[body])

    def bodies(self):
        return "".join(o["body"] for o in self.live.objects)

    def diff(self, *changes):
        """Writes in another session; the shape of the update that the watcher gets (None if none)."""
        self.watcher.take_changes()
        self.watcher.settle(self.owner.write(*changes)["version"])
        self.matches_query()
        messages = self.watcher.take_changes()
        assert len(messages) <= 1, messages
        if not messages:
            return None
        (update_,) = messages[0]["updates"]
        return shape(update_)

    def matches_query(self):
        assert self.live.objects == self.watcher.objects("Item", **self.query)


def shape(update_):
    """An update reduced to its places: deletions, insertions, modifications as (from, index)."""
    found = {}
    if update_.get("deletions"):
        found["deletions"] = update_["deletions"]
    if update_.get("insertions"):
        found["insertions"] = [(i["from"], i["index"]) if "from" in i else i["index"] for i in update_["insertions"]]
    if update_.get("modifications"):
        found["modifications"] = [(m.get("from", m["index"]), m["index"]) for m in update_["modifications"]]
    return found


@pytest.fixture
def board(anna, ben):
    """Anna writes, Ben watches."""

    def board(bodies="bdfh", **query):
        return Board(anna, ben, bodies, **query)

    return board


# Insertions


@pytest.mark.parametrize("new, index", [("a", 0), ("c", 1), ("e", 2), ("g", 3), ("i", 4)])
def test_one_insertion_stands_at_its_place_in_the_new_list(board, new, index):
    b = board()
    assert b.diff(b.create(new)) == {"insertions": [index]}


def test_several_insertions_have_their_places_in_the_list_as_it_becomes(board):
    b = board()
    assert b.diff(*[b.create(x) for x in "iagec"]) == {"insertions": [0, 2, 4, 6, 8]}
    assert b.bodies() == "abcdefghi"


def test_neighbouring_insertions_have_neighbouring_places(board):
    b = board("ah")
    assert b.diff(b.create("d"), b.create("c"), b.create("b")) == {"insertions": [1, 2, 3]}


def test_an_insertion_into_an_empty_list_is_at_0(board):
    b = board("")
    assert b.diff(b.create("b"), b.create("a")) == {"insertions": [0, 1]}


# Deletions


@pytest.mark.parametrize("gone, places", [("b", [0]), ("h", [3]), ("df", [1, 2]), ("hb", [0, 3]), ("hfdb", [0, 1, 2, 3])])
def test_deletions_are_places_in_the_list_as_it_was(board, gone, places):
    b = board()
    assert b.diff(*[b.delete(x) for x in gone]) == {"deletions": places}


def test_insertions_and_deletions_count_in_different_lists(board):
    b = board()
    assert b.diff(b.delete("b"), b.create("i"), b.delete("f"), b.create("a")) == {"deletions": [0, 2], "insertions": [0, 3]}
    assert b.bodies() == "adhi"


def test_a_replaced_row_is_deleted_and_inserted_at_one_place(board):
    b = board()
    assert b.diff(b.delete("d"), b.create("e")) == {"deletions": [1], "insertions": [1]}


# Modifications


@pytest.mark.parametrize("body, index", [("b", 0), ("d", 1), ("h", 3)])
def test_a_modification_in_place_has_one_index(board, body, index):
    b = board()
    assert b.diff(b.update(body, notes="new")) == {"modifications": [(index, index)]}


def test_a_modification_after_an_insertion_has_both_places(board):
    b = board()
    assert b.diff(b.create("a"), b.update("d", notes="n"), b.update("h", notes="n")) == {
        "insertions": [0],
        "modifications": [(1, 2), (3, 4)],
    }


def test_a_modification_after_a_deletion_has_both_places(board):
    b = board()
    assert b.diff(b.delete("b"), b.update("d", notes="n"), b.delete("f"), b.update("h", notes="n")) == {
        "deletions": [0, 2],
        "modifications": [(1, 0), (3, 1)],
    }


def test_a_modification_between_a_deletion_and_an_insertion_may_keep_its_place(board):
    b = board()
    assert b.diff(b.delete("b"), b.create("c"), b.update("f", notes="n")) == {
        "deletions": [0],
        "insertions": [0],
        "modifications": [(2, 2)],
    }


def test_a_sort_key_that_changes_without_a_new_place_is_a_modification(board):
    b = board()
    assert b.diff(b.update("d", body="e")) == {"modifications": [(1, 1)]}


def test_a_modification_sends_only_the_changed_fields(board):
    b = board()
    b.watcher.take_changes()
    b.watcher.settle(b.owner.write(b.update("d", notes="new", priority=2, body="d"))["version"])
    (message,) = b.watcher.take_changes()
    assert message["updates"] == [{**message["updates"][0], "modifications": [{"index": 1, "set": {"notes": "new", "priority": 2}}]}]


def test_a_field_that_turns_null_is_sent_as_null(board):
    b = board()
    b.owner.write(b.update("d", dueDate="2026-01-01T00:00:00Z"))
    b.watcher.settle(b.owner.write(b.update("d", dueDate=None))["version"])
    message = b.watcher.take_changes()[-1]
    assert message["updates"][0]["modifications"] == [{"index": 1, "set": {"dueDate": None}}]


# Moves


@pytest.mark.parametrize("body, to, origin, place", [
    ("b", "i", 0, 3),
    ("h", "a", 3, 0),
    ("b", "e", 0, 1),
    ("f", "c", 2, 1),
    ("d", "g", 1, 2),
])  # fmt: skip
def test_a_moved_row_is_a_deletion_and_an_insertion_from_there(board, body, to, origin, place):
    b = board()
    assert b.diff(b.update(body, body=to)) == {"deletions": [origin], "insertions": [(origin, place)]}


def test_a_moved_row_sends_only_the_changed_fields(board):
    b = board()
    b.watcher.take_changes()
    b.watcher.settle(b.owner.write(b.update("b", body="i", priority=1))["version"])
    (message,) = b.watcher.take_changes()
    assert message["updates"][0]["insertions"] == [{"index": 3, "from": 0, "set": {"body": "i", "priority": 1}}]


def test_two_rows_that_swap_make_one_move(board):
    b = board()
    diff = b.diff(b.update("b", body="e"), b.update("d", body="a"))
    assert diff in (
        {"deletions": [0], "insertions": [(0, 1)], "modifications": [(1, 0)]},
        {"deletions": [1], "insertions": [(1, 0)], "modifications": [(0, 1)]},
    )


def test_a_row_whose_key_is_unchanged_never_moves(board):
    b = board()
    assert b.diff(b.update("b", body="k"), b.update("d", body="j"), b.update("f", body="i")) is not None
    assert b.live.keys[0] == b.ids["h"]


def test_all_kinds_together(board):
    """b d f h j l → delete d; f to the end; h modified; c and k new; l renamed in place."""
    b = board("bdfhjl")
    diff = b.diff(
        b.delete("d"), b.update("f", body="m"), b.update("h", notes="n"), b.create("c"), b.create("k"), b.update("b", priority=3)
    )
    assert diff == {"deletions": [1, 2], "insertions": [1, 4, (2, 6)], "modifications": [(0, 0), (3, 2)]}
    assert b.bodies() == "bchjklm"


def test_moves_go_by_the_order_of_a_descending_list(board):
    b = board(sort=["-body"])
    assert b.diff(b.update("b", body="i")) == {"deletions": [3], "insertions": [(3, 0)]}


def test_rows_with_equal_keys_stand_by_their_primary_key(board):
    b = board(sort=["priority"])
    assert b.live.keys == [b.ids[x] for x in "bdfh"]
    assert b.diff(b.update("d", priority=1)) == {"deletions": [1], "insertions": [(1, 3)]}
    assert b.diff(b.update("b", priority=1)) == {"deletions": [0], "insertions": [(0, 2)]}
    assert b.live.keys == [b.ids[x] for x in "fhbd"]


def test_a_move_in_the_list_is_a_move_in_the_diff(board):
    b = board(sort=["position"])
    ids = b.ids
    assert b.diff({"move": "Item", "id": ids["b"], "after": ids["f"]}) == {"deletions": [0], "insertions": [(0, 2)]}
    assert b.diff({"move": "Item", "id": ids["h"], "to": "start"}) == {"deletions": [3], "insertions": [(3, 0)]}
    assert b.bodies() == "hdfb"


# Filter


def test_a_row_that_comes_to_match_is_an_insertion_with_the_whole_object(board):
    b = board(filter="projectId == $0 AND isDone == TRUE")
    assert b.diff(b.update("d", isDone=True)) == {"insertions": [0]}
    assert b.diff(b.update("b", isDone=True, notes="n")) == {"insertions": [0]}
    assert b.live.objects[0]["notes"] == "n"


def test_a_row_that_no_longer_matches_is_a_deletion(board):
    b = board(filter="projectId == $0 AND isDone == FALSE")
    assert b.diff(b.update("d", isDone=True, notes="n")) == {"deletions": [1]}


def test_a_row_that_does_not_match_before_or_after_reports_nothing(board):
    b = board(filter="projectId == $0 AND isDone == TRUE")
    assert b.diff(b.update("d", notes="n")) is None
    assert b.diff(b.delete("d"), b.create("c")) is None


# Limit


def test_an_insertion_into_a_full_window_pushes_the_last_row_out(board):
    b = board(limit=3)
    assert b.bodies() == "bdf"
    assert b.diff(b.create("a")) == {"deletions": [2], "insertions": [0]}
    assert b.diff(b.create("c")) == {"deletions": [2], "insertions": [2]}
    assert b.bodies() == "abc"


def test_a_deletion_in_a_full_window_lets_the_next_row_in(board):
    b = board(limit=3)
    assert b.diff(b.delete("b")) == {"deletions": [0], "insertions": [2]}
    assert b.bodies() == "dfh"
    assert b.diff(b.delete("h")) == {"deletions": [2]}


def test_what_happens_behind_the_window_reports_nothing(board):
    b = board(limit=2)
    assert b.diff(b.update("f", notes="n")) is None
    assert b.diff(b.create("i"), b.delete("h"), b.update("f", body="g")) is None


def test_a_row_that_moves_out_of_the_window_is_a_deletion_only(board):
    b = board(limit=3)
    assert b.diff(b.update("d", body="i")) == {"deletions": [1], "insertions": [2]}
    assert b.bodies() == "bfh"


def test_a_row_that_moves_into_the_window_is_an_insertion_with_the_whole_object(board):
    b = board(limit=3)
    assert b.diff(b.update("h", body="c", notes="n")) == {"deletions": [2], "insertions": [1]}
    assert b.live.objects[1]["notes"] == "n"


def test_a_row_that_moves_to_the_last_place_of_the_window_stays_in_it(board):
    b = board(limit=3)
    assert b.diff(b.update("b", body="g")) == {"deletions": [0], "insertions": [(0, 2)]}
    assert b.bodies() == "dfg"


def test_a_window_that_is_not_full_grows(board):
    b = board("bd", limit=3)
    assert b.diff(b.create("c")) == {"insertions": [1]}
    assert b.diff(b.create("a"), b.create("e")) == {"deletions": [2], "insertions": [0]}


def test_a_window_of_one_is_replaced(board):
    b = board(limit=1)
    assert b.diff(b.create("a")) == {"deletions": [0], "insertions": [0]}
    assert b.diff(b.update("a", body="z")) == {"deletions": [0], "insertions": [0]}
    assert b.bodies() == "b"


def test_a_swap_across_the_edge_of_the_window(board):
    b = board(limit=2)
    assert b.diff(b.update("b", body="z"), b.update("h", body="a")) == {"deletions": [0], "insertions": [0]}
    assert b.bodies() == "ad"


def test_deletions_in_and_behind_the_window_together(board):
    b = board("bdfhj", limit=3)
    assert b.diff(b.delete("b"), b.delete("h"), b.update("j", notes="n")) == {"deletions": [0], "insertions": [2]}
    assert b.bodies() == "dfj" and b.live.objects[2]["notes"] == "n"


# Nothing to report


def test_an_equal_value_reports_nothing(board):
    b = board()
    assert b.diff(b.update("d", body="d", isDone=False, notes="")) is None


def test_a_value_that_comes_back_within_a_transaction_reports_nothing(board):
    b = board()
    assert b.diff(b.update("d", body="z"), b.update("d", body="d")) is None


def test_what_is_created_and_deleted_in_one_transaction_reports_nothing(board):
    b = board()
    assert b.diff(b.create("a"), b.update("a", notes="n"), b.delete("a")) is None


def test_several_updates_of_one_row_in_a_transaction_are_one(board):
    b = board()
    assert b.diff(b.update("d", body="x"), b.update("d", body="i"), b.update("d", priority=1)) == {
        "deletions": [1],
        "insertions": [(1, 3)],
    }


def test_a_row_created_and_updated_in_one_transaction_is_one_insertion(board):
    b = board()
    assert b.diff(b.create("a"), b.update("a", notes="n")) == {"insertions": [0]}
    assert b.live.objects[0]["notes"] == "n"


def test_a_key_deleted_and_created_again_is_a_modification_or_a_move(board):
    b = board()
    assert b.diff(b.delete("d"), b.create("d", notes="n")) == {"modifications": [(1, 1)]}
    again = {**b.create("d")}
    again["object"] = {**again["object"], "body": "z"}
    assert b.diff(b.delete("d"), again) == {"deletions": [1], "insertions": [(1, 3)]}


# One message


def test_one_message_holds_every_affected_list_of_the_session(anna, project):
    lists = {
        "projects": anna.subscribe("projects", "Project"),
        "items": anna.subscribe("items", "Item", filter=OF, args=[project]),
        "open": anna.subscribe("open", "Item", filter="projectId == $0 AND isDone == FALSE", args=[project]),
        "done": anna.subscribe("done", "Item", filter="projectId == $0 AND isDone == TRUE", args=[project]),
        "permissions": anna.subscribe("permissions", "Permission"),
    }
    item = fresh("i")
    created = anna.write(create(project, itemId=item))
    (message,) = anna.take_changes()
    assert message["version"] == created["version"]
    assert {u["name"] for u in message["updates"]} == {"projects", "items", "open"}
    anna.write(update(item, isDone=True), update(project, "Project", name="New"))
    (message,) = anna.take_changes()
    assert {u["name"] for u in message["updates"]} == {"projects", "items", "open", "done"}
    assert [len(live.objects) for live in lists.values()] == [1, 1, 0, 1, 1]


def test_a_transaction_is_one_message_in_every_session(anna, ben, project):
    anna.write(permission(project, ben.user_id, "editor"))
    lives = [s.subscribe("items", "Item", filter=OF, args=[project], sort=["body"]) for s in (anna, ben)]
    version = anna.write(*[create(project, f"{n:03}") for n in range(100)])["version"]
    ben.settle(version)
    for session, live in zip((anna, ben), lives):
        (message,) = session.take_changes()
        assert message["version"] == version
        assert shape(message["updates"][0]) == {"insertions": list(range(100))}
        assert live.version == version


def test_a_change_names_who_wrote(anna, ben, project):
    anna.write(permission(project, ben.user_id, "editor"))
    anna.subscribe("items", "Item", filter=OF, args=[project])
    anna.write(create(project))
    anna.settle(ben.write(create(project))["version"])
    assert [c["by"] for c in anna.take_changes()] == [[anna.user_id], [ben.user_id]]


def test_own_changes_come_before_the_result(anna, project):
    live = anna.subscribe("items", "Item", filter=OF, args=[project], sort=["body"])
    for n in range(20):
        result = anna.write(create(project, f"{n:03}"))
        assert live.version == result["version"]
        assert len(live.objects) == n + 1


def test_own_changes_come_before_the_result_of_each_of_many_writes_in_flight(anna, project):
    live = anna.subscribe("items", "Item", filter=OF, args=[project])
    started = [anna.start("write", {"changes": [create(project, f"{n:03}")]}) for n in range(50)]
    for n, number in enumerate(started):
        version = anna.finish(number)["version"]
        assert live.version >= version
        assert len(live.objects) >= n + 1


def test_a_write_that_concerns_no_list_sends_nothing(anna, ben, project):
    anna.subscribe("items", "Item", filter=OF, args=[project])
    ben_live = ben.subscribe("all", "Item")
    make_project(anna, items=["x"])
    ben.settle(anna.query("Project")["version"])
    assert anna.take_changes() == [] and ben.take_changes() == [] and ben_live.objects == []


def test_a_refused_transaction_sends_nothing(anna, project):
    live = anna.subscribe("items", "Item", filter=OF, args=[project])
    assert anna.refused(create(project), delete("unseen")).code == -32003
    anna.call("info")
    assert anna.take_changes() == [] and live.objects == []


def test_a_list_sorted_by_several_keys_follows_each_of_them(anna, project):
    live = anna.subscribe("items", "Item", filter=OF, args=[project], sort=["isDone", "-priority", "body"])
    ids = {}
    for body, priority in (("a", 1), ("b", 2), ("c", 1), ("d", 0)):
        ids[body] = anna.write(create(project, body, priority=priority))["ids"][0]
    order = lambda: "".join(o["body"] for o in live.objects)  # noqa: E731
    assert order() == "bacd"
    anna.write(update(ids["b"], isDone=True))
    assert order() == "acdb"
    anna.write(update(ids["d"], priority=3), update(ids["a"], isDone=True))
    assert order() == "dcba"
    anna.write(update(ids["c"], body="z", isDone=True), update(ids["d"], isDone=True))
    assert order() == "dbaz"
    assert live.objects == anna.objects("Item", filter=OF, args=[project], sort=["isDone", "-priority", "body"])


def test_a_renamed_project_moves_in_a_list_of_projects(anna):
    live = anna.subscribe("projects", "Project", sort=["name"])
    first, second = make_project(anna, name="a"), make_project(anna, name="b")
    anna.take_changes()
    anna.write(update(first, "Project", name="c"))
    (message,) = anna.take_changes()
    assert message["updates"] == [
        {**message["updates"][0], "deletions": [0], "insertions": [{"index": 1, "from": 0, "set": {"name": "c"}}]}
    ]
    assert live.keys == [second, first]


def test_counts_reach_lists_of_projects_as_single_fields(anna, project):
    anna.subscribe("projects", "Project")
    item = anna.write(create(project))["ids"][0]
    anna.write(update(item, isDone=True))
    anna.write(delete(item))
    sets = [c["updates"][0]["modifications"] for c in anna.take_changes()]
    assert sets == [
        [{"index": 0, "set": {"itemCount": 1, "openCount": 1}}],
        [{"index": 0, "set": {"openCount": 0}}],
        [{"index": 0, "set": {"itemCount": 0}}],
    ]
