"""The predicate language: what each form finds, what is refused and where."""

import pytest

from conftest import create, fresh, make_project

# Nine items; every test below names what it finds by these letters.
ROWS = {
    "a": dict(body="alpha", priority=0, notes="Straße", isDone=False, dueDate=None),
    "b": dict(body="Beta", priority=1, notes="STRASSE", isDone=True, dueDate="2026-01-01T00:00:00Z"),
    "c": dict(body="gamma", priority=2, notes="crème brûlée", isDone=False, dueDate="2026-06-01T12:00:00.500Z"),
    "d": dict(body="", priority=3, notes="", isDone=True, dueDate=None),
    "e": dict(body="it's \"quoted\" \\ back", priority=0, notes="Creme Brulee", isDone=False, dueDate="2027-01-01T00:00:00Z"),
    "f": dict(body="\U0001f600", priority=1, notes="ΣΊΣΥΦΟΣ", isDone=False, dueDate=None),
    "g": dict(body="\uff5e", priority=2, notes="σίσυφος", isDone=True, dueDate="2026-06-01T12:00:00.500Z"),
    "h": dict(body="alphabet soup", priority=3, notes="e\u0301clair", isDone=False, dueDate=None),
    "i": dict(body="50% *off* [x]?", priority=0, notes="éclair", isDone=False, dueDate="0001-01-01T00:00:00Z"),
}  # fmt: skip
ALL = "".join(ROWS)


@pytest.fixture(scope="module")
def data(server):
    """A session whose user sees exactly the nine items; a and b are assigned to the user."""
    from client import Session

    with Session(server.url) as session:
        session.login_as("predicates")
        run = fresh("q")
        session.letters = {f"{run}{letter}": letter for letter in ROWS}
        assigned = {letter: {"assignee": session.user_id} for letter in "ab"}
        items = [{"itemId": f"{run}{letter}", **fields, **assigned.get(letter, {})} for letter, fields in ROWS.items()]
        session.project = make_project(session, name="Data", items=items)
        yield session


def found(session, filter_, *args):
    return "".join(sorted(session.letters[id_] for id_ in session.ids("Item", filter=filter_, args=list(args))))


