"""The JSON-RPC envelope: parsing, invalid requests, ids, notifications, batches, the order of the checks."""

import json

import pytest

from replica import LiveList

INFO = '{"jsonrpc":"2.0","id":1,"method":"info"}'


@pytest.fixture
def session(connect):
    return connect()


def error_of(session, text):
    """The error that this text is answered with, and the id beside it. The connection must live on."""
    answer = session.send_and_answer(text)
    assert isinstance(answer, dict) and "error" in answer, answer
    still = session.send_and_answer('{"jsonrpc":"2.0","id":"still here","method":"info"}')
    assert still["id"] == "still here" and "result" in still
    return answer["error"]["code"], answer["id"]


# Parsing

NOT_JSON = {
    "nothing": "",
    "only spaces": "  ",
    "an open object": "{",
    "an open string": '{"jsonrpc":"2.0","id":1,"method":"info',
    "something behind it": INFO + "x",
    "two objects": INFO + INFO,
    "a trailing comma": '{"jsonrpc":"2.0","id":1,"method":"info",}',
    "single quotes": "{'jsonrpc':'2.0','id':1,'method':'info'}",
    "an unquoted key": '{jsonrpc:"2.0","id":1,"method":"info"}',
    "NaN": '{"jsonrpc":"2.0","id":NaN,"method":"info"}',
    "Infinity": '{"jsonrpc":"2.0","id":Infinity,"method":"info"}',
    "a leading zero": '{"jsonrpc":"2.0","id":01,"method":"info"}',
    "a plus sign": '{"jsonrpc":"2.0","id":+1,"method":"info"}',
    "a bare point": '{"jsonrpc":"2.0","id":1.,"method":"info"}',
    "a hexadecimal number": '{"jsonrpc":"2.0","id":0x1,"method":"info"}',
    "a comment": '{"jsonrpc":"2.0","id":1,"method":"info"/* */}',
    "an unknown escape": '{"jsonrpc":"2.0","id":"\\x","method":"info"}',
    "a short unicode escape": '{"jsonrpc":"2.0","id":"\\u12","method":"info"}',
    "a bare control character": '{"jsonrpc":"2.0","id":"\n","method":"info"}',
    "a byte order mark": "\ufeff" + INFO,
    "True with a capital": '{"jsonrpc":"2.0","id":1,"method":"info","params":{"x":True}}',
    "an open batch": "[" + INFO,
    "a broken element of a batch": "[" + INFO + ",{]",
}


