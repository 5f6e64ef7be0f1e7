"""testssl.sh against the real server: nothing of high or critical severity, but for what a certificate of a test's own brings with it."""

import json
import subprocess

# Of the certificate alone, which an operator brings: none here names a list of revoked certificates.
EXCEPTED = {"cert_revocation"}
# Protocols, ciphers by strength, forward secrecy, the server's preferences and defaults, headers, and every known vulnerability. What is left out is
# how some dozens of known clients would connect, which finds nothing and takes as long again.
CHECKS = ["--protocols", "--std", "--fs", "--server-preference", "--server-defaults", "--headers", "--vulnerable"]


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_chain(folder):
    """An authority and a certificate of its making: `authority.crt`, `server.crt`, `server.key`."""
    new_key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl(
        folder, "req", "-x509", *new_key, "-keyout", "authority.key", "-out", "authority.crt", "-days", "200",
        "-subj", "/CN=Test authority", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
    )
    openssl(folder, "req", "-new", *new_key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    (folder / "extensions").write_text(
        "subjectAltName=DNS:localhost,IP:127.0.0.1\nbasicConstraints=critical,CA:FALSE\n"
        "keyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\n"
    )
    openssl(
        folder, "x509", "-req", "-in", "server.csr", "-CA", "authority.crt", "-CAkey", "authority.key", "-CAcreateserial",
        "-out", "server.crt", "-days", "100", "-extfile", "extensions",
    )


def test_testssl_finds_nothing_severe(start_server, tmp_path, public):
    make_chain(tmp_path)
    server = start_server("--tls-cert", str(tmp_path / "server.crt"), "--tls-key", str(tmp_path / "server.key"), "--public", str(public))
    report = tmp_path / "report.json"
    done = subprocess.run(
        ["testssl", "--quiet", "--color", "0", "--warnings", "off", "--add-ca", str(tmp_path / "authority.crt"), *CHECKS]
        + ["--jsonfile", str(report), "--ip", "127.0.0.1", f"localhost:{server.port}"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900,
    )
    findings = json.loads(report.read_text())
    found = {finding["id"]: finding for finding in findings}
    assert not {"scanProblem"} & set(found), done.stdout
    # It has really looked: what is offered, and a few of the last checks.
    assert found["TLS1_2"]["severity"] == found["TLS1_3"]["severity"] == "OK"
    assert found["cert_trust"]["severity"] == "OK", found["cert_trust"]
    assert {"heartbleed", "ROBOT", "LUCKY13", "RC4"} <= set(found)
    severe = [f for f in findings if f["severity"] in ("HIGH", "CRITICAL", "FATAL") and f["id"] not in EXCEPTED]
    assert severe == [], severe
