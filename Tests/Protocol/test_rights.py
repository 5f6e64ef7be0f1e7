"""Who may do what, who sees what, and how a grant or a revocation reaches an open session."""

import pytest

from conftest import create, delete, fresh, make_project, permission, update

OF = "projectId == $0"
UNSEEN, FORBIDDEN, CONFLICT = -32003, -32002, -32004


class Shared:
    """A project of Anna's with one item, on which Ben has a role (or none), and a private project of Ben's."""

    def __init__(self, anna, ben, role=None, access="private"):
        self.item, self.other = fresh("i"), fresh("i")
        items = [{"itemId": self.item, "body": "One"}, {"itemId": self.other, "body": "Two"}]
        roles = {role: [ben.user_id]} if role else {}
        self.project = make_project(anna, items=items, access=access, **roles)
        self.anna, self.ben = anna, ben

    def close(self):
        """Others in this module must not see it any more."""
        if self.anna.get("Project", self.project):
            self.anna.write(delete(self.project, "Project"))

    def attempts(self):
        """Every kind of change to the project, by the right it takes."""
        return {
            "edit": {
                "create an item": create(self.project),
                "upsert a new item": {"upsert": "Item", "object": {"itemId": fresh("i"), "projectId": self.project, "body": "b"}},
                "upsert an item": {"upsert": "Item", "object": {"itemId": self.item, "projectId": self.project, "body": "b"}},
                "update an item": update(self.item, body="New"),
                "move an item": {"move": "Item", "id": self.item, "to": "end"},
                "move an item before another": {"move": "Item", "id": self.other, "before": self.item},
                "delete an item": delete(self.other),
                "rename the project": update(self.project, "Project", name="New"),
            },
            "own": {
                "change the access": update(self.project, "Project", access="everyone-read"),
                "change the access back": update(self.project, "Project", access="private"),
                "give a permission": permission(self.project, self.ben.user_id, "owner"),
                "change a permission": update(f"{self.project}:{self.anna.user_id}", "Permission", role="viewer"),
                "delete another's permission": delete(f"{self.project}:{self.anna.user_id}", "Permission"),
                "delete the project": delete(self.project, "Project"),
            },
        }


@pytest.fixture
def shared(anna, ben):
    made = []

    def shared(role=None, access="private"):
        made.append(Shared(anna, ben, role, access))
        return made[-1]

    yield shared
    for one in made:
        one.close()


def refusals(session, attempts):
    return {name: session.refused(change).code for name, change in attempts.items()}


# Rights by role


def test_who_has_no_permission_sees_and_changes_nothing(shared, ben):
    s = shared()
    for class_ in ("Project", "Item", "Permission"):
        assert ben.objects(class_, filter=OF, args=[s.project]) == []
    for attempts in s.attempts().values():
        assert set(refusals(ben, attempts).values()) == {UNSEEN}


def test_a_viewer_sees_the_project_and_may_change_nothing(shared, ben):
    s = shared("viewer")
    assert ben.get("Project", s.project)["itemCount"] == 2
    assert len(ben.objects("Item", filter=OF, args=[s.project])) == 2
    assert len(ben.objects("Permission", filter=OF, args=[s.project])) == 2
    for attempts in s.attempts().values():
        assert set(refusals(ben, attempts).values()) == {FORBIDDEN}


def test_an_editor_may_change_items_and_rename_but_not_more(shared, ben):
    s = shared("editor")
    attempts = s.attempts()
    assert set(refusals(ben, attempts["own"]).values()) == {FORBIDDEN}
    for change in attempts["edit"].values():
        ben.write(change)
    assert ben.get("Project", s.project)["name"] == "New"


def test_an_owner_may_do_everything(shared, ben):
    s = shared("owner")
    attempts = s.attempts()
    for change in attempts["edit"].values():
        ben.write(change)
    for name in ("change the access", "change the access back", "give a permission", "delete another's permission", "delete the project"):
        ben.write(attempts["own"][name])
    assert ben.get("Project", s.project) is None


def test_an_update_of_name_and_access_needs_the_right_for_both(shared, ben):
    s = shared("editor")
    assert ben.refused(update(s.project, "Project", name="New", access="everyone-read")).code == FORBIDDEN
    assert ben.get("Project", s.project)["name"] == "Project"