@pytest.mark.parametrize("text", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_what_is_not_json_is_a_parse_error_with_a_null_id(session, text):
    assert error_of(session, text) == (-32700, None)


def test_spaces_around_a_message_are_no_error(session):
    assert "result" in session.send_and_answer("\r\n\t " + INFO + " \n")


TWICE = {
    "in the envelope": '{"jsonrpc":"2.0","id":1,"id":1,"method":"info"}',
    "in the parameters": '{"jsonrpc":"2.0","id":1,"method":"info","params":{"a":1,"a":1}}',
    "deep inside": '{"jsonrpc":"2.0","id":1,"method":"info","params":{"a":[{"b":{"c":1,"d":2,"c":3}}]}}',
    "once escaped": '{"jsonrpc":"2.0","id":1,"method":"info","params":{"a":1,"\\u0061":1}}',
    "in a batch": "[" + INFO + ',{"jsonrpc":"2.0","id":1,"method":"info","params":{"a":1,"a":1}}]',
}


@pytest.mark.parametrize("text", TWICE.values(), ids=TWICE.keys())
def test_a_key_twice_in_one_object_is_a_parse_error(session, text):
    assert error_of(session, text) == (-32700, None)


def test_the_same_key_in_two_objects_is_no_error(session):
    answer = session.send_and_answer('{"jsonrpc":"2.0","id":1,"method":"info","params":{"id":{"id":1}}}')
    assert answer["error"]["code"] == -32602


def nested(depth, opening="[", closing="]"):
    """A request whose nesting, the envelope counted, is `depth`."""
    return '{"jsonrpc":"2.0","id":1,"method":"info","params":' + opening * (depth - 1) + closing * (depth - 1) + "}"


def test_a_nesting_of_64_is_read(session):
    assert error_of(session, nested(64)) == (-32602, 1)


@pytest.mark.parametrize("depth", [65, 100, 1_000, 50_000])
def test_a_nesting_over_64_is_a_parse_error(session, depth):
    assert error_of(session, nested(depth)) == (-32700, None)


def test_nested_objects_count_as_arrays_do(session):
    opening = '{"a":' * 64
    assert error_of(session, '{"jsonrpc":"2.0","id":1,"method":"info","params":' + opening + "1" + "}" * 65) == (-32700, None)


def test_a_very_deep_open_nesting_is_a_parse_error(session):
    assert error_of(session, "[" * 200_000) == (-32700, None)


def test_brackets_inside_a_string_do_not_nest(session):
    answer = session.send_and_answer('{"jsonrpc":"2.0","id":"' + "[{" * 100 + '","method":"info"}')
    assert answer["id"] == "[{" * 100


SURROGATES = {
    "high alone": r"\ud800",
    "low alone": r"\udc00",
    "the wrong way round": r"\ude00\ud83d",
    "high twice": r"\ud83d\ud83d",
    "high before a letter": r"\ud83dx",
    "capital digits": r"\uD83D",
}


@pytest.mark.parametrize("escape", SURROGATES.values(), ids=SURROGATES.keys())
@pytest.mark.parametrize("place", ['{"jsonrpc":"2.0","id":"%s","method":"info"}', '{"jsonrpc":"2.0","id":1,"method":"info","params":{"%s":1}}'])
def test_a_lone_surrogate_is_a_parse_error(session, place, escape):
    assert error_of(session, place % escape) == (-32700, None)


def test_a_pair_of_surrogates_is_a_character(session):
    assert session.send_and_answer(r'{"jsonrpc":"2.0","id":"\ud83d\ude00","method":"info"}')["id"] == "\U0001f600"


def test_an_escaped_backslash_before_u_is_no_surrogate(session):
    assert session.send_and_answer(r'{"jsonrpc":"2.0","id":"\\ud800","method":"info"}')["id"] == r"\ud800"


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" + "0" * 400, "1e99999999999999999999"])
def test_a_number_beyond_a_double_is_a_parse_error(session, number):
    assert error_of(session, '{"jsonrpc":"2.0","id":%s,"method":"info"}' % number) == (-32700, None)
    assert error_of(session, '{"jsonrpc":"2.0","id":1,"method":"info","params":{"a":%s}}' % number) == (-32700, None)


def test_nul_in_a_parameter_is_refused_with_its_path(session):
    error = session.error("login", provider="nickname", nickname="a\0b")
    assert (error.code, error.path) == (-32602, "nickname")


# Invalid requests

INVALID = {
    "a number": "1",
    "a string": '"info"',
    "null": "null",
    "true": "true",
    "an empty object": "{}",
    "no method": '{"jsonrpc":"2.0"}',
    "no version": '{"method":"info"}',
    "params null without method": '{"jsonrpc":"2.0","params":null}',
}


@pytest.mark.parametrize("text", INVALID.values(), ids=INVALID.keys())
def test_what_is_no_request_is_invalid_with_a_null_id(session, text):
    assert error_of(session, text) == (-32600, None)


INVALID_WITH_ID = {
    "no version": '{"id":7,"method":"info"}',
    "version 1.0": '{"jsonrpc":"1.0","id":7,"method":"info"}',
    "a number as version": '{"jsonrpc":2.0,"id":7,"method":"info"}',
    "no method": '{"jsonrpc":"2.0","id":7}',
    "a number as method": '{"jsonrpc":"2.0","id":7,"method":1}',
    "null as method": '{"jsonrpc":"2.0","id":7,"method":null}',
    "a string as params": '{"jsonrpc":"2.0","id":7,"method":"info","params":"x"}',
    "a number as params": '{"jsonrpc":"2.0","id":7,"method":"info","params":1}',
    "a boolean as params": '{"jsonrpc":"2.0","id":7,"method":"info","params":true}',
}


@pytest.mark.parametrize("text", INVALID_WITH_ID.values(), ids=INVALID_WITH_ID.keys())
def test_an_invalid_request_is_refused_whatever_else_it_holds(session, text):
    code, id_ = error_of(session, text)
    assert code == -32600 and id_ in (7, None)


@pytest.mark.parametrize("id_", ["true", "false", "[]", "[1]", "{}", '{"a":1}'])
def test_an_id_that_is_a_boolean_an_array_or_an_object_is_invalid(session, id_):
    assert error_of(session, '{"jsonrpc":"2.0","id":%s,"method":"info"}' % id_) == (-32600, None)


def test_an_invalid_request_without_an_id_is_answered_too(session):
    assert error_of(session, '{"jsonrpc":"2.0","method":"info","params":1}') == (-32600, None)


# Ids

NUMBERS = ["0", "1", "-1", "7.5", "1.0", "-0", "1e2", "1E+2", "1e-7", "1152921504606846976", "18446744073709551616",
           "123456789012345678901234567890", "0.1000", "3.141592653589793238462643383279"]  # fmt: skip


@pytest.mark.parametrize("number", NUMBERS)
def test_a_number_as_id_is_echoed_byte_for_byte(session, number):
    session.send_and_answer('{"jsonrpc":"2.0","id":%s,"method":"info"}' % number)
    assert '"id":%s,' % number in session.last_text.replace(": ", ":") or '"id":%s}' % number in session.last_text


@pytest.mark.parametrize("number", ["7.5", "1.0", "1152921504606846976"])
def test_a_number_as_id_is_echoed_byte_for_byte_in_an_error(session, number):
    session.send_and_answer('{"jsonrpc":"2.0","id":%s,"method":"nothing"}' % number)
    assert '"id":%s' % number in session.last_text


@pytest.mark.parametrize("id_", ["", "a", "7", "é\U0001f600", 'quote " and \\', "line\nbreak", "x" * 5_000])
def test_a_string_as_id_is_echoed(session, id_):
    assert session.send_and_answer(json.dumps({"jsonrpc": "2.0", "id": id_, "method": "info"}))["id"] == id_


def test_a_null_id_is_a_request_and_answered(session):
    answer = session.send_and_answer('{"jsonrpc":"2.0","id":null,"method":"info"}')
    assert answer["id"] is None and "result" in answer


# Notifications

SILENT = {
    "a known method": '{"jsonrpc":"2.0","method":"info"}',
    "an unknown method": '{"jsonrpc":"2.0","method":"nothing"}',
    "bad parameters": '{"jsonrpc":"2.0","method":"info","params":{"x":1}}',
    "array parameters": '{"jsonrpc":"2.0","method":"info","params":[1]}',
    "a method that needs a log-in": '{"jsonrpc":"2.0","method":"query","params":{"class":"Item"}}',
    "a batch of notifications": '[{"jsonrpc":"2.0","method":"info"},{"jsonrpc":"2.0","method":"nothing"}]',
}


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT.keys())
def test_a_request_without_an_id_is_never_answered(session, text):
    session.send_text(text)
    answer = session.send_and_answer('{"jsonrpc":"2.0","id":"next","method":"info"}')
    assert answer["id"] == "next"


