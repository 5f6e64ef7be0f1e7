"""`info`, `register`, `login` and `logout`: who one is, and what dies when."""

import re

import pytest

from client import Closed, RpcError
from conftest import make_project, nickname, update

DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
PASSWORD = "correct horse"


@pytest.fixture
def account(connect):
    """Registers an account; (session, username)."""

    def account(name="account", password=PASSWORD):
        username = nickname(name)
        session = connect()
        session.register(username, password)
        return session, username

    return account


# info


def test_info_says_what_the_server_is_without_a_log_in(connect):
    info = connect().call("info")
    assert set(info) == {"server", "protocol", "providers", "limits", "epoch", "now"}
    assert info["protocol"] == "todosync.v1"
    assert isinstance(info["server"], str) and info["server"]
    assert isinstance(info["epoch"], str) and info["epoch"]
    assert DATE.fullmatch(info["now"])


def test_info_names_the_providers_that_are_on(connect):
    providers = connect().call("info")["providers"]
    assert len(providers) == len(set(providers))
    assert {"password", "nickname"} <= set(providers) <= {"password", "nickname", "token"}


def test_info_shows_the_limits_as_numbers(connect):
    limits = connect().call("info")["limits"]
    assert limits
    assert all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in limits.values()), limits


def test_info_takes_empty_parameters(connect):
    assert connect().call("info", {})["protocol"] == "todosync.v1"


def test_info_tells_a_version_once_logged_in(anna):
    info = anna.call("info")
    assert set(info) == {"server", "protocol", "providers", "limits", "epoch", "now", "version"}
    assert type(info["version"]) is int


def test_the_version_in_info_is_where_the_complete_lists_stand(anna, ben, project):
    live = anna.subscribe("items", "Item", filter="projectId == $0", args=[project])
    version = anna.write({"create": "Item", "object": {"projectId": project, "body": "B"}})["version"]
    assert live.version == version
    assert anna.call("info")["version"] >= version


def test_the_epoch_is_the_same_for_everyone(connect, anna):
    assert connect().call("info")["epoch"] == anna.call("info")["epoch"]


# register and the password provider


def test_register_logs_in(account):
    session, username = account()
    assert session.user["name"] == username
    assert session.user["isAdmin"] is False
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", session.user_id)
    assert session.objects("User", filter="userId == $user") == [session.user]


def test_a_log_in_tells_a_token_and_when_it_expires(account, connect):
    _, username = account()
    result = connect().login_with_password(username, PASSWORD)
    assert isinstance(result["token"], str) and len(result["token"]) >= 16
    assert DATE.fullmatch(result["expiresAt"])
    assert result["expiresAt"] > connect().call("info")["now"]


def test_the_same_account_is_the_same_user(account, connect):
    session, username = account()
    again = connect()
    again.login_with_password(username, PASSWORD)
    assert again.user == session.user
    assert again.token != session.token


def test_a_name_that_is_taken_cannot_be_registered(account, connect):
    _, username = account()
    assert connect().error("register", username=username, password="another password").code == -32004


def test_a_wrong_password_and_an_unknown_name_are_refused_alike(account, connect):
    _, username = account()
    wrong = connect().error("login", provider="password", username=username, password="wrong password")
    unknown = connect().error("login", provider="password", username=nickname("nobody"), password="wrong password")
    assert wrong.code == unknown.code == -32008
    assert wrong.message == unknown.message
    assert wrong.data.get("reason") == unknown.data.get("reason")


def test_after_a_refused_log_in_the_connection_is_not_logged_in_and_may_try_again(account, connect):
    _, username = account()
    session = connect()
    session.error("login", provider="password", username=username, password="wrong password")
    assert session.error("query", {"class": "Item"}).code == -32001
    session.login_with_password(username, PASSWORD)
    assert session.objects("Item") == []


@pytest.mark.parametrize("password", ["x" * 8, "x" * 1024, "é" * 4, "pass\tword \U0001f600", " " * 8])
def test_passwords_of_8_to_1024_bytes_are_taken(connect, password):
    username = nickname("length")
    connect().register(username, password)
    connect().login_with_password(username, password)


@pytest.mark.parametrize("password", ["", "x" * 7, "x" * 1025, "é" * 513, 12345678, None, True])
def test_other_passwords_are_refused(connect, password):
    error = connect().error("register", {"username": nickname("length"), "password": password})
    assert (error.code, error.path) == (-32602, "password")


def test_a_password_counts_to_its_last_byte(connect):
    username = nickname("last-byte")
    connect().register(username, "x" * 1023 + "a")
    error = connect().error("login", provider="password", username=username, password="x" * 1023 + "b")
    assert error.code == -32008


@pytest.mark.parametrize("missing", ["username", "password"])
def test_register_needs_both_parameters(connect, missing):
    params = {"username": nickname("missing"), "password": PASSWORD}
    del params[missing]
    error = connect().error("register", params)
    assert (error.code, error.path) == (-32602, missing)


# nickname