FINDS = {
    # comparisons
    "priority == 1": "bf",
    "priority = 1": "bf",
    "priority != 1": "acdeghi",
    "priority <> 1": "acdeghi",
    "priority < 1": "aei",
    "priority <= 1": "abefi",
    "priority > 2": "dh",
    "priority >= 2": "cdgh",
    "priority==1": "bf",
    " \t\npriority\n==  1 ": "bf",
    "priority == 1.0": "bf",
    "priority > -1": ALL,
    "isDone == TRUE": "bdg",
    "isDone == true": "bdg",
    "isDone == YES": "bdg",
    "isDone != yes": "acefhi",
    "isDone == FALSE": "acefhi",
    "isDone == NO": "acefhi",
    "body == 'alpha'": "a",
    'body == "alpha"': "a",
    "body == 'Alpha'": "",
    "body == ''": "d",
    "body != ''": "abcefghi",
    "body < 'B'": "di",
    "body >= 'gamma'": "cefg",
    # by code point: U+FF5E comes before U+1F600, though its UTF-16 form comes after
    "body > '\uff5e'": "f",
    "body < '\U0001f600' AND body > 'z'": "g",
    "body == '\U0001f600'": "f",
    # escapes and quotes
    r"""body BEGINSWITH 'it\'s'""": "e",
    r'''body CONTAINS "it's"''': "e",
    r'''body CONTAINS "\"quoted\""''': "e",
    r"""body CONTAINS '"quoted"'""": "e",
    r"""body CONTAINS '\\'""": "e",
    # dates
    "dueDate == '2026-06-01T12:00:00.500Z'": "cg",
    "dueDate == '2026-06-01T14:00:00.5+02:00'": "cg",
    "dueDate < '2026-06-01T12:00:00.500Z'": "bi",
    "dueDate <= '2026-06-01T12:00:00.500Z'": "bcgi",
    "dueDate > \"2026-06-01T12:00:00.499Z\"": "ceg",
    "timestamp > '2020-01-01T00:00:00Z'": ALL,
    # logic
    "priority == 1 AND isDone == TRUE": "b",
    "priority == 1 && isDone == TRUE": "b",
    "priority == 1 and isDone == TRUE": "b",
    "priority == 1 OR priority == 2": "bcfg",
    "priority == 1 || priority == 2": "bcfg",
    "priority == 1 oR priority == 2": "bcfg",
    "NOT priority == 1": "acdeghi",
    "!(priority == 1)": "acdeghi",
    "! priority == 1": "acdeghi",
    "not (priority == 1 or priority == 2)": "adehi",
    "NOT NOT priority == 1": "bf",
    "NOT priority == 1 AND isDone == TRUE": "dg",
    "NOT (priority == 1 AND isDone == TRUE)": "acdefghi",
    "priority == 3 OR priority == 1 AND isDone == TRUE": "bdh",
    "priority == 1 AND isDone == TRUE OR priority == 3": "bdh",
    "(priority == 3 OR priority == 1) AND isDone == TRUE": "bd",
    "((((priority == 1))))": "bf",
    "TRUEPREDICATE": ALL,
    "truepredicate": ALL,
    "FALSEPREDICATE": "",
    "NOT FALSEPREDICATE": ALL,
    "TRUEPREDICATE AND priority == 1": "bf",
    "FALSEPREDICATE OR priority == 1": "bf",
    # IN and BETWEEN
    "priority IN {1, 2}": "bcfg",
    "priority in {1}": "bf",
    "priority IN {}": "",
    "NOT priority IN {1, 2}": "adehi",
    "body IN {'alpha', 'Beta', 'nothing'}": "ab",
    "dueDate IN {NULL}": "adfh",
    "dueDate IN {NULL, '2026-01-01T00:00:00Z'}": "abdfh",
    "dueDate IN {'2026-01-01T00:00:00Z'}": "b",
    "NOT dueDate IN {'2026-01-01T00:00:00Z'}": "acdefghi",
    "priority BETWEEN {1, 2}": "bcfg",
    "priority between {1,1}": "bf",
    "priority BETWEEN {2, 1}": "",
    "dueDate BETWEEN {'2026-01-01T00:00:00Z', '2026-12-31T00:00:00Z'}": "bcg",
    "NOT dueDate BETWEEN {'2026-01-01T00:00:00Z', '2026-12-31T00:00:00Z'}": "adefhi",
    "body BETWEEN {'a', 'b'}": "ah",
    # strings
    "body BEGINSWITH 'alpha'": "ah",
    "body beginswith 'Alpha'": "",
    "body BEGINSWITH[c] 'ALPHA'": "ah",
    "body ENDSWITH 'ta'": "b",
    "body CONTAINS 'a'": "abceh",
    "body CONTAINS[c] 'B'": "beh",
    "body LIKE 'alpha'": "a",
    "body LIKE 'alpha*'": "ah",
    "body LIKE '*a'": "abc",
    "body LIKE '*'": ALL,
    "body LIKE ''": "d",
    "body LIKE '?'": "fg",
    "body LIKE '?????'": "ac",
    "body LIKE '?a*a'": "c",
    "body LIKE[c] 'b*A'": "b",
    "body LIKE '* *'": "ehi",
    "body LIKE '50% *'": "i",
    "body LIKE '*[x]*'": "i",
    "body LIKE '*soup*'": "h",
    # case and diacritics
    "notes CONTAINS[c] 'strasse'": "ab",
    "notes CONTAINS[c] 'STRAßE'": "ab",
    "notes CONTAINS 'strasse'": "",
    "notes BEGINSWITH[c] 'σίσυφοσ'": "fg",
    "notes LIKE[c] 'ΣΊΣΥΦΟΣ'": "fg",
    "notes CONTAINS[d] 'creme'": "c",
    "notes CONTAINS[cd] 'CREME BRULEE'": "ce",
    "notes CONTAINS[cd] 'crème brûlée'": "ce",
    "notes CONTAINS[d] 'Crème'": "e",
    "notes BEGINSWITH[d] 'e'": "hi",
    "notes BEGINSWITH[d] 'é'": "hi",
    "notes BEGINSWITH 'é'": "i",
    "notes BEGINSWITH 'e'": "h",
    "notes LIKE[d] '?clair'": "hi",
    "notes LIKE '?clair'": "i",
    "notes LIKE '??clair'": "h",
    "notes ENDSWITH[c] 'SSE'": "ab",
    # the empty string
    "body CONTAINS ''": ALL,
    "body BEGINSWITH ''": ALL,
    "body ENDSWITH ''": ALL,
    "body CONTAINS[cd] ''": ALL,
    # null
    "dueDate == NULL": "adfh",
    "dueDate == nil": "adfh",
    "dueDate != NULL": "bcegi",
    "dueDate <> NIL": "bcegi",
    "dueDate != '2026-01-01T00:00:00Z'": "acdefghi",
    "NOT dueDate == '2026-01-01T00:00:00Z'": "acdefghi",
    "NOT (dueDate < '2026-06-01T12:00:00.500Z')": "acdefgh",
    "dueDate < NULL": "",
    "dueDate >= NULL": "",
    "NOT (dueDate < NULL)": ALL,
    "completedAt == NULL": "acefhi",
    "assignee == NULL": "cdefghi",
    "assignee CONTAINS ''": "ab",
    "NOT (assignee CONTAINS '')": "cdefghi",
    "assignee != 'someone-else'": ALL,
    "assignee > ''": "ab",
    # the caller
    "assignee == $user": "ab",
    "assignee != $user": "cdefghi",
    "createdBy == $user": ALL,
    "assignee IN {$user}": "ab",
}


