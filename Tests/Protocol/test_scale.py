"""Large lists, many sessions, slow readers: everyone ends with the same."""

import json

import pytest

import raw
from client import Session, parse
from conftest import create, delete, make_project, permission, update
from raw import TEXT, RawConnection, frame, head, upgrade_headers
from replica import LiveList

OF = "projectId == $0"


@pytest.fixture
def large(anna):
    """A project with 2,000 items."""
    project = make_project(anna)
    for start in (0, 1000):
        anna.write(*[create(project, f"{n:04}", notes="x" * 100) for n in range(start, start + 1000)])
    return project


def test_a_large_first_list_comes_in_parts_without_gap_or_repeat(anna, large):
    live = anna.subscribe("large", "Item", filter=OF, args=[large], sort=["body"])
    assert [o["body"] for o in live.objects] == [f"{n:04}" for n in range(2000)]
    assert live.parts > 1


def test_a_large_first_list_comes_without_any_other_traffic(start_server, connect):
    """Nothing but the socket itself that takes a part may be needed for the next one to come."""
    alone = connect(start_server("--providers", "nickname"))
    alone.login_as("alone")
    project = make_project(alone)
    for start in range(0, 3000, 1000):
        alone.write(*[create(project, f"{n:04}", notes="x" * 100) for n in range(start, start + 1000)])
    assert len(alone.subscribe("large", "Item").objects) == 3000


def test_other_traffic_goes_on_between_the_parts(anna, large):
    anna.lists["large"] = LiveList("large", sort=["body"])
    anna.start("subscribe", {"name": "large", "class": "Item", "filter": OF, "args": [large], "sort": ["body"]})
    numbers = [anna.start("info") for _ in range(20)]
    assert "result" in anna.receive_answer()
    for number in numbers:
        assert anna.finish(number)["protocol"] == "todosync.v1"
    anna.wait_complete(anna.lists["large"])


def test_writes_while_a_large_first_list_is_sent_are_neither_lost_nor_doubled(anna, person, large):
    query = {"filter": OF, "args": [large], "sort": ["body"]}
    first = anna.objects("Item", **query)
    reader = person(again=anna)
    reader.lists["large"] = LiveList("large", sort=["body"])
    reader.lists["large"].next_sort = ["body"]
    reader.start("subscribe", {"name": "large", "class": "Item", **query})
    started = []
    for n in range(60):
        victim = first[n * 30]["itemId"]
        started.append(anna.start("write", {"changes": [update(victim, body=f"{(n * 37) % 2000:04}x"), create(large, f"{n * 33:04}y")]}))
        started.append(anna.start("write", {"changes": [delete(first[n * 30 + 1]["itemId"])]}))
    version = max(anna.finish(number)["version"] for number in started)
    live = reader.wait_complete(reader.lists["large"])
    reader.settle(version)
    assert live.objects == reader.objects("Item", **query)
    assert len(live.objects) == 2000


def test_a_large_list_runs_empty_in_one_change(anna, large):
    live = anna.subscribe("large", "Item", filter=OF, args=[large], sort=["body"])
    anna.write({"delete": "Item", "filter": OF, "args": [large]})
    (message,) = anna.take_changes()
    assert message["updates"][0]["deletions"] == list(range(2000))
    assert live.objects == []


def test_a_small_window_of_a_large_list_follows(anna, large):
    live = anna.subscribe("window", "Item", filter=OF, args=[large], sort=["-body"], limit=10)
    for body in ("2000", "1500", "3000"):
        anna.write(create(large, body))
    assert [o["body"] for o in live.objects][:3] == ["3000", "2000", "1999"]
    anna.write({"delete": "Item", "filter": "projectId == $0 AND body >= '1995'", "args": [large]})
    assert [o["body"] for o in live.objects] == [f"{n}" for n in range(1994, 1984, -1)]


