"""`write`: preconditions, `txn`, moves, filter forms, counts, `completedAt`, the last owner, concurrent writers."""

import pytest

from conftest import create, delete, fresh, make_project, permission, update

OF = "projectId == $0"


class Row:
    """A project with the items a, b, c, d in this order."""

    def __init__(self, owner):
        self.owner = owner
        run = fresh("i")
        self.ids = {body: f"{run}{body}" for body in "abcd"}
        self.project = make_project(owner, items=[{"itemId": self.ids[b], "body": b} for b in "abcd"])

    def order(self, session=None):
        found = (session or self.owner).objects("Item", filter=OF, args=[self.project], sort=["position"])
        return "".join(o["body"] for o in found)

    def move(self, body, **to):
        return {"move": "Item", "id": self.ids[body], **{k: self.ids.get(v, v) for k, v in to.items()}}


@pytest.fixture
def row(anna):
    return Row(anna)


@pytest.fixture
def item(anna, project):
    return anna.write(create(project, itemId=fresh("i")))["ids"][0]


# if


@pytest.mark.parametrize("condition", [
    {"isDone": False},
    {"body": "Body", "priority": 0},
    {"dueDate": None},
    {"assignee": None, "notes": ""},
    {"completedAt": None},
    {},
])  # fmt: skip
def test_a_change_whose_condition_holds_is_made(anna, item, condition):
    anna.write({"update": "Item", "id": item, "set": {"body": "New"}, "if": condition})
    assert anna.get("Item", item)["body"] == "New"


@pytest.mark.parametrize("condition", [
    {"isDone": True},
    {"body": "body"},
    {"body": "Body", "priority": 1},
    {"dueDate": "2026-01-01T00:00:00Z"},
    {"completedAt": "2026-01-01T00:00:00Z"},
    {"createdBy": "someone-else"},
])  # fmt: skip
def test_a_change_whose_condition_does_not_hold_is_a_conflict(anna, item, condition):
    before = anna.query("Item", filter="itemId == $0", args=[item])
    assert anna.refused({"update": "Item", "id": item, "set": {"body": "New"}, "if": condition}).code == -32004
    assert anna.query("Item", filter="itemId == $0", args=[item]) == before


def test_a_condition_may_name_what_the_server_keeps(anna, project, item):
    timestamp = anna.get("Item", item)["timestamp"]
    anna.write({"update": "Item", "id": item, "set": {"body": "1"}, "if": {"createdBy": anna.user_id, "timestamp": timestamp}})
    anna.write({"update": "Project", "id": project, "set": {"name": "2"}, "if": {"itemCount": 1, "openCount": 1, "owner": anna.user_id}})
    assert anna.refused({"update": "Project", "id": project, "set": {"name": "3"}, "if": {"itemCount": 2}}).code == -32004


def test_a_date_in_a_condition_is_compared_as_an_instant(anna, item):
    anna.write(update(item, dueDate="2026-11-30T00:00:00Z"))
    anna.write({"update": "Item", "id": item, "set": {"body": "New"}, "if": {"dueDate": "2026-11-30T02:00:00+02:00"}})
    assert anna.get("Item", item)["body"] == "New"


def test_a_deletion_may_have_a_condition(anna, item):
    assert anna.refused({"delete": "Item", "id": item, "if": {"isDone": True}}).code == -32004
    anna.write({"delete": "Item", "id": item, "if": {"isDone": False}})
    assert anna.get("Item", item) is None


def test_a_failed_condition_undoes_the_transaction(anna, project, item):
    assert anna.refused(create(project), {"update": "Item", "id": item, "set": {"body": "x"}, "if": {"body": "y"}}).code == -32004
    assert anna.get("Project", project)["itemCount"] == 1


def test_of_two_conditional_writers_one_wins(anna, ben):
    project = make_project(anna, items=[{"itemId": (item := fresh("i")), "body": "free"}], editor=[ben.user_id])
    assert project
    codes = []
    for session in (anna, ben):
        session.number = session.start(
            "write", {"changes": [{"update": "Item", "id": item, "set": {"body": session.user_id}, "if": {"body": "free"}}]}
        )
    for session in (anna, ben):
        answer = session.receive_answer()
        codes.append(answer["error"]["code"] if "error" in answer else "won")
    assert sorted(map(str, codes)) == ["-32004", "won"]
    assert anna.get("Item", item)["body"] == (anna if codes[0] == "won" else ben).user_id