def test_a_nickname_comes_into_being_at_first_use_and_stays(connect):
    name = nickname("nick")
    first, second = connect(), connect()
    first.login_as(name)
    second.login_as(name)
    assert first.user["name"] == name
    assert first.user == second.user
    assert first.user["isAdmin"] is False


def test_different_nicknames_are_different_users(person):
    assert person("a").user_id != person("b").user_id


def test_a_nickname_may_be_any_unicode(connect):
    session = connect()
    session.login_as(nickname("Zoë \U0001f600 中"))
    assert session.user["name"].startswith("Zoë \U0001f600 中")


def test_a_nickname_never_enters_an_account_with_a_password(account, connect):
    owner, username = account()
    session = connect()
    try:
        session.login_as(username)
    except RpcError as error:
        assert error.code == -32008
    else:
        assert session.user_id != owner.user_id


@pytest.mark.parametrize("params, path", [
    ({"provider": "nickname"}, "nickname"),
    ({"provider": "nickname", "nickname": 5}, "nickname"),
    ({"provider": "password", "username": "u"}, "password"),
    ({"provider": "password", "password": "p" * 8}, "username"),
    ({"provider": "password", "username": ["u"], "password": "p" * 8}, "username"),
    ({"provider": "token"}, "token"),
    ({"provider": "token", "token": 1}, "token"),
    ({"provider": 1}, "provider"),
    ({}, "provider"),
])  # fmt: skip
def test_a_log_in_with_bad_parameters_is_refused_with_their_path(connect, params, path):
    error = connect().error("login", params)
    assert (error.code, error.path) == (-32602, path)


# Providers that are off


@pytest.mark.parametrize("provider", ["facebook", "jwt", "", "Password"])
def test_a_provider_that_is_not_enabled_is_an_invalid_parameter(connect, provider):
    error = connect().error("login", {"provider": provider} | ({"token": "a.b.c"} if provider == "jwt" else {}))
    assert error.code == -32008
    assert "Invalid parameter 'provider'" in error.message


def test_where_sign_up_is_off_nobody_registers_and_those_who_have_an_account_log_in(start_server, connect):
    server = start_server()
    connect(server).register("anna", "correct horse")
    server.stop()
    server.flags += ["--sign-up", "no"]
    server.start()
    assert connect(server).error("register", username="ben", password="correct horse").code == -32002
    connect(server).login_with_password("anna", "correct horse")


def test_nicknames_are_off_by_default(start_server, connect):
    server = start_server()
    session = connect(server)
    assert "nickname" not in session.call("info")["providers"]
    assert "password" in session.call("info")["providers"]
    error = session.error("login", provider="nickname", nickname="anna")
    assert error.code == -32008
    assert "Invalid parameter 'provider'" in error.message
    session.register("anna", PASSWORD)


def test_passwords_can_be_off(start_server, connect):
    server = start_server("--providers", "nickname")
    session = connect(server)
    error = session.error("login", provider="password", username="anna", password=PASSWORD)
    assert error.code == -32008
    assert "Invalid parameter 'provider'" in error.message
    session.login_as("anna")


# token


def test_a_token_of_an_earlier_log_in_logs_in_and_is_returned_again(anna, connect):
    again = connect()
    result = again.login_with_token(anna.token)
    assert result["token"] == anna.token
    assert again.user == anna.user
    assert DATE.fullmatch(result["expiresAt"])


def test_a_token_outlives_its_connection(person, connect):
    session = person()
    session.close()
    again = connect()
    again.login_with_token(session.token)
    assert again.user == session.user


@pytest.mark.parametrize("token", ["", "x", "A" * 43, "../..", "é"])
def test_a_token_that_never_was_is_refused(connect, token):
    assert connect().error("login", provider="token", token=token).code in (-32008, -32009)


# Logging in again


def test_logging_in_as_the_same_user_keeps_the_lists(anna, project):
    live = anna.subscribe("items", "Item", filter="projectId == $0", args=[project])
    anna.login_as(anna.user["name"])
    anna.login_with_token(anna.token)
    anna.write({"create": "Item", "object": {"itemId": "kept", "projectId": project, "body": "B"}})
    assert live.keys == ["kept"]


def test_logging_in_as_another_user_on_a_logged_in_connection_is_refused(anna, ben):
    error = anna.error("login", provider="nickname", nickname=ben.user["name"])
    assert error.code == -32004
    assert anna.error("login", provider="token", token=ben.token).code == -32004
    assert anna.objects("User", filter="userId == $user") == [anna.user]


# logout


def test_after_a_log_out_the_connection_is_open_but_not_logged_in(anna):
    assert anna.call("logout") == {}
    assert anna.error("query", {"class": "Item"}).code == -32001
    assert "version" not in anna.call("info")


def test_a_log_out_ends_the_lists(anna, person, project):
    other = person(again=anna)
    anna.subscribe("items", "Item", filter="projectId == $0", args=[project])
    anna.call("logout")
    anna.lists.clear()
    other.write({"create": "Item", "object": {"projectId": project, "body": "B"}})
    anna.login_as(anna.user["name"])
    assert anna.error("unsubscribe", name="items").code == -32003
    assert len(anna.subscribe("items", "Item", filter="projectId == $0", args=[project], sort=["body"]).keys) == 1