def test_many_sessions_that_all_write_end_with_the_same_list(anna, person):
    people = [person() for _ in range(30)]
    project = make_project(anna, editor=[p.user_id for p in people])
    query = {"filter": OF, "args": [project], "sort": ["-priority", "body"]}
    lists = [p.subscribe("items", "Item", **query) for p in people]
    started = [
        (p, p.start("write", {"changes": [create(project, f"{n}-{m}", priority=(n + m) % 4)]})) for m in range(5) for n, p in enumerate(people)
    ]
    version = max(p.finish(number)["version"] for p, number in started)
    expected = anna.query("Item", **query)
    assert expected["version"] == version and len(expected["objects"]) == 150
    for p, live in zip(people, lists):
        p.settle(version)
        assert live.objects == expected["objects"]


def test_many_lists_of_one_session_change_in_one_message(anna, project):
    lists = [
        anna.subscribe(f"list-{n}", "Item", filter="projectId == $0 AND priority >= $1", args=[project, n % 4], sort=["body"]) for n in range(40)
    ]
    anna.write(*[create(project, f"{n:02}", priority=n % 4) for n in range(20)])
    assert len(anna.take_changes()) == 1
    assert [len(live.objects) for live in lists] == [20, 15, 10, 5] * 10


def test_merged_messages_name_everyone_who_wrote_and_never_lose_a_change(anna, person):
    writers = [person() for _ in range(12)]
    project = make_project(anna, editor=[w.user_id for w in writers])
    live = anna.subscribe("items", "Item", filter=OF, args=[project], sort=["body"])
    anna.take_changes()
    started = [(w, w.start("write", {"changes": [create(project, f"{n:02}-{m}")]})) for m in range(10) for n, w in enumerate(writers)]
    versions = [w.finish(number)["version"] for w, number in started]
    anna.settle(max(versions))
    changes = anna.take_changes()
    assert [c["version"] for c in changes] == sorted({c["version"] for c in changes})
    assert {c["version"] for c in changes} <= set(versions)
    assert {u for c in changes for u in c["by"]} <= {w.user_id for w in writers}
    assert all(c["by"] for c in changes)
    assert len(live.objects) == 120


def test_a_reader_that_does_not_read_for_a_while_ends_right(server, anna, person):
    ben = person("ben")
    project = make_project(anna, viewer=[ben.user_id])
    query = {"class": "Item", "filter": OF, "args": [project], "sort": ["body"]}
    with raw.RawWebSocket(server.port) as slow:
        def send(method, params):
            slow.send_frame(raw.TEXT, json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))

        send("login", {"provider": "token", "token": ben.token})
        assert "result" in parse(slow.receive_text())
        send("subscribe", {"name": "items", **query})
        live = LiveList("items", sort=["body"])
        live.next_sort = ["body"]
        for n in range(150):
            anna.write(create(project, f"{n:03}", notes="x" * 20_000))
        for n in range(0, 150, 3):
            anna.write({"delete": "Item", "filter": "projectId == $0 AND body == $1", "args": [project, f"{n:03}"]})
        version = anna.query("Item")["version"]
        send("info", {})
        seen = 0
        while not live.is_complete or live.version < version:
            message = parse(slow.receive_text())
            if message.get("method") == "initial":
                live.apply_initial(message["params"])
            elif message.get("method") == "change":
                assert message["params"]["version"] > seen
                seen = message["params"]["version"]
                for update_ in message["params"]["updates"]:
                    live.apply_change(update_, seen)
        assert live.objects == anna.objects("Item", **{k: v for k, v in query.items() if k != "class"})
        assert len(live.objects) == 100


def test_a_slow_reader_does_not_hold_up_others(server, anna, person):
    ben = person("ben")
    project = make_project(anna, viewer=[ben.user_id])
    with raw.RawWebSocket(server.port) as slow:
        slow.send_frame(raw.TEXT, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "login", "params": {"provider": "token", "token": ben.token}}))
        slow.receive_text()
        slow.send_frame(
            raw.TEXT,
            json.dumps({"jsonrpc": "2.0", "id": 2, "method": "subscribe", "params": {"name": "all", "class": "Item", "filter": OF, "args": [project]}}),
        )
        live = ben.subscribe("items", "Item", filter=OF, args=[project], sort=["body"])
        for n in range(100):
            version = anna.write(create(project, f"{n:03}", notes="x" * 50_000))["version"]
        ben.settle(version)
        assert len(live.objects) == 100