def test_a_write_without_an_id_is_carried_out(anna):
    anna.send({"jsonrpc": "2.0", "method": "write", "params": {"changes": [{"create": "Project", "object": {"projectId": "silent", "name": "Silent"}}]}})
    assert anna.get("Project", "silent")["name"] == "Silent"


# Methods and parameters


@pytest.mark.parametrize("method", ["", "nothing", "Info", "INFO", " info", "info ", "rpc.discover", "initial", "change", "\0", "é"])
def test_an_unknown_method_is_not_found_also_before_log_in(session, method):
    assert error_of(session, json.dumps({"jsonrpc": "2.0", "id": 1, "method": method})) == (-32601, 1)


@pytest.mark.parametrize("method", ["info", "login", "register"])
@pytest.mark.parametrize("params", ["[]", "[1]", '["password","a","b"]'])
def test_array_parameters_are_refused(session, method, params):
    text = '{"jsonrpc":"2.0","id":1,"method":"%s","params":%s}' % (method, params)
    assert error_of(session, text) == (-32602, 1)


@pytest.mark.parametrize("method", ["query", "subscribe", "unsubscribe", "write", "logout"])
def test_array_parameters_are_refused_after_log_in(anna, method):
    text = '{"jsonrpc":"2.0","id":1,"method":"%s","params":[]}' % method
    assert error_of(anna, text) == (-32602, 1)