# txn


def test_the_same_txn_again_is_not_applied_and_returns_the_first_result(anna, project):
    txn = fresh("txn")
    first = anna.write(create(project), txn=txn)
    assert not first.get("duplicate")
    anna.write(create(project))
    again = anna.write(create(project), txn=txn)
    assert again == {"version": first["version"], "ids": first["ids"], "duplicate": True}
    assert anna.get("Project", project)["itemCount"] == 2


def test_a_duplicate_is_known_on_any_connection_of_the_user(anna, person, project):
    txn = fresh("txn")
    first = anna.write(create(project), txn=txn)
    assert person(again=anna).write(create(project), txn=txn) == {**first, "duplicate": True}


def test_a_txn_is_the_users_own(anna, ben):
    txn = fresh("txn")
    mine, yours = make_project(anna), make_project(ben)
    anna.write(create(mine), txn=txn)
    assert not ben.write(create(yours), txn=txn).get("duplicate")
    assert ben.get("Project", yours)["itemCount"] == 1


def test_a_txn_of_a_refused_transaction_is_not_remembered(anna, project):
    txn, item = fresh("txn"), fresh("i")
    assert anna.refused(update(item, body="x"), txn=txn).code == -32003
    anna.write(create(project, itemId=item))
    assert not anna.write(update(item, body="x"), txn=txn).get("duplicate")
    assert anna.get("Item", item)["body"] == "x"


def test_a_duplicate_is_found_before_sight_and_state(anna, project):
    txn, item = fresh("txn"), fresh("i")
    first = anna.write(create(project, itemId=item), txn=txn)
    assert anna.write(create(project, itemId=item), txn=txn) == {**first, "duplicate": True}
    anna.write(delete(project, "Project"))
    assert anna.write(create(project, itemId=item), txn=txn) == {**first, "duplicate": True}


def test_parameters_are_checked_before_a_duplicate_is_looked_up(anna, project):
    txn = fresh("txn")
    anna.write(create(project), txn=txn)
    assert anna.refused(create(project, colour=1), txn=txn).code == -32602


def test_a_duplicate_sends_no_change(anna, project):
    txn = fresh("txn")
    live = anna.subscribe("items", "Item", filter=OF, args=[project])
    anna.write(create(project), txn=txn)
    anna.take_changes()
    anna.write(create(project), txn=txn)
    assert anna.take_changes() == [] and len(live.objects) == 1


def test_the_same_txn_sent_many_times_at_once_is_applied_once(anna, person, project):
    txn = fresh("txn")
    sessions = [anna, person(again=anna), person(again=anna)]
    started = [(s, s.start("write", {"txn": txn, "changes": [create(project)]})) for s in sessions for _ in range(5)]
    results = [s.finish(number) for s, number in started]
    assert len({r["version"] for r in results}) == 1
    assert sum(1 for r in results if not r.get("duplicate")) == 1
    assert anna.get("Project", project)["itemCount"] == 1


@pytest.mark.parametrize("txn", ["x", "x" * 64, "A-Z_09"])
def test_a_txn_has_1_to_64_id_characters(anna, txn):
    anna.write(txn=txn)


# move


@pytest.mark.parametrize("body, to, order", [
    ("a", {"to": "end"}, "bcda"),
    ("d", {"to": "start"}, "dabc"),
    ("a", {"after": "c"}, "bcad"),
    ("d", {"before": "b"}, "adbc"),
    ("c", {"before": "a"}, "cabd"),
    ("b", {"after": "d"}, "acdb"),
    ("c", {"after": "a"}, "acbd"),
])  # fmt: skip
def test_a_move_puts_the_item_where_it_is_told(row, body, to, order):
    assert row.order() == "abcd"
    assert row.owner.write(row.move(body, **to))["ids"] == [None]
    assert row.order() == order