@pytest.mark.parametrize("filter_, letters", FINDS.items())
def test_a_filter_finds(data, filter_, letters):
    assert found(data, filter_) == letters


WITH_ARGS = [
    ("priority == $0", [1], "bf"),
    ("priority == $1", ["spare", 1], "bf"),
    ("priority == $0 OR priority == $1", [1, 2], "bcfg"),
    ("priority >= $0 AND priority <= $0", [1], "bf"),
    ("priority == %@ OR priority == %@", [1, 2], "bcfg"),
    ("priority == $0", [1, "spare", None], "bf"),
    ("body == $0", ["it's \"quoted\" \\ back"], "e"),
    ("body == $0", ["$0"], ""),
    ("body == $0", ["' OR TRUEPREDICATE OR body == '"], ""),
    ("isDone == $0", [True], "bdg"),
    ("dueDate == $0", [None], "adfh"),
    ("dueDate != $0", [None], "bcegi"),
    ("dueDate == $0", ["2026-06-01T14:00:00.5+02:00"], "cg"),
    ("priority IN $0", [[1, 2]], "bcfg"),
    ("priority IN $0", [[]], ""),
    ("dueDate IN $0", [[None, "2026-01-01T00:00:00Z"]], "abdfh"),
    ("priority IN {$0, $1}", [1, 2], "bcfg"),
    ("priority BETWEEN $0", [[1, 2]], "bcfg"),
    ("priority BETWEEN {$0, $1}", [1, 2], "bcfg"),
    ("body CONTAINS[c] $0", ["BET"], "bh"),
    ("body LIKE $0", ["a*"], "ah"),
    ("priority == $10", list(range(9)) + [0, 1], "bf"),
    ("assignee == $user AND priority == $0", [1], "b"),
]


@pytest.mark.parametrize("filter_, args, letters", WITH_ARGS)
def test_a_filter_with_arguments_finds(data, filter_, args, letters):
    assert found(data, filter_, *args) == letters


