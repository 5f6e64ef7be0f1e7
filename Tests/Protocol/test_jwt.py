"""Log-in by JSON Web Token: signatures made by the `openssl` program and by Python's own HMAC, and tokens that lie."""

import base64
import hashlib
import hmac
import json
import signal
import subprocess
import time

import pytest

from process import eventually, run

SECRET = b"a secret of more than thirty-two bytes"


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def part(value):
    return encode(json.dumps(value).encode())


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *arguments], input=data, capture_output=True, check=True).stdout


class Key:
    """A private key in a file, which signs tokens."""

    def __init__(self, folder, name, algorithm):
        self.algorithm, self.name = algorithm, name
        self.file = str(folder / f"{name}.key")
        options = {"RS256": ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"], "ES256": ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]}[algorithm]
        openssl("genpkey", "-algorithm", *options, "-out", self.file)
        self.pem = openssl("pkey", "-in", self.file, "-pubout")

    def sign(self, message):
        signature = openssl("dgst", "-sha256", "-sign", self.file, data=message)
        if self.algorithm == "RS256":
            return signature
        # A DER sequence of two integers becomes r and s, 32 bytes each.
        first = signature[3]
        r, s = signature[4 : 4 + first], signature[6 + first :]
        return b"".join(number.lstrip(b"\0").rjust(32, b"\0") for number in (r, s))

    def token(self, claims, **header):
        text = part({"alg": self.algorithm, **header}) + "." + part(claims)
        return text + "." + encode(self.sign(text.encode()))

    @property
    def jwk(self):
        """The public key as a JSON Web Key, out of OpenSSL's text."""
        text = openssl("pkey", "-pubin", "-text", "-noout", data=self.pem).decode()
        digits = bytes.fromhex("".join(line.strip().replace(":", "") for line in text.splitlines() if line.startswith("    ")))
        if self.algorithm == "RS256":
            return {"kty": "RSA", "kid": self.name, "use": "sig", "n": encode(digits.lstrip(b"\0")), "e": "AQAB"}
        return {"kty": "EC", "crv": "P-256", "kid": self.name, "x": encode(digits[1:33]), "y": encode(digits[33:])}


def hs256(claims, secret=SECRET, **header):
    text = part({"alg": "HS256", **header}) + "." + part(claims)
    return text + "." + encode(hmac.new(secret, text.encode(), hashlib.sha256).digest())


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    return {"rsa": Key(folder, "rsa", "RS256"), "ec": Key(folder, "ec", "ES256"), "other": Key(folder, "other", "ES256")}


@pytest.fixture
def trusting(start_server, tmp_path):
    """Starts a server that trusts those keys; `.write(…)` exchanges them."""

    def trusting(content, *flags, secret=SECRET):
        file, secret_file = tmp_path / "keys", tmp_path / "secret"
        file.write_bytes(content)
        flags = list(flags) + ["--jwt-keys", str(file)]
        if secret:
            secret_file.write_bytes(secret)
            flags += ["--jwt-secret", str(secret_file)]
        server = start_server(*flags)
        server.keys_file = file
        return server

    return trusting


def log_in(connect, server, token):
    session = connect(server)
    session._enter(session.call("login", provider="jwt", token=token))
    return session


def refusal(connect, server, token):
    error = connect(server).error("login", provider="jwt", token=token)
    return error.code


def test_each_algorithm_logs_in_by_its_key(trusting, keys, connect):
    server = trusting(keys["rsa"].pem + keys["ec"].pem)
    assert connect(server).call("info")["providers"] == ["password", "jwt"]
    now = time.time()
    claims = {"sub": "s-1", "name": "Ann", "exp": now + 300, "nbf": now - 5}
    users = [log_in(connect, server, token).user for token in (keys["rsa"].token(claims), keys["ec"].token(claims), hs256(claims))]
    assert users[0] == users[1] == users[2]
    assert users[0]["name"] == "Ann" and users[0]["userId"] != "s-1" and users[0]["isAdmin"] is False
    again = log_in(connect, server, hs256({"sub": "s-1", "name": "Ann", "admin": True}))
    assert again.user == {**users[0], "isAdmin": True}
    other = connect(server)
    assert other.login_with_token(again.token)["user"]["isAdmin"] is True


def test_a_key_set_is_chosen_from_by_kid_and_read_again_on_sighup(trusting, keys, connect):
    server = trusting(json.dumps({"keys": [keys["rsa"].jwk, keys["ec"].jwk]}).encode(), secret=None)
    claims = {"sub": "s-1"}
    log_in(connect, server, keys["rsa"].token(claims, kid="rsa", typ="JWT"))
    log_in(connect, server, keys["ec"].token(claims, kid="ec"))
    assert refusal(connect, server, keys["ec"].token(claims, kid="rsa")) == -32008
    assert refusal(connect, server, keys["other"].token(claims, kid="ec")) == -32008
    server.keys_file.write_text(json.dumps({"keys": [keys["other"].jwk]}))
    server.signal(signal.SIGHUP)
    eventually(lambda: any("read again" in line for line in server.errors), "the keys are read again")
    log_in(connect, server, keys["other"].token(claims, kid="other"))
    assert refusal(connect, server, keys["ec"].token(claims, kid="ec")) == -32008
    server.keys_file.write_text("no keys")
    server.signal(signal.SIGHUP)
    eventually(lambda: any("not been exchanged" in line for line in server.errors), "the bad file is told of")
    log_in(connect, server, keys["other"].token(claims, kid="other"))


def test_tokens_that_lie_are_refused(trusting, keys, connect):
    server = trusting(keys["rsa"].pem + keys["ec"].pem)
    claims = {"sub": "s-1", "admin": True}
    good = keys["rsa"].token(claims)
    head, body, signature = good.split(".")
    forged = {
        "alg none": part({"alg": "none"}) + f".{body}.",
        "alg none with a signature": part({"alg": "none"}) + f".{body}.{signature}",
        "alg NONE": part({"alg": "NONE"}) + f".{body}.",
        "the public RSA key as a secret": hs256(claims, keys["rsa"].pem),
        "the public EC key as a secret": hs256(claims, keys["ec"].pem.strip()),
        "an RSA signature called ES256": part({"alg": "ES256"}) + f".{body}.{signature}",
        "other claims": f"{head}.{part({'sub': 's-2', 'admin': True})}.{signature}",
        "no signature": f"{head}.{body}.",
        "two parts": f"{head}.{body}",
        "padding": f"{head}.{body}.{signature}=",
        "crit": keys["rsa"].token(claims, crit=["exp"]),
        "its own key": keys["other"].token(claims, jwk=keys["other"].jwk),
        "not JSON": encode(b"{") + f".{body}.{signature}",
        "empty": "",
        "dots": ".." + "." * 100,
        "long": "a" * 16_000,
        "no subject": keys["rsa"].token({"name": "x"}),
        "an empty subject": keys["rsa"].token({"sub": ""}),
        "a number as subject": keys["rsa"].token({"sub": 1}),
        "admin as text": keys["rsa"].token({"sub": "s", "admin": "true"}),
    }
    assert {name: refusal(connect, server, token) for name, token in forged.items()} == dict.fromkeys(forged, -32008)
    assert refusal(connect, server, "a" * 16_385) == -32602
    log_in(connect, server, good)
    assert server.is_running


@pytest.mark.parametrize("claims, code", [
    ({"exp": -59}, None), ({"exp": -61}, -32009), ({"nbf": 58}, None), ({"nbf": 65}, -32008), ({"exp": -61, "nbf": 65}, -32009),
])  # fmt: skip
def test_times_are_obeyed_with_a_minutes_leeway(trusting, keys, connect, claims, code):
    server = trusting(keys["ec"].pem)
    token = hs256({"sub": "s", **{name: int(time.time()) + offset for name, offset in claims.items()}})
    if code:
        assert refusal(connect, server, token) == code
    else:
        log_in(connect, server, token)


def test_issuer_and_audience_are_checked_where_the_operator_asks(trusting, keys, connect):
    server = trusting(keys["ec"].pem, "--jwt-issuer", "https://id.example", "--jwt-audience", "todo")
    right = {"sub": "s", "iss": "https://id.example", "aud": ["x", "todo"]}
    log_in(connect, server, hs256(right))
    log_in(connect, server, hs256({**right, "aud": "todo"}))
    for wrong in ({"iss": "https://id.example/"}, {"iss": None}, {"aud": "x"}, {"aud": []}, {"aud": None}):
        assert refusal(connect, server, hs256({**right, **wrong})) == -32008, wrong


def test_a_log_in_ends_with_its_token(trusting, keys, connect):
    server = trusting(keys["ec"].pem)
    session = connect(server)
    ends = int(time.time()) - 58
    result = session.call("login", provider="jwt", token=hs256({"sub": "s", "exp": ends}))
    assert result["expiresAt"] == time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(ends + 60))
    eventually(lambda: time.time() > ends + 60.1, "the time is over")
    assert session.error("sessions").code == -32009
    session.call("login", provider="jwt", token=hs256({"sub": "s"}))
    assert len(session.call("sessions")["sessions"]) == 1


def test_without_keys_there_is_no_such_provider(server, connect):
    session = connect()
    assert "jwt" not in session.call("info")["providers"]
    assert session.error("login", provider="jwt", token=hs256({"sub": "s"})).path == "provider"


@pytest.mark.parametrize("flags, words", [
    (["--providers", "jwt"], ["--jwt-keys"]),
    (["--jwt-issuer", "x"], ["--jwt-keys"]),
    (["--jwt-keys", "/nowhere/keys"], ["/nowhere/keys", "No such file"]),
    (["--jwt-keys", "{empty}"], ["--jwt-keys", "PUBLIC KEY"]),
    (["--jwt-secret", "{pem}"], ["--jwt-secret", "public key"]),
    (["--jwt-secret", "{short}"], ["--jwt-secret", "32 bytes"]),
])  # fmt: skip
def test_keys_that_cant_be_used_end_the_start_with_a_sentence(flags, words, keys, tmp_path):
    files = {"empty": b"", "pem": keys["ec"].pem, "short": b"short"}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    flags = [flag.format(**{name: tmp_path / name for name in files}) if flag.startswith("{") else flag for flag in flags]
    result = run("--port", "0", *flags)
    assert result.returncode > 0
    for word in words:
        assert word in result.stderr