@pytest.mark.parametrize("body, to", [("a", {"to": "start"}), ("d", {"to": "end"}), ("b", {"after": "a"}), ("b", {"before": "c"})])
def test_a_move_to_where_the_item_stands_is_no_write(row, body, to):
    before = row.owner.query("Item", filter=OF, args=[row.project])
    assert row.owner.write(row.move(body, **to))["version"] == before["version"]
    assert row.owner.query("Item", filter=OF, args=[row.project]) == before


def test_moves_of_one_transaction_follow_each_other(row):
    row.owner.write(row.move("a", to="end"), row.move("b", to="end"), row.move("d", to="start"), row.move("a", before="b"))
    assert row.order() == "dcab"


def test_a_new_item_goes_to_the_end(row):
    row.owner.write(row.move("a", to="end"))
    row.owner.write(create(row.project, "e"), {"upsert": "Item", "object": {"itemId": fresh("i"), "projectId": row.project, "body": "f"}})
    assert row.order() == "bcdaef"


def test_a_move_writes_nothing_but_positions(row):
    before = {o["itemId"]: o for o in row.owner.objects("Item", filter=OF, args=[row.project])}
    row.owner.write(row.move("a", after="c"))
    for after in row.owner.objects("Item", filter=OF, args=[row.project]):
        assert {**after, "position": ""} == {**before[after["itemId"]], "position": ""}


def test_a_move_to_an_item_that_does_not_exist_is_refused(row):
    assert row.owner.refused(row.move("a", after="nothing")).code == -32003
    assert row.owner.refused({"move": "Item", "id": "nothing", "to": "start"}).code == -32003
    assert row.order() == "abcd"


def test_a_move_to_an_item_of_another_project_is_a_conflict(row):
    other = Row(row.owner)
    assert row.owner.refused({"move": "Item", "id": row.ids["a"], "after": other.ids["a"]}).code == -32004
    assert row.order() == other.order() == "abcd"


def test_a_move_is_about_the_whole_order_whatever_a_list_filters(row):
    live = row.owner.subscribe("open", "Item", filter="projectId == $0 AND isDone == FALSE", args=[row.project], sort=["position"])
    row.owner.write(update(row.ids["b"], isDone=True))
    row.owner.write(row.move("d", after="a"))
    assert row.order() == "adbc"
    assert [o["body"] for o in live.objects] == ["a", "d", "c"]


def test_many_moves_to_one_place_keep_the_order(row):
    """Positions between two neighbours must not run out."""
    names = list("abcd")
    for n in range(120):
        moved = names.pop(2 + n % 2)
        names.insert(1, moved)
        row.owner.write(row.move(moved, after=names[0]))
    assert row.order() == "".join(names)


def test_two_people_who_move_at_once_lose_and_double_no_row(anna, ben):
    row = Row(anna)
    anna.write(permission(row.project, ben.user_id, "editor"))
    lists = [s.subscribe("items", "Item", filter=OF, args=[row.project], sort=["position"]) for s in (anna, ben)]
    started = []
    for n in range(30):
        started.append((anna, anna.start("write", {"changes": [row.move("abcd"[n % 4], to="start")]})))
        started.append((ben, ben.start("write", {"changes": [row.move("abcd"[-n % 4], after="abcd"[(1 - n) % 4])]})))
    for session, number in started:
        session.finish(number)
    version = anna.query("Item")["version"]
    for session, live in zip((anna, ben), lists):
        session.settle(version)
        assert sorted(o["body"] for o in live.objects) == list("abcd")
        assert live.objects == session.objects("Item", filter=OF, args=[row.project], sort=["position"])


# projectId


def test_an_item_that_changes_its_project_goes_to_the_end_there(row):
    other = Row(row.owner)
    row.owner.write(update(row.ids["a"], projectId=other.project))
    assert row.order() == "bcd" and other.order() == "abcda"
    assert [row.owner.get("Project", p)["itemCount"] for p in (row.project, other.project)] == [3, 5]


def test_setting_the_same_project_is_no_move(row):
    version = row.owner.query("Item")["version"]
    assert row.owner.write(update(row.ids["a"], projectId=row.project))["version"] == version
    assert row.order() == "abcd"