def test_a_viewer_cannot_raise_the_own_role(shared, ben):
    s = shared("viewer")
    key = f"{s.project}:{ben.user_id}"
    assert ben.refused(update(key, "Permission", role="owner")).code == FORBIDDEN
    assert ben.refused(permission(s.project, ben.user_id, "editor")).code == FORBIDDEN
    assert ben.refused(delete(key, "Permission"), permission(s.project, ben.user_id, "owner")).code == UNSEEN
    assert ben.get("Permission", key)["role"] == "viewer"


# Rights by access


def test_everyone_sees_a_project_open_for_reading_and_may_change_nothing(shared, ben):
    s = shared(access="everyone-read")
    assert ben.get("Project", s.project)["access"] == "everyone-read"
    assert len(ben.objects("Item", filter=OF, args=[s.project])) == 2
    assert len(ben.objects("Permission", filter=OF, args=[s.project])) == 1
    for attempts in s.attempts().values():
        assert set(refusals(ben, attempts).values()) == {FORBIDDEN}


def test_everyone_edits_a_project_open_for_writing_but_does_not_own_it(shared, ben):
    s = shared(access="everyone-write")
    attempts = s.attempts()
    assert set(refusals(ben, attempts["own"]).values()) == {FORBIDDEN}
    for change in attempts["edit"].values():
        ben.write(change)
    assert len(ben.objects("Permission", filter=OF, args=[s.project])) == 1


def test_an_editor_stays_one_where_everyone_may_read(shared, ben):
    s = shared("editor", "everyone-read")
    ben.write(update(s.item, body="New"))
    ben.write(delete(f"{s.project}:{ben.user_id}", "Permission"))
    assert ben.refused(update(s.item, body="Newer")).code == FORBIDDEN
    assert ben.get("Item", s.item)["body"] == "New"


def test_new_projects_are_private_when_the_server_says_so(anna, ben):
    project = anna.write({"create": "Project", "object": {"name": "N"}})["ids"][0]
    assert anna.get("Project", project)["access"] == "private"
    assert ben.get("Project", project) is None


@pytest.mark.parametrize("access", ["everyone-read", "everyone-write"])
def test_the_configured_access_is_the_default_of_new_projects(start_server, person, access):
    server = start_server("--providers", "nickname", "--access", access)
    anna, ben = person("anna", to=server), person("ben", to=server)
    project = anna.write({"create": "Project", "object": {"name": "N"}}, {"create": "Project", "object": {"name": "P", "access": "private"}})["ids"]
    assert [anna.get("Project", p)["access"] for p in project] == [access, "private"]
    assert ben.ids("Project") == project[:1]


# Existence never leaks


def pairs(s):
    """Changes to something unseen beside the same change to something that does not exist."""
    nothing = "n" * len(s.item)
    return {
        "update an item": (update(s.item, body="x"), update(nothing, body="x")),
        "delete an item": (delete(s.item), delete(nothing)),
        "move an item": ({"move": "Item", "id": s.item, "to": "end"}, {"move": "Item", "id": nothing, "to": "end"}),
        "update with if": (
            {"update": "Item", "id": s.item, "set": {"body": "x"}, "if": {"body": "y"}},
            {"update": "Item", "id": nothing, "set": {"body": "x"}, "if": {"body": "y"}},
        ),
        "rename": (update(s.project, "Project", name="x"), update(nothing, "Project", name="x")),
        "delete a project": (delete(s.project, "Project"), delete(nothing, "Project")),
        "create an item": (create(s.project), create(nothing)),
        "create a known item": (create(s.project, itemId=s.item), create(nothing, itemId=s.item)),
        "give a permission": (permission(s.project, s.ben.user_id, "viewer"), permission(nothing, s.ben.user_id, "viewer")),
        "delete a permission": (
            delete(f"{s.project}:{s.anna.user_id}", "Permission"),
            delete(f"{nothing}:{s.anna.user_id}", "Permission"),
        ),
    }


PAIRS = ["update an item", "delete an item", "move an item", "update with if", "rename", "delete a project", "create an item",
         "create a known item", "give a permission", "delete a permission"]  # fmt: skip


@pytest.mark.parametrize("kind", PAIRS)
def test_what_is_unseen_is_refused_like_what_does_not_exist(shared, ben, kind):
    s = shared()
    unseen, missing = (ben.refused(change) for change in pairs(s)[kind])
    assert unseen.code == missing.code == UNSEEN
    nothing = "n" * len(s.item)

    def blank(error):
        text = str(error)
        for id_ in (s.item, s.project, nothing):
            text = text.replace(id_, "ID")
        return text

    assert blank(unseen) == blank(missing)


