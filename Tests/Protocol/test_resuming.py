"""`since` and `epoch`: a client that was away ends up right, whether the server resumes its copy or starts again."""

import pytest

from conftest import create, delete, fresh, make_project, permission, update

OF = "projectId == $0"


class Away:
    """Ben's copy of a list, and what happens while he is away."""

    def __init__(self, anna, ben, person, role="viewer", **query):
        self.anna, self.ben, self.person = anna, ben, person
        run = fresh("r")
        self.ids = {b: f"{run}{b}" for b in "abcdefgh"}
        self.project = make_project(anna, items=[{"itemId": self.ids[b], "body": b} for b in "bdfh"], **{role: [ben.user_id]})
        self.query = {"filter": OF, "args": [self.project], "sort": ["body"], **query}
        self.class_ = self.query.pop("class_", "Item")
        live = ben.subscribe("list", self.class_, **self.query)
        self.epoch = ben.call("info")["epoch"]
        self.since, self.objects = live.version, list(live.objects)
        ben.close()

    def create(self, body):
        return create(self.project, body, itemId=self.ids[body])

    def back(self, **changed):
        """Connects again and subscribes with the old copy; the list must then be right. The session and the list."""
        session = self.person(again=self.ben)
        query = {"since": self.since, "epoch": self.epoch, **self.query, **changed}
        since, epoch = query.pop("since"), query.pop("epoch")
        live = session.resume("list", self.class_, self.objects, since, epoch, **query)
        current = session.query(self.class_, **self.query)
        assert live.objects == current["objects"]
        assert live.version == current["version"]
        changes, initials = session.take_changes(), session.take_initials()
        if live.result.get("resumed"):
            assert len(changes) == 1 and initials == []
            assert changes[0]["by"] == []
            assert changes[0]["updates"][0]["state"] == "complete"
        else:
            assert initials and changes == []
        self.anna.write(create(self.project, "zz"))
        session.settle(self.anna.query("Item")["version"])
        assert live.objects == session.objects(self.class_, **self.query)
        return session, live


@pytest.fixture
def away(anna, person):
    def away(**query):
        return Away(anna, person("ben"), person, **query)

    return away


def test_the_result_says_whether_the_list_was_resumed(away):
    _, live = away().back()
    assert isinstance(live.result["resumed"], bool)


def test_a_copy_that_is_up_to_date_is_resumed_with_an_empty_change(away):
    a = away()
    session, live = a.back()
    assert live.result["resumed"] is True


def test_a_copy_is_brought_up_to_date_by_one_change(away):
    a = away()
    a.anna.write(a.create("a"), delete(a.ids["d"]))
    a.anna.write(update(a.ids["f"], notes="new"))
    a.anna.write(update(a.ids["b"], body="z"))
    _, live = a.back()
    assert live.result["resumed"] is True


def test_a_copy_is_resumed_on_the_same_connection_as_well(anna, project):
    live = anna.subscribe("list", "Item", filter=OF, args=[project])
    since, epoch = live.version, anna.call("info")["epoch"]
    anna.unsubscribe("list")
    anna.write(create(project, "new"))
    live = anna.resume("list", "Item", [], since, epoch, filter=OF, args=[project])
    assert [o["body"] for o in live.objects] == ["new"]


def test_what_was_created_and_deleted_meanwhile_is_not_mentioned(away):
    a = away()
    a.anna.write(a.create("a"))
    a.anna.write(delete(a.ids["a"]))
    a.back()


def test_what_was_changed_and_changed_back_meanwhile_is_not_mentioned(away):
    a = away()
    a.anna.write(update(a.ids["b"], body="z", notes="n"))
    a.anna.write(update(a.ids["b"], body="b", notes=""))
    a.back()


def test_what_was_deleted_and_created_again_meanwhile_ends_right(away):
    a = away()
    a.anna.write(delete(a.ids["b"]))
    a.anna.write(create(a.project, "z", itemId=a.ids["b"]))
    a.back()


def test_a_window_is_resumed(away):
    a = away(limit=3)
    a.anna.write(a.create("a"), delete(a.ids["d"]))
    a.anna.write(update(a.ids["h"], body="c"))
    a.back()


def test_a_window_whose_rows_were_all_deleted_is_resumed(away):
    a = away(limit=2)
    a.anna.write(delete(a.ids["b"]), delete(a.ids["d"]))
    a.back()


def test_a_filtered_list_is_resumed(away):
    a = away(filter="projectId == $0 AND isDone == FALSE")
    a.anna.write(update(a.ids["b"], isDone=True))
    a.anna.write(update(a.ids["d"], isDone=True))
    a.anna.write(update(a.ids["d"], isDone=False))
    a.back()


def test_a_list_of_projects_is_resumed(away):
    a = away(class_="Project", filter=None, args=None, sort=["name"])
    a.anna.write(a.create("a"), update(a.project, "Project", name="New"))
    make_project(a.anna, name="Seen", viewer=[a.ben.user_id])
    a.back()


def test_moves_are_resumed(away):
    a = away(sort=["position"])
    a.anna.write({"move": "Item", "id": a.ids["h"], "to": "start"})
    a.anna.write({"move": "Item", "id": a.ids["b"], "after": a.ids["f"]})
    a.back()