# filter forms


def test_a_filter_form_updates_every_match(anna, row):
    result = anna.write({"update": "Item", "filter": "projectId == $0 AND body IN {'a', 'c'}", "args": [row.project], "set": {"isDone": True}})
    assert result["ids"] == [None]
    done = {o["body"]: o["isDone"] for o in anna.objects("Item", filter=OF, args=[row.project])}
    assert done == {"a": True, "b": False, "c": True, "d": False}


def test_a_filter_form_deletes_every_match(anna, row):
    assert anna.write({"delete": "Item", "filter": "projectId == $0 AND body > 'b'", "args": [row.project]})["ids"] == [None]
    assert row.order() == "ab"


def test_a_filter_form_settles_its_matches_first(anna, row):
    anna.write({"update": "Item", "filter": "projectId == $0 AND priority < 3", "args": [row.project], "set": {"priority": 2}})
    assert {o["priority"] for o in anna.objects("Item", filter=OF, args=[row.project])} == {2}
    version = anna.write({"update": "Item", "filter": "projectId == $0 AND priority == 2", "args": [row.project], "set": {"priority": 3}})["version"]
    assert anna.query("Item")["version"] == version


def test_a_filter_form_sees_the_entries_before_it(anna, project):
    anna.write(create(project, "new"), {"update": "Item", "filter": OF, "args": [project], "set": {"notes": "seen"}})
    assert [o["notes"] for o in anna.objects("Item", filter=OF, args=[project])] == ["seen"]


def test_a_filter_form_that_matches_nothing_is_no_write(anna):
    version = anna.query("Item")["version"]
    result = anna.write({"update": "Item", "filter": "body == 'nothing'", "set": {"isDone": True}}, {"delete": "Project", "filter": "FALSEPREDICATE"})
    assert result == {"version": version, "ids": [None, None]}


def test_a_filter_form_skips_what_the_caller_may_not_change(anna, ben):
    seen = make_project(ben, items=["seen"], viewer=[anna.user_id])
    unseen = make_project(ben, items=["unseen"])
    edited = make_project(ben, items=["edited"], editor=[anna.user_id])
    own = make_project(anna, items=["own"])
    anna.write({"update": "Item", "filter": "TRUEPREDICATE", "set": {"priority": 3}})
    priorities = {p: ben.objects("Item", filter=OF, args=[p])[0]["priority"] for p in (seen, unseen, edited)}
    assert priorities == {seen: 0, unseen: 0, edited: 3}
    assert anna.objects("Item", filter=OF, args=[own])[0]["priority"] == 3
    anna.write({"delete": "Item", "filter": "TRUEPREDICATE"}, {"delete": "Project", "filter": "TRUEPREDICATE"})
    assert set(ben.ids("Project")) == {seen, unseen, edited}
    assert sorted(o["body"] for o in ben.objects("Item")) == ["seen", "unseen"]
    assert anna.get("Project", own) is None


def test_a_filter_form_knows_the_caller_as_user(anna, ben):
    project = make_project(anna, items=["anna's"], editor=[ben.user_id])
    ben.write(create(project, "ben's"))
    ben.write({"delete": "Item", "filter": "createdBy == $user"})
    assert [o["body"] for o in anna.objects("Item", filter=OF, args=[project])] == ["anna's"]


def test_deleting_projects_by_filter_takes_their_items(anna):
    projects = [make_project(anna, name="Old", items=["x"]) for _ in range(3)]
    anna.write({"delete": "Project", "filter": "name == $0", "args": ["Old"]})
    assert anna.objects("Item") == [] and all(anna.get("Project", p) is None for p in projects)


# Counts and completedAt


def counts(session, project):
    found = session.get("Project", project)
    return found["itemCount"], found["openCount"]