def test_an_unseen_target_of_a_move_is_refused_like_a_missing_one(shared, ben):
    s = shared()
    own = fresh("i")
    make_project(ben, items=[{"itemId": own, "body": "mine"}])
    assert ben.refused({"move": "Item", "id": own, "after": s.item}).code == UNSEEN
    assert ben.refused({"move": "Item", "id": own, "after": "nothing"}).code == UNSEEN


def test_an_item_cannot_be_put_into_an_unseen_or_a_foreign_project(shared, ben):
    s, seen = shared(), shared("viewer")
    own = fresh("i")
    mine = make_project(ben, items=[{"itemId": own, "body": "mine"}])
    assert ben.refused(update(own, projectId=s.project)).code == UNSEEN
    assert ben.refused(update(own, projectId="nothing")).code == UNSEEN
    assert ben.refused(update(own, projectId=seen.project)).code == FORBIDDEN
    assert ben.refused(update(seen.item, projectId=mine)).code == FORBIDDEN
    assert ben.get("Item", own)["projectId"] == mine


def test_an_editor_of_both_projects_may_put_an_item_from_one_into_the_other(shared, ben):
    one, two = shared("editor"), shared("editor")
    ben.write(update(one.item, projectId=two.project))
    assert ben.get("Item", one.item)["projectId"] == two.project


def test_ids_belong_to_the_store_so_an_unseen_one_is_a_conflict(shared, ben):
    s = shared()
    mine = make_project(ben)
    assert ben.refused(create(mine, itemId=s.item)).code == CONFLICT
    assert ben.refused({"upsert": "Item", "object": {"itemId": s.item, "projectId": mine, "body": "b"}}).code == CONFLICT
    assert ben.refused({"create": "Project", "object": {"projectId": s.project, "name": "N"}}).code == CONFLICT
    assert ben.refused({"upsert": "Project", "object": {"projectId": s.project, "name": "N"}}).code == CONFLICT
    assert s.anna.get("Item", s.item)["body"] == "One"
    assert s.anna.get("Project", s.project)["name"] == "Project"


def test_an_upsert_of_an_unseen_item_without_its_project_is_answered_as_one_of_an_unknown_item(shared, ben):
    s = shared()
    unseen = ben.refused({"upsert": "Item", "object": {"itemId": s.item, "body": "b"}})
    unknown = ben.refused({"upsert": "Item", "object": {"itemId": fresh("i"), "body": "b"}})
    assert (unseen.code, unseen.message, unseen.data) == (unknown.code, unknown.message, unknown.data)
    assert unseen.code == -32602


def test_sight_and_right_of_the_target_project_are_checked_before_the_id(shared, ben):
    hidden, seen = shared(), shared("viewer")
    assert ben.refused(create(hidden.project, itemId=hidden.item)).code == UNSEEN
    assert ben.refused(create(seen.project, itemId=hidden.item)).code == FORBIDDEN
    assert ben.refused(create(seen.project, itemId=seen.item)).code == FORBIDDEN


def test_sight_of_every_object_is_checked_before_the_right_to_any(shared, ben):
    hidden, seen = shared(), shared("viewer")
    assert ben.refused({"move": "Item", "id": seen.item, "after": hidden.item}).code == UNSEEN
    assert ben.refused({"move": "Item", "id": seen.item, "before": "never-made"}).code == UNSEEN
    assert ben.refused(update(seen.item, projectId=hidden.project)).code == UNSEEN
    assert ben.refused({"upsert": "Item", "object": {"itemId": seen.item, "projectId": hidden.project, "body": "b"}}).code == UNSEEN
    assert ben.refused({"move": "Item", "id": seen.item, "after": seen.other}).code == FORBIDDEN


def test_upserting_onto_a_visible_object_without_the_right_is_forbidden(shared, ben):
    s = shared("viewer")
    assert ben.refused({"upsert": "Item", "object": {"itemId": s.item, "projectId": s.project, "body": "b"}}).code == FORBIDDEN
    assert ben.refused({"upsert": "Project", "object": {"projectId": s.project, "name": "N"}}).code == FORBIDDEN


@pytest.mark.parametrize("filter_", [
    "itemId == $0", "itemId IN {$0}", "itemId BEGINSWITH $0", "NOT itemId == ''", "body == 'One'", "TRUEPREDICATE",
])  # fmt: skip
def test_no_filter_finds_what_is_unseen(shared, ben, filter_):
    s = shared()
    assert ben.objects("Item", filter=filter_, args=[s.item]) == []
    live = ben.subscribe("items", "Item", filter=filter_, args=[s.item])
    assert live.objects == []
    ben.settle(s.anna.write(update(s.item, notes="changed"), create(s.project))["version"])
    assert ben.take_changes() == []