def test_after_a_log_out_another_user_may_log_in_on_the_connection(anna, ben):
    anna.call("logout")
    anna.login_as(ben.user["name"])
    assert anna.user == ben.user


def test_a_token_is_dead_after_its_log_out(anna, connect):
    anna.call("logout")
    assert anna.error("login", provider="token", token=anna.token).code == -32009
    assert connect().error("login", provider="token", token=anna.token).code == -32009


def test_a_log_out_closes_the_other_connections_on_the_token(anna, connect):
    others = [connect(), connect()]
    for other in others:
        other.login_with_token(anna.token)
    anna.call("logout")
    assert [other.closed_code() for other in others] == [4002, 4002]
    assert anna.call("info")["protocol"] == "todosync.v1"


@pytest.mark.parametrize("params", [None, {}, {"everywhere": False}, {"everywhere": None}])
def test_a_log_out_spares_the_users_other_tokens(anna, person, ben, params):
    other = person(again=anna)
    assert anna.call("logout", params) == {}
    assert other.objects("User", filter="userId == $user") == [other.user]
    assert ben.objects("User", filter="userId == $user") == [ben.user]


def test_a_log_out_everywhere_ends_all_sessions_of_the_user_and_no_other(anna, person, ben, connect):
    others = [person(again=anna), person(again=anna)]
    assert anna.call("logout", everywhere=True) == {}
    assert [other.closed_code() for other in others] == [4002, 4002]
    for token in (anna.token, others[0].token, others[1].token):
        assert connect().error("login", provider="token", token=token).code == -32009
    assert anna.error("query", {"class": "Item"}).code == -32001
    assert ben.objects("User", filter="userId == $user") == [ben.user]


def test_everywhere_is_a_boolean(anna):
    error = anna.error("logout", everywhere="yes")
    assert (error.code, error.path) == (-32602, "everywhere")
    assert anna.objects("Item", filter="FALSEPREDICATE") == []


def test_a_closed_session_gets_no_further_change(anna, person, project):
    other = person(again=anna)
    other.subscribe("items", "Item", filter="projectId == $0", args=[project])
    anna.call("logout", everywhere=True)
    with pytest.raises(Closed) as closed:
        while True:
            other.receive()
    assert closed.value.code == 4002


# Users


def test_a_user_is_seen_by_itself_with_the_fields_of_its_class(anna):
    assert anna.objects("User", filter="userId == $user") == [{"userId": anna.user_id, "name": anna.user["name"], "isAdmin": False}]


def test_strangers_do_not_see_each_other(anna, ben):
    assert anna.get("User", ben.user_id) is None
    assert ben.get("User", anna.user_id) is None


def test_who_sees_a_project_sees_the_users_that_hold_a_permission_on_it(anna, ben, person):
    cleo = person("cleo")
    make_project(anna, viewer=[ben.user_id], editor=[cleo.user_id])
    for session in (anna, ben, cleo):
        for seen in (anna, ben, cleo):
            assert session.get("User", seen.user_id) == seen.user


def test_on_a_project_open_to_everyone_a_stranger_sees_its_holders_but_is_not_seen(anna, ben, person):
    stranger = person("stranger")
    project = make_project(anna, access="everyone-read", viewer=[ben.user_id])
    assert stranger.get("User", anna.user_id) == anna.user
    assert stranger.get("User", ben.user_id) == ben.user
    assert anna.get("User", stranger.user_id) is None
    anna.write({"delete": "Project", "id": project})
    assert stranger.get("User", anna.user_id) is None


def test_users_come_and_go_in_open_lists(anna, ben):
    users = ben.subscribe("users", "User", sort=["name"])
    assert users.keys == [ben.user_id]
    project = make_project(anna)
    version = anna.write({"create": "Permission", "object": {"projectId": project, "userId": ben.user_id, "role": "viewer"}})["version"]
    ben.settle(version)
    assert set(users.keys) == {anna.user_id, ben.user_id}
    version = anna.write({"delete": "Permission", "id": f"{project}:{ben.user_id}"})["version"]
    ben.settle(version)
    assert users.keys == [ben.user_id]


@pytest.mark.parametrize("change", [
    lambda user: {"create": "User", "object": {"name": "Made up"}},
    lambda user: update(user, "User", isAdmin=True),
    lambda user: update(user, "User", name="Other"),
    lambda user: {"delete": "User", "id": user},
    lambda user: {"update": "User", "filter": "TRUEPREDICATE", "set": {"isAdmin": True}},
])  # fmt: skip
def test_a_user_can_make_no_one_an_admin_by_a_write(anna, change):
    try:
        anna.write(change(anna.user_id))
    except RpcError as error:
        assert error.code in (-32602, -32002)
    assert anna.get("User", anna.user_id)["isAdmin"] is False