UNKNOWN = {
    "info": {"verbose": True},
    "query": {"class": "Item", "filtre": "isDone == TRUE"},
    "subscribe": {"name": "n", "class": "Item", "filtre": "isDone == TRUE"},
    "unsubscribe": {"name": "n", "all": True},
    "write": {"changes": [], "transaction": "t"},
    "logout": {"everywere": True},
}


@pytest.mark.parametrize("method", UNKNOWN)
def test_an_unknown_parameter_is_refused_by_name(anna, method):
    error = anna.error(method, UNKNOWN[method])
    assert (error.code, error.path) == (-32602, list(UNKNOWN[method])[-1])


@pytest.mark.parametrize("params", [{"provider": "nickname", "nickname": "a", "password": "b"}, {"provider": "token", "token": "t", "extra": 1}])
def test_an_unknown_parameter_of_a_log_in_is_refused(session, params):
    error = session.error("login", params)
    assert (error.code, error.path) == (-32602, list(params)[-1])


def test_a_refused_subscription_with_an_unknown_parameter_subscribes_to_nothing(anna):
    anna.error("subscribe", {"name": "n", "class": "Item", "filtre": "isDone == TRUE"})
    assert anna.error("unsubscribe", name="n").code == -32003


def test_null_is_absence_for_an_optional_parameter(anna):
    assert "objects" in anna.query("Project", filter=None, args=None, sort=None, limit=None, offset=None)
    assert anna.call("write", txn=None, changes=[])["ids"] == []


@pytest.mark.parametrize("method", ["query", "subscribe", "unsubscribe", "write", "logout"])
def test_what_needs_a_log_in_is_refused_before_it(session, method):
    assert session.error(method, {}).code == -32001


# The order of the checks


def test_the_envelope_is_checked_before_the_method(session):
    assert error_of(session, '{"jsonrpc":"2.0","id":1,"method":"nothing","params":"x"}')[0] == -32600


def test_the_method_is_checked_before_the_parameters_and_the_log_in(session):
    assert error_of(session, '{"jsonrpc":"2.0","id":1,"method":"nothing","params":[1]}') == (-32601, 1)


def test_the_log_in_is_checked_before_the_parameters(session):
    assert error_of(session, '{"jsonrpc":"2.0","id":1,"method":"query","params":[1]}') == (-32001, 1)
    assert error_of(session, '{"jsonrpc":"2.0","id":1,"method":"query","params":{"clas":"Item"}}') == (-32001, 1)


def test_a_parse_error_comes_before_anything_else(session):
    assert error_of(session, '{"jsonrpc":"1.0","id":true,"method":"nothing","params":{"a":1,"a":2}}') == (-32700, None)


def test_parameters_are_checked_before_sight(anna):
    error = anna.refused({"update": "Item", "id": "unseen", "set": {"body": 5}})
    assert (error.code, error.path) == (-32602, "changes[0].set.body")


# Batches


def test_a_batch_is_answered_with_one_array_in_its_order(session):
    answers = session.send_and_answer(
        '[{"jsonrpc":"2.0","id":"a","method":"info"},{"jsonrpc":"2.0","method":"info"},'
        '{"jsonrpc":"2.0","id":2,"method":"nothing"},{"jsonrpc":"2.0","id":null,"method":"info"}]'
    )
    assert [a["id"] for a in answers] == ["a", 2, None]
    assert ["result" in a for a in answers] == [True, False, True]
    assert answers[1]["error"]["code"] == -32601


def test_a_batch_of_one_is_answered_with_an_array(session):
    answers = session.send_and_answer("[" + INFO + "]")
    assert isinstance(answers, list) and len(answers) == 1


def test_an_empty_batch_is_one_invalid_request(session):
    assert error_of(session, "[]") == (-32600, None)


def test_each_element_that_is_no_request_is_answered_in_the_array(session):
    answers = session.send_and_answer("[1,[],null," + INFO + ",{}]")
    assert [a.get("error", {}).get("code") for a in answers] == [-32600, -32600, -32600, None, -32600]
    assert [a["id"] for a in answers] == [None, None, None, 1, None]


def test_a_batch_inside_a_batch_is_invalid(session):
    answers = session.send_and_answer("[[" + INFO + "]]")
    assert [(a["error"]["code"], a["id"]) for a in answers] == [(-32600, None)]


def test_a_batch_of_100_is_answered(session):
    answers = session.send_and_answer("[" + ",".join([INFO] * 100) + "]")
    assert len(answers) == 100 and all("result" in a for a in answers)