def test_a_permission_of_an_unknown_user_is_refused(anna, project):
    assert anna.refused(permission(project, "nobody", "viewer")).code in (UNSEEN, -32602)


# Grants and revocations reach open sessions


class Watching:
    """Ben's open lists over everything he sees."""

    def __init__(self, ben):
        self.ben = ben
        self.lists = {c: ben.subscribe(c, c) for c in ("Project", "Item", "Permission", "User")}
        self.own = ben.subscribe("window", "Item", sort=["body"], limit=1)
        ben.take_changes()

    def after(self, session, *changes):
        """The names of the lists that the change reached, in one message (none: an empty set)."""
        self.ben.settle(session.write(*changes)["version"])
        messages = self.ben.take_changes()
        assert len(messages) <= 1, messages
        for class_, live in self.lists.items():
            assert live.objects == self.ben.objects(class_)
        return {u["name"] for m in messages for u in m["updates"]}

    def counts(self):
        return {c: len(live.objects) for c, live in self.lists.items()}


def test_a_grant_reaches_open_lists_as_insertions_in_one_message(shared, anna, ben):
    s = shared()
    watching = Watching(ben)
    reached = watching.after(anna, permission(s.project, ben.user_id, "viewer"))
    assert reached == {"Project", "Item", "Permission", "User", "window"}
    assert watching.counts() == {"Project": 1, "Item": 2, "Permission": 2, "User": 2}
    assert [o["body"] for o in watching.own.objects] == ["One"]


def test_a_revocation_reaches_open_lists_as_deletions_in_one_message(shared, anna, ben):
    s = shared("editor")
    watching = Watching(ben)
    reached = watching.after(anna, delete(f"{s.project}:{ben.user_id}", "Permission"))
    assert reached == {"Project", "Item", "Permission", "User", "window"}
    assert watching.counts() == {"Project": 0, "Item": 0, "Permission": 0, "User": 1}


def test_after_a_revocation_nothing_more_of_the_project_comes(shared, anna, ben):
    s = shared("editor")
    watching = Watching(ben)
    watching.after(anna, delete(f"{s.project}:{ben.user_id}", "Permission"))
    assert watching.after(anna, update(s.item, body="Secret"), create(s.project, "Secret")) == set()
    assert ben.refused(update(s.item, body="x")).code == UNSEEN


def test_sight_that_is_given_back_brings_the_rows_as_they_are_now(shared, anna, ben):
    s = shared("viewer")
    watching = Watching(ben)
    watching.after(anna, delete(f"{s.project}:{ben.user_id}", "Permission"))
    watching.after(anna, update(s.item, body="Changed"), delete(s.other))
    watching.after(anna, permission(s.project, ben.user_id, "viewer"))
    assert [o["body"] for o in watching.lists["Item"].objects] == ["Changed"]


def test_losing_sight_does_not_end_a_subscription(shared, anna, ben):
    s = shared("viewer")
    live = ben.subscribe("items", "Item", filter=OF, args=[s.project])
    ben.settle(anna.write(delete(f"{s.project}:{ben.user_id}", "Permission"))["version"])
    assert live.objects == [] and "items" in ben.lists
    ben.settle(anna.write(permission(s.project, ben.user_id, "viewer"))["version"])
    assert len(live.objects) == 2


def test_leaving_empties_the_own_lists_before_the_result(shared, ben):
    s = shared("editor")
    live = ben.subscribe("items", "Item", filter=OF, args=[s.project])
    ben.write(delete(f"{s.project}:{ben.user_id}", "Permission"))
    assert live.objects == []


def test_a_change_of_role_reaches_the_list_of_permissions_only(shared, anna, ben):
    s = shared("viewer")
    watching = Watching(ben)
    assert watching.after(anna, permission(s.project, ben.user_id, "editor")) == {"Permission"}
    ben.write(update(s.item, notes="allowed now"))


def test_opening_and_closing_a_project_reaches_everyone(shared, anna, ben):
    s = shared()
    watching = Watching(ben)
    assert watching.after(anna, update(s.project, "Project", access="everyone-read")) >= {"Project", "Item", "Permission", "User"}
    assert watching.counts() == {"Project": 1, "Item": 2, "Permission": 1, "User": 2}
    assert watching.after(anna, update(s.project, "Project", access="everyone-write")) == {"Project"}
    assert watching.after(anna, update(s.project, "Project", access="private")) >= {"Project", "Item", "Permission", "User"}
    assert watching.counts() == {"Project": 0, "Item": 0, "Permission": 0, "User": 1}