def test_user_is_the_caller_and_not_who_subscribed_first(data, person):
    other = person("other")
    assert other.objects("User", filter="userId == $user") == [other.user]
    assert data.objects("User", filter="userId == $user") == [data.user]


def test_each_class_has_its_own_fields(data):
    assert len(data.objects("Project", filter="openCount == 6 AND itemCount == 9 AND name == 'Data'")) == 1
    assert len(data.objects("Permission", filter="role == 'owner' AND userId == $user")) == 1
    assert len(data.objects("User", filter="isAdmin == FALSE")) == 1
    assert data.objects("Project", filter="owner != $user") == []


# Errors

ERRORS = {
    # (filter): position, or None where the text leaves it open
    "colour == 1": 0,
    "priority == 1 AND colour == 1": 18,
    "body == 'é' AND colour == 1": 17,
    "body == '\U0001f600' AND colour == 1": 19,
    "Body == 'x'": 0,
    "priority == 'x'": 12,
    "body == 5": 8,
    "isDone == 1": 10,
    "isDone == 'TRUE'": 10,
    "dueDate == 'tomorrow'": 11,
    "dueDate == 5": 11,
    "priority ==": 11,
    "priority": 8,
    "priority 1": 9,
    "priority === 1": None,
    "priority == 1 priority == 2": 14,
    "priority == 1 AND": 17,
    "priority == 1 AND AND priority == 2": 18,
    "AND priority == 1": 0,
    "NOT": 3,
    "(priority == 1": 14,
    "priority == 1)": 13,
    "()": 1,
    "priority == 1 XOR priority == 2": 14,
    "body == 'open": None,
    "body == \"mixed'": None,
    "5 == priority": 0,
    "'x' == body": 0,
    "priority IN 1": 12,
    "priority IN {1, 'x'}": 16,
    "priority IN {1 2}": 15,
    "priority IN {1,": None,
    "priority BETWEEN {1}": None,
    "priority BETWEEN {1, 2, 3}": None,
    "priority BETWEEN 1": 17,
    "priority BEGINSWITH 'x'": None,
    "priority LIKE '*'": None,
    "isDone < TRUE": None,
    "isDone BETWEEN {FALSE, TRUE}": None,
    "body BEGINSWITH 5": 16,
    "body BEGINSWITH[x] 'a'": None,
    "body CONTAINS[c 'a'": None,
    "body # 'x'": 5,
    "priority == 1;": 13,
    "priority == 1 -- comment": None,
    "priority == 1e400": None,
    "priority == $": None,
    "priority == $x": None,
    "body == $me": None,
}


@pytest.mark.parametrize("filter_, position", ERRORS.items())
def test_a_broken_filter_is_refused_with_the_position_and_what_was_expected(data, filter_, position):
    error = data.error("query", {"class": "Item", "filter": filter_})
    assert (error.code, error.path) == (-32602, "filter")
    assert type(error.data["position"]) is int
    assert 0 <= error.data["position"] <= len(filter_.encode())
    assert error.data["expected"], "`expected` says what was expected there"
    if position is not None:
        assert error.data["position"] == position


def test_a_broken_filter_is_refused_alike_wherever_it_stands(data):
    text = "priority == 1 AND colour == 1"
    for method, params, path in (
        ("query", {"class": "Item", "filter": text}, "filter"),
        ("subscribe", {"name": "n", "class": "Item", "filter": text}, "filter"),
        ("write", {"changes": [{"delete": "Item", "filter": text}]}, "changes[0].filter"),
        ("write", {"changes": [{"update": "Item", "filter": text, "set": {"body": "x"}}]}, "changes[0].filter"),
    ):
        error = data.error(method, params)
        assert (error.code, error.path, error.data["position"]) == (-32602, path, 18)