def test_a_right_that_was_lost_meanwhile_empties_the_list(away):
    a = away()
    a.anna.write(delete(f"{a.project}:{a.ben.user_id}", "Permission"))
    a.anna.write(update(a.ids["b"], body="secret"))
    _, live = a.back()
    assert live.objects == []


def test_a_right_that_was_lost_and_given_back_meanwhile_ends_right(away):
    a = away()
    a.anna.write(delete(f"{a.project}:{a.ben.user_id}", "Permission"))
    a.anna.write(update(a.ids["b"], body="z"), delete(a.ids["d"]))
    a.anna.write(permission(a.project, a.ben.user_id, "editor"))
    _, live = a.back()
    assert len(live.objects) == 4


def test_a_right_that_was_gained_meanwhile_fills_the_list(away):
    a = away(filter=None, args=None)
    make_project(a.anna, items=["new"], viewer=[a.ben.user_id])
    _, live = a.back()
    assert "new" in [o["body"] for o in live.objects]


def test_access_that_was_opened_meanwhile_keeps_the_list(away):
    a = away()
    a.anna.write(update(a.project, "Project", access="everyone-read"))
    a.anna.write(delete(f"{a.project}:{a.ben.user_id}", "Permission"))
    _, live = a.back()
    assert len(live.objects) == 5
    a.anna.write(delete(a.project, "Project"))


def test_access_that_was_closed_meanwhile_empties_the_list(anna, person):
    stranger = person("stranger")
    project = make_project(anna, access="everyone-read", items=["x", "y"])
    query = {"filter": OF, "args": [project], "sort": ["body"]}
    live = stranger.subscribe("list", "Item", **query)
    since, objects, epoch = live.version, live.objects, stranger.call("info")["epoch"]
    assert len(objects) == 2
    stranger.close()
    anna.write(update(project, "Project", access="private"), create(project, "secret"))
    assert person(again=stranger).resume("list", "Item", objects, since, epoch, **query).objects == []


def test_a_project_that_was_deleted_meanwhile_empties_the_list(anna, person):
    ben = person("ben")
    project = make_project(anna, items=["x", "y"], viewer=[ben.user_id])
    live = ben.subscribe("list", "Item", sort=["body"])
    since, objects, epoch = live.version, live.objects, ben.call("info")["epoch"]
    ben.close()
    anna.write(delete(project, "Project"))
    back = person(again=ben)
    assert back.resume("list", "Item", objects, since, epoch, sort=["body"]).objects == []


def test_an_old_copy_is_resumed_or_started_again_after_many_commits(away):
    a = away()
    for n in range(150):
        a.anna.write(update(a.ids["b"], body=f"{n % 10}"), update(a.ids["d"], notes=str(n)))
    a.back()


@pytest.mark.parametrize("changed", [
    {"epoch": "another-history"},
    {"epoch": None},
    {"epoch": ""},
    {"since": 10**9},
    {"since": 2**53},
])  # fmt: skip
def test_a_position_that_the_server_cannot_trust_starts_again_without_an_error(away, changed):
    a = away()
    a.anna.write(a.create("a"))
    _, live = a.back(**changed)
    assert live.result["resumed"] is False


def test_a_position_before_the_store_began_ends_right(away):
    a = away()
    a.since = 0
    a.objects = []
    a.back()


@pytest.mark.parametrize("member, value", [("since", "1"), ("since", 1.5), ("since", True), ("epoch", 5), ("update", 1)])
def test_a_position_that_is_none_is_refused(anna, member, value):
    error = anna.error("subscribe", {"name": "n", "class": "Item", "since": 1, "epoch": "e", member: value})
    assert (error.code, error.path) == (-32602, member)


@pytest.mark.parametrize("since", [-1, -(2**63), -(2**70), 10**6, 2**63 - 1, 2**63, 2**70, 1e30, -1e30], ids=str)
def test_a_position_before_the_log_or_in_the_future_gives_the_whole_list(away, since):
    """However far: a number that 64 bits don't hold is whole all the same."""
    a = away()
    a.anna.write(a.create("a"))
    a.since = since
    session = a.person(again=a.ben)
    result = session.call("subscribe", {"name": "list", "class": "Item", "since": since, "epoch": a.epoch, **a.query})
    assert result["resumed"] is False


def test_many_sessions_resume_at_once(anna, person):
    project = make_project(anna, access="everyone-read", items=[{"itemId": (item := fresh("i")), "body": "0"}])
    query = {"filter": OF, "args": [project], "sort": ["body"]}
    people = [person() for _ in range(15)]
    copies = [(p.subscribe("list", "Item", **query).version, list(p.lists["list"].objects)) for p in people]
    epoch = anna.call("info")["epoch"]
    for p in people:
        p.close()
    for n in range(5):
        anna.write(update(item, body=str(n)), create(project, str(n)))
    expected = anna.objects("Item", **query)
    for p, (since, objects) in zip(people, copies):
        assert person(again=p).resume("list", "Item", objects, since, epoch, **query).objects == expected
    anna.write(delete(project, "Project"))