def test_closing_a_project_does_not_hide_it_from_who_holds_a_permission(shared, anna, ben):
    s = shared("viewer", "everyone-write")
    watching = Watching(ben)
    assert watching.after(anna, update(s.project, "Project", access="private")) == {"Project"}
    assert ben.refused(update(s.item, body="x")).code == FORBIDDEN


def test_a_deleted_project_leaves_every_list(shared, anna, ben):
    s = shared("viewer")
    watching = Watching(ben)
    watching.after(anna, delete(s.project, "Project"))
    assert watching.counts() == {"Project": 0, "Item": 0, "Permission": 0, "User": 1}


def test_an_item_that_goes_to_an_unseen_project_leaves_and_comes_back(shared, anna, ben):
    seen, hidden = shared("viewer"), shared()
    watching = Watching(ben)
    watching.after(anna, update(seen.item, projectId=hidden.project))
    assert watching.lists["Item"].keys == [seen.other]
    assert watching.lists["Project"].objects[0]["itemCount"] == 1
    assert watching.after(anna, update(seen.item, body="Secret")) == set()
    watching.after(anna, update(seen.item, projectId=seen.project))
    assert {o["body"] for o in watching.lists["Item"].objects} == {"Secret", "Two"}


def test_an_item_created_in_an_unseen_project_shows_in_no_count(shared, anna, ben):
    hidden = shared()
    watching = Watching(ben)
    assert watching.after(anna, create(hidden.project), update(hidden.project, "Project", name="Secret")) == set()


def test_a_grant_and_a_change_in_one_transaction_arrive_together(shared, anna, ben):
    s = shared()
    watching = Watching(ben)
    watching.after(anna, update(s.item, body="New"), permission(s.project, ben.user_id, "viewer"), create(s.project, "Three"))
    assert {o["body"] for o in watching.lists["Item"].objects} == {"New", "Two", "Three"}


def test_a_grant_and_a_revocation_in_one_transaction_show_nothing(shared, anna, ben):
    s = shared()
    watching = Watching(ben)
    reached = watching.after(anna, permission(s.project, ben.user_id, "viewer"), delete(f"{s.project}:{ben.user_id}", "Permission"))
    assert reached == set()


def test_a_user_stays_seen_while_any_shared_project_is(shared, anna, ben):
    one, two = shared("viewer"), shared("viewer")
    watching = Watching(ben)
    watching.after(anna, delete(f"{one.project}:{ben.user_id}", "Permission"))
    assert watching.counts()["User"] == 2
    watching.after(anna, delete(f"{two.project}:{ben.user_id}", "Permission"))
    assert watching.counts()["User"] == 1


def test_two_sessions_with_the_same_query_and_different_rights_see_different_lists(shared, anna, ben, person):
    cleo = person("cleo")
    one, two = shared("viewer"), shared()
    anna.write(permission(two.project, cleo.user_id, "viewer"))
    filter_ = {"filter": "projectId IN {$0, $1}", "args": [one.project, two.project], "sort": ["body"]}
    lists = [s.subscribe("items", "Item", **filter_) for s in (anna, ben, cleo)]
    version = anna.write(create(one.project, "for Ben"), create(two.project, "for Cleo"))["version"]
    for session in (ben, cleo):
        session.settle(version)
    seen = [[o["body"] for o in live.objects] for live in lists]
    assert seen == [["One", "One", "Two", "Two", "for Ben", "for Cleo"], ["One", "Two", "for Ben"], ["One", "Two", "for Cleo"]]


def test_rights_hold_for_a_list_fixed_to_one_project_that_others_share(shared, anna, ben):
    """Sharing one list between sessions must not carry it past the loss of a right."""
    s = shared("viewer")
    query = {"filter": OF, "args": [s.project], "sort": ["body"]}
    mine, yours = anna.subscribe("items", "Item", **query), ben.subscribe("items", "Item", **query)
    ben.settle(anna.write(delete(f"{s.project}:{ben.user_id}", "Permission"), create(s.project, "Three"))["version"])
    assert yours.objects == [] and len(mine.objects) == 3
    ben.settle(anna.write(create(s.project, "Four"))["version"])
    assert yours.objects == [] and len(mine.objects) == 4
    ben.settle(anna.write(permission(s.project, ben.user_id, "viewer"))["version"])
    assert yours.objects == mine.objects