BAD_ARGS = [
    ("priority == $0", ["x"], "args[0]"),
    ("priority == $0 AND body == $1", [1, 2], "args[1]"),
    ("body == $0", [5], "args[0]"),
    ("isDone == $0", ["TRUE"], "args[0]"),
    ("isDone == $0", [1], "args[0]"),
    ("dueDate == $0", ["tomorrow"], "args[0]"),
    ("priority IN $0", [1], "args[0]"),
    ("priority BETWEEN $0", [[1]], "args[0]"),
    ("priority BETWEEN $0", [[1, 2, 3]], "args[0]"),
    ("priority == %@", ["x"], "args[0]"),
    ("body == $0", [["x"]], "args[0]"),
]


@pytest.mark.parametrize("filter_, args, path", BAD_ARGS)
def test_an_argument_that_does_not_fit_is_refused_by_its_number(data, filter_, args, path):
    error = data.error("query", {"class": "Item", "filter": filter_, "args": args})
    assert (error.code, error.path) == (-32602, path)


@pytest.mark.parametrize("filter_, args", [
    ("priority == $0", None), ("priority == $0", []), ("priority == $0 AND body == $1", [1]), ("priority == %@", []),
    ("priority == %@ OR priority == %@", [1]), ("priority == $99999999999999999999", [1]),
])  # fmt: skip
def test_a_missing_argument_is_refused(data, filter_, args):
    assert data.error("query", {"class": "Item", "filter": filter_, "args": args}).code == -32602


def test_the_two_kinds_of_places_do_not_mix(data):
    error = data.error("query", {"class": "Item", "filter": "priority == $0 OR priority == %@", "args": [1, 2]})
    assert error.code == -32602


@pytest.mark.parametrize("text", [
    "(" * 20_000 + "priority == 1" + ")" * 20_000,
    "NOT " * 20_000 + "priority == 1",
    "(" * 100_000,
    " AND ".join(["priority == 1"] * 20_000),
    " OR ".join(["(priority == 1 AND (isDone == TRUE))"] * 5_000),
])  # fmt: skip
def test_a_predicate_of_any_depth_is_answered(data, text):
    """Found, refused with the limit or refused as it is: but answered, and the server lives."""
    answer = data.send_and_answer('{"jsonrpc":"2.0","id":1,"method":"query","params":{"class":"Item","filter":"%s"}}' % text)
    if "error" in answer:
        assert answer["error"]["code"] in (-32005, -32602)
        if answer["error"]["code"] == -32005:
            assert answer["error"]["data"]["limit"] and answer["error"]["data"]["maximum"] > 0
    assert found(data, "priority == 1") == "bf"


@pytest.mark.parametrize("pattern", ["*a" * 200 + "b", "*" * 1_000 + "x", "?*" * 500])
def test_a_pattern_that_would_backtrack_is_answered(data, pattern):
    assert isinstance(found(data, "notes LIKE $0", pattern), str)


def test_a_pattern_that_is_too_long_is_refused_where_it_stands(data):
    pattern = "*" * 5_000 + "x"
    for filter_, args, path in (("notes LIKE $0", [pattern], "args[0]"), (f"notes LIKE '{pattern}'", [], "filter")):
        error = data.error("query", {"class": "Item", "filter": filter_, "args": args})
        assert (error.code, error.path) == (-32005, path)
        assert error.data["limit"] and 0 < error.data["maximum"] < 5_000


def test_a_live_list_follows_its_filter(data):
    live = data.subscribe("live", "Item", filter="notes CONTAINS[cd] $0 AND NOT (dueDate < '2026-02-01T00:00:00Z')", args=["ECLAIR"])
    assert "".join(data.letters[k] for k in live.keys) == "h"
    new = data.write(create(data.project, "new", notes="Éclair"))["ids"][0]
    assert set(live.keys) >= {new} and len(live.keys) == 2
    data.write({"update": "Item", "id": new, "set": {"dueDate": "2026-01-01T00:00:00Z"}})
    assert new not in live.keys
    data.write({"delete": "Item", "id": new})
    data.unsubscribe("live")