def test_counts_follow_every_kind_of_change(anna, project):
    ids = anna.write(*[create(project, str(n)) for n in range(4)], create(project, isDone=True))["ids"]
    assert counts(anna, project) == (5, 4)
    anna.write(update(ids[0], isDone=True), update(ids[1], isDone=True))
    assert counts(anna, project) == (5, 2)
    anna.write(update(ids[0], isDone=False))
    assert counts(anna, project) == (5, 3)
    anna.write(delete(ids[1]))
    assert counts(anna, project) == (4, 3)
    anna.write({"update": "Item", "filter": OF, "args": [project], "set": {"isDone": True}})
    assert counts(anna, project) == (4, 0)
    other = make_project(anna)
    anna.write(update(ids[0], projectId=other, isDone=False))
    assert counts(anna, project) == (3, 0) and counts(anna, other) == (1, 1)
    anna.write({"upsert": "Item", "object": {"itemId": fresh("i"), "projectId": other, "body": "b"}})
    assert counts(anna, other) == (2, 2)
    anna.write({"delete": "Item", "filter": OF, "args": [project]})
    assert counts(anna, project) == (0, 0)


def test_a_refused_transaction_leaves_the_counts(anna, project):
    anna.refused(create(project), create(project), delete("nothing"))
    assert counts(anna, project) == (0, 0)


def test_completed_at_is_set_and_cleared_with_is_done(anna, project, item):
    assert anna.get("Item", item)["completedAt"] is None
    result = anna.write(update(item, isDone=True), create(project, itemId=(twin := fresh("i"))))
    done = anna.get("Item", item)
    assert done["completedAt"] == anna.get("Item", twin)["timestamp"]
    assert done["completedAt"] >= done["timestamp"]
    assert anna.write(update(item, isDone=True))["version"] == result["version"]
    assert anna.get("Item", item) == done
    anna.write(update(item, isDone=False))
    assert anna.get("Item", item)["completedAt"] is None


def test_completed_at_stays_when_something_else_changes(anna, item):
    anna.write(update(item, isDone=True))
    before = anna.get("Item", item)
    anna.write(update(item, isDone=True, body="New"))
    assert anna.get("Item", item) == {**before, "body": "New"}


def test_completed_at_comes_with_is_done_in_the_change(anna, project, item):
    anna.subscribe("items", "Item", filter=OF, args=[project])
    anna.write(update(item, isDone=True))
    anna.write(update(item, isDone=False))
    sets = [c["updates"][0]["modifications"][0]["set"] for c in anna.take_changes()]
    assert [set(s) for s in sets] == [{"isDone", "completedAt"}] * 2
    assert sets[1] == {"isDone": False, "completedAt": None}


# Permissions and the last owner


def test_permissions_are_created_updated_and_deleted_by_owners(anna, ben, project):
    key = f"{project}:{ben.user_id}"
    result = anna.write({"create": "Permission", "object": {"projectId": project, "userId": ben.user_id, "role": "viewer"}})
    assert result["ids"] == [key]
    assert anna.get("Permission", key) == {"permissionId": key, "projectId": project, "userId": ben.user_id, "role": "viewer"}
    anna.write(update(key, "Permission", role="editor"))
    assert ben.get("Permission", key)["role"] == "editor"
    assert anna.write(permission(project, ben.user_id, "owner"))["ids"] == [key]
    assert ben.get("Permission", key)["role"] == "owner"
    anna.write(delete(key, "Permission"))
    assert anna.get("Permission", key) is None and ben.get("Project", project) is None


def test_a_permission_that_exists_cannot_be_created(anna, ben, project):
    anna.write(permission(project, ben.user_id, "viewer"))
    assert anna.refused({"create": "Permission", "object": {"projectId": project, "userId": ben.user_id, "role": "editor"}}).code == -32004


def test_anyone_may_delete_their_own_permission(anna, ben, person):
    cleo = person("cleo")
    project = make_project(anna, viewer=[ben.user_id], editor=[cleo.user_id])
    for session in (ben, cleo):
        session.write(delete(f"{project}:{session.user_id}", "Permission"))
        assert session.get("Project", project) is None
    assert anna.ids("Permission", filter=OF, args=[project]) == [f"{project}:{anna.user_id}"]