def test_a_batch_of_over_100_is_one_error_that_names_the_limit(session):
    answer = session.send_and_answer("[" + ",".join([INFO] * 101) + "]")
    assert isinstance(answer, dict)
    assert (answer["id"], answer["error"]["code"]) == (None, -32005)
    assert answer["error"]["data"]["maximum"] == 100
    assert answer["error"]["data"]["limit"]


def test_a_batch_of_over_100_is_not_carried_out(anna):
    request = {"jsonrpc": "2.0", "id": 1, "method": "write", "params": {"changes": [{"create": "Project", "object": {"name": "Never"}}]}}
    anna.send([request] * 101)
    assert anna.receive_answer()["error"]["code"] == -32005
    assert anna.objects("Project", filter="name == 'Never'") == []


def test_requests_of_a_batch_are_carried_out_in_order(anna):
    create = {"create": "Project", "object": {"projectId": "in-batch", "name": "One"}}
    answers = anna.batch(
        anna.request("write", {"changes": [create]}),
        anna.request("query", {"class": "Project", "filter": "projectId == 'in-batch'"}),
        anna.request("write", {"changes": [{"update": "Project", "id": "in-batch", "set": {"name": "Two"}}]}),
        anna.request("query", {"class": "Project", "filter": "projectId == 'in-batch'"}),
    )
    assert [o["name"] for a in answers if "objects" in a["result"] for o in a["result"]["objects"]] == ["One", "Two"]


def create_project(anna, id_):
    return anna.request("write", {"changes": [{"create": "Project", "object": {"projectId": id_, "name": "N"}}]})


def test_inside_a_batch_notifications_come_first_and_the_array_last(anna):
    live = anna.subscribe("mine", "Project", filter="owner == $user")
    answers = anna.batch(create_project(anna, "batch-1"), anna.request("info"), create_project(anna, "batch-2"))
    assert all("result" in a for a in answers)
    assert live.keys == ["batch-1", "batch-2"]


def test_a_list_subscribed_to_in_a_batch_comes_to_reflect_a_write_of_that_batch(anna):
    live = anna.lists["mine"] = LiveList("mine")
    answers = anna.batch(
        anna.request("subscribe", {"name": "mine", "class": "Project", "filter": "owner == $user"}), create_project(anna, "batch-3")
    )
    assert all("result" in a for a in answers)
    anna.wait_complete(live)
    anna.settle(answers[1]["result"]["version"])
    assert live.keys == ["batch-3"]


# One connection, one order


def test_requests_are_answered_in_the_order_sent(anna):
    started = []
    for n in range(40):
        started.append(anna.start("info"))
        started.append(anna.start("query", {"class": "Project"}))
        started.append(anna.start("write", {"changes": [{"create": "Project", "object": {"name": f"P{n}"}}]}))
        started.append(anna.start("nothing"))
    answered = [anna.receive_answer()["id"] for _ in started]
    assert answered == started


def test_a_bad_message_does_not_stop_the_ones_behind_it(session):
    for text in ("{", "[]", '{"jsonrpc":"2.0","id":1,"method":"nothing"}', "1", INFO):
        session.send_text(text)
    answers = [session.receive_answer() for _ in range(5)]
    assert [a.get("error", {}).get("code") for a in answers] == [-32700, -32600, -32601, -32600, None]


# Errors


ERRORS = {
    "method": (-32601, "nothing", {}),
    "class": (-32602, "query", {"class": "Nothing"}),
    "filter": (-32602, "query", {"class": "Item", "filter": "x"}),
    "sight": (-32003, "write", {"changes": [{"delete": "Item", "id": "unseen"}]}),
    "unsubscribe": (-32003, "unsubscribe", {"name": "unknown"}),
    "login": (-32008, "login", {"provider": "password", "username": "nobody", "password": "wrong password"}),
}


@pytest.mark.parametrize("code, method, params", ERRORS.values(), ids=ERRORS.keys())
def test_an_error_has_a_sentence_and_a_stable_reason(anna, connect, code, method, params):
    session = connect() if method == "login" else anna
    error = session.error(method, params)
    assert error.code == code
    assert len(error.message) >= 5
    assert isinstance(error.data.get("reason"), str) and error.data["reason"]
    assert " " not in error.data["reason"], "a reason is a word for machines"