def test_a_reader_that_stops_for_good_is_closed_with_4003_or_served_in_the_end(start_server, person):
    """Where it does not even read the close frame it may be reset."""
    server = start_server("--providers", "nickname")
    anna = person("anna", to=server)
    project = make_project(anna)
    with raw.RawWebSocket(server.port) as stuck:
        def send(method, params):
            stuck.send_frame(raw.TEXT, json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))

        send("login", {"provider": "token", "token": anna.token})
        assert "result" in parse(stuck.receive_text())
        send("subscribe", {"name": "items", "class": "Item"})
        live = LiveList("items")
        while not live.is_complete:
            message = parse(stuck.receive_text())
            if message.get("method") == "initial":
                live.apply_initial(message["params"])
        for _ in range(22):
            version = anna.write(*[create(project, notes="x" * 100_000) for _ in range(9)])["version"]
        while live.version < version:
            try:
                opcode, payload, _ = stuck.receive_frame()
            except ConnectionResetError:
                break
            if opcode == raw.CLOSE:
                assert int.from_bytes(payload[:2]) == 4003
                break
            if opcode == raw.TEXT:
                change = parse(payload.decode())["params"]
                live.apply_change(change["updates"][0], change["version"])
        assert len(anna.ids("Item")) == 198


def test_sessions_that_come_and_go_leave_the_others_undisturbed(anna, person):
    project = make_project(anna, access="everyone-write")
    live = anna.subscribe("items", "Item", filter=OF, args=[project], sort=["body"])
    for n in range(25):
        guest = person()
        guest.subscribe("items", "Item", filter=OF, args=[project], sort=["body"])
        version = guest.write(create(project, f"{n:02}"))["version"]
        if n % 2:
            guest.abort()
        else:
            guest.close()
        anna.settle(version)
    assert [o["body"] for o in live.objects] == [f"{n:02}" for n in range(25)]
    anna.write(delete(project, "Project"))


def test_a_session_that_is_cut_right_after_its_write_was_answered_lost_nothing(anna, person, project):
    for n in range(5):
        other = person(again=anna)
        other.write(create(project, f"{n}"))
        other.abort()
    assert anna.get("Project", project)["itemCount"] == 5


def test_grants_to_many_people_at_once_reach_each_of_them(anna, person):
    people = [person() for _ in range(15)]
    lists = [p.subscribe("items", "Item", sort=["body"]) for p in people]
    project = make_project(anna, items=["a", "b"])
    version = anna.write(*[permission(project, p.user_id, "viewer") for p in people])["version"]
    for p, live in zip(people, lists):
        p.settle(version)
        assert [o["body"] for o in live.objects] == ["a", "b"]
    version = anna.write({"delete": "Permission", "filter": "projectId == $0 AND userId != $user", "args": [project]})["version"]
    for p, live in zip(people, lists):
        p.settle(version)
        assert live.objects == []




def test_a_thousand_connections_at_once_are_all_served(server):
    """All shake hands before one of them asks, all ask before one of them is read from."""
    sockets = [RawConnection(server.port) for _ in range(1000)]
    try:
        for socket in sockets:
            socket.send(head("GET", "/sync", server.port, upgrade_headers("dGhlIHNhbXBsZSBub25jZQ==")))
        for socket in sockets:
            assert socket.reply().status == 101
        for number, socket in enumerate(sockets):
            socket.send(frame(TEXT, '{"jsonrpc":"2.0","id":"number-%d","method":"info"}' % number))
        for number, socket in enumerate(sockets):
            assert socket.read(1) == b"\x81"
            assert b'"number-%d"' % number in socket.read_until(b"}}")
    finally:
        for socket in sockets:
            socket.close()
    with Session(server.url) as session:
        assert session.call("info")["protocol"] == "todosync.v1"