def test_the_last_owner_can_be_neither_deleted_nor_demoted(anna, ben):
    project = make_project(anna, editor=[ben.user_id])
    key = f"{project}:{anna.user_id}"
    assert anna.refused(delete(key, "Permission")).code == -32004
    assert anna.refused(update(key, "Permission", role="editor")).code == -32004
    assert anna.refused(permission(project, anna.user_id, "viewer")).code == -32004
    assert anna.get("Permission", key)["role"] == "owner"


def test_an_owner_who_is_not_the_last_can_leave(anna, ben):
    project = make_project(anna)
    anna.write(permission(project, ben.user_id, "owner"))
    anna.write(delete(f"{project}:{anna.user_id}", "Permission"))
    assert anna.get("Project", project) is None
    assert ben.get("Project", project)["owner"] == ben.user_id
    assert ben.refused(delete(f"{project}:{ben.user_id}", "Permission")).code == -32004


def test_owner_is_the_creator_or_else_the_oldest_owner(anna, ben, person):
    cleo = person("cleo")
    project = make_project(anna)
    live = ben.subscribe("projects", "Project")
    anna.write(permission(project, ben.user_id, "owner"))
    anna.write(permission(project, cleo.user_id, "owner"))
    assert cleo.get("Project", project)["owner"] == anna.user_id
    ben.write(delete(f"{project}:{anna.user_id}", "Permission"))
    assert live.objects[0]["owner"] == cleo.get("Project", project)["owner"] == ben.user_id
    ben.write(permission(project, anna.user_id, "editor"))
    assert live.objects[0]["owner"] == ben.user_id
    ben.write(permission(project, anna.user_id, "owner"))
    assert live.objects[0]["owner"] == anna.get("Project", project)["owner"] == anna.user_id


def test_a_new_owner_reaches_open_lists_as_one_field(anna, ben):
    project = make_project(anna)
    anna.write(permission(project, ben.user_id, "owner"))
    ben.subscribe("projects", "Project")
    ben.settle(anna.write(delete(f"{project}:{anna.user_id}", "Permission"))["version"])
    (message,) = ben.take_changes()
    assert message["updates"][0]["modifications"] == [{"index": 0, "set": {"owner": ben.user_id}}]


def test_rights_given_earlier_in_a_transaction_count_for_the_entries_after(anna, ben):
    """Anna gives up her own right and the next entry is refused, so nothing happened."""
    project = make_project(anna)
    anna.write(permission(project, ben.user_id, "owner"))
    error = anna.refused(permission(project, anna.user_id, "viewer"), create(project))
    assert error.code == -32002
    error = anna.refused(delete(f"{project}:{anna.user_id}", "Permission"), create(project))
    assert error.code == -32003
    assert anna.get("Permission", f"{project}:{anna.user_id}")["role"] == "owner"


# Concurrent writers


def test_the_last_write_of_a_field_wins_and_other_fields_stay(anna, ben):
    project = make_project(anna, items=[{"itemId": (item := fresh("i")), "body": "0"}], editor=[ben.user_id])
    started = []
    for n in range(20):
        started.append((anna, "body", f"a{n}", anna.start("write", {"changes": [update(item, body=f"a{n}")]})))
        started.append((ben, "notes", f"b{n}", ben.start("write", {"changes": [update(item, notes=f"b{n}")]})))
        started.append((ben, "body", f"b{n}", ben.start("write", {"changes": [update(item, body=f"b{n}")]})))
    last = {"body": (0, None), "notes": (0, None)}
    for session, field, value, number in started:
        last[field] = max(last[field], (session.finish(number)["version"], value))
    final = anna.get("Item", item)
    assert (final["body"], final["notes"]) == (last["body"][1], last["notes"][1])
    assert anna.get("Project", project)["itemCount"] == 1


def test_versions_of_concurrent_writes_are_all_different_and_grow(anna, ben):
    projects = {s: make_project(s) for s in (anna, ben)}
    started = [(s, s.start("write", {"changes": [create(p)]})) for _ in range(30) for s, p in projects.items()]
    versions = {anna: [], ben: []}
    for session, number in started:
        versions[session].append(session.finish(number)["version"])
    everything = versions[anna] + versions[ben]
    assert len(set(everything)) == 60
    for own in versions.values():
        assert own == sorted(own)
