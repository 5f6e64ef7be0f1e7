"""The audit lines: who did what from where. And that the log, at its most talkative, never holds a secret."""

import json
import re

from conftest import make_project, permission
from process import eventually
from test_jwt import SECRET, hs256
from test_operator import done, user

LINE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (info|warning) +audit (\{.*\})$")


def audits(server):
    found = (LINE.match(line.rstrip("\n")) for line in server.errors)
    return [json.loads(match.group(2)) for match in found if match]


def test_every_act_is_written_down_and_no_secret_is(start_server, connect, tmp_path):
    secret_file = tmp_path / "secret"
    secret_file.write_bytes(SECRET)
    server = start_server("--providers", "password,nickname", "--jwt-secret", str(secret_file), "--log-level", "debug")
    secrets = {SECRET.decode()}

    def kept(session):
        secrets.add(session.token)
        return session

    password, changed, wrong = "pass-one-of-Ann", "pass-two-of-Ann", "a-wrong-password"
    secrets |= {password, changed, wrong}
    ann = connect(server)
    ann.register("Ann", password)
    kept(ann)
    other = connect(server)
    other.login_with_password("Ann", password)
    kept(other)
    connect(server).error("login", provider="password", username="Ann", password=wrong)
    # A password that is typed in the place of the name.
    connect(server).error("login", provider="password", username=wrong, password="x" * 9)
    connect(server).error("login", provider="token", token="no-such-token-at-all")
    secrets.add("no-such-token-at-all")
    ben = connect(server)
    ben.login_as("Ben")
    kept(ben)
    again = connect(server)
    again.login_with_token(ben.token)
    web = hs256({"sub": "s-1", "name": "Web", "admin": True})
    admin = connect(server)
    admin._enter(admin.call("login", provider="jwt", token=web))
    kept(admin)
    bad_web = hs256({"sub": "s-1"}, b"another secret of more than 32 bytes!")
    connect(server).error("login", provider="jwt", token=bad_web)
    secrets |= {web, bad_web}

    project = make_project(ann)
    ann.write(permission(project, ben.user_id, "viewer"))
    ann.write(permission(project, ben.user_id, "editor"))
    ann.write({"update": "Project", "id": project, "set": {"access": "everyone-read"}})
    admin.write({"update": "Project", "id": project, "set": {"name": "By the admin"}})
    ben.write({"delete": "Permission", "id": f"{project}:{ben.user_id}"})

    ann.error("changePassword", old=wrong, new=changed)
    ann.call("changePassword", old=password, new=changed)
    third = connect(server)
    third.login_with_password("Ann", changed)
    kept(third)
    ended = [s["id"] for s in ann.call("sessions")["sessions"] if not s["current"]][0]
    ann.call("session.end", id=ended)
    ann.call("logout", everywhere=True)
    ann.send_text('{"jsonrpc":"2.0","id":99,"method":"login","params":{"provider":"password","username":"Ann","password":"%s"' % changed)
    ann.receive_answer()
    by_operator = "pass-by-operator"
    secrets.add(by_operator)
    done(user(server.data, "add", "Cleo", password=by_operator))
    done(user(server.data, "passwd", "Cleo", password=by_operator + "2"))
    done(user(server.data, "suspend", "Cleo"))
    assert user(server.data, "delete", "Ann").returncode == 1
    done(user(server.data, "delete", "Ann", "--delete-projects"))
    eventually(lambda: any(line["event"] == "user.delete" and line["outcome"] == "ok" for line in audits(server)), "the last line")

    lines = audits(server)
    for line in lines:
        assert {"event", "outcome"} <= set(line) and all(isinstance(value, str) for value in line.values()), line
        assert line["outcome"] in ("ok", "refused", "throttled"), line
        if line.get("by") != "operator":
            assert line["address"] == "127.0.0.1", line

    def found(event, **members):
        return [line for line in lines if line["event"] == event and members.items() <= line.items()]

    assert found("register", user=ann.user_id, outcome="ok", name="Ann")
    assert [line["provider"] for line in found("login", user=ann.user_id, outcome="ok")] == ["password"] * 3
    assert found("login", outcome="refused", provider="password", user=ann.user_id)
    assert [line for line in found("login", outcome="refused", provider="password") if "user" not in line]
    assert found("login", outcome="refused", provider="token") and found("login", outcome="refused", provider="jwt")
    assert {line["provider"] for line in found("login", user=ben.user_id)} == {"nickname", "token"}
    assert found("admin", user=admin.user_id, isAdmin="true", by="jwt")
    roles = [(line["before"], line["role"]) for line in found("permission", project=project, user=ben.user_id)]
    assert roles == [("none", "viewer"), ("viewer", "editor"), ("editor", "none")]
    assert found("permission", by=ben.user_id, user=ben.user_id, role="none")
    assert found("access", by=ann.user_id, project=project, access="everyone-read")
    assert found("admin.write", by=admin.user_id, project=project)
    assert [line["outcome"] for line in found("password", user=ann.user_id)] == ["refused", "ok"]
    assert found("session.end", by=ann.user_id, session=ended)
    assert found("logout", by=ann.user_id, reach="everywhere")
    assert found("user.add", by="operator", name="Cleo") and found("user.passwd", by="operator") and found("user.suspend", isSuspended="true")
    assert [line["outcome"] for line in found("user.delete")] == ["refused", "ok"]

    log = "".join(server.errors + server.output)
    assert "debug" in log
    leaked = [secret for secret in secrets if secret in log]
    assert leaked == []
    assert "scrypt$" not in log
    for token in secrets:
        for claim in token.split("."):
            assert len(claim) < 12 or claim not in log


def test_a_name_cant_forge_a_line(server, connect):
    before = len(audits(server))
    forged = 'x"} audit {"event":"admin","outcome":"ok'
    session = connect()
    session.login_as(forged)
    eventually(lambda: len(audits(server)) > before, "the log-in is written down")
    assert [line["name"] for line in audits(server) if line.get("user") == session.user_id] == [forged]
