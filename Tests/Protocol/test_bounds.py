"""Limits of connections: rates, counts, floods, and readers that don't read. Each has its named outcome, and hurts nobody else."""

import itertools
import json
import os
import pathlib
import re
import resource
import select
import socket
import threading
import time

import pytest

import raw
from client import Session, parse
from conftest import create, make_project, update
from process import REPOSITORY, Server, eventually, run

INFO = '{"jsonrpc":"2.0","id":%s,"method":"info"}'


def batch(start):
    return "[" + ",".join(INFO % n for n in range(start, start + 100)) + "]"


@pytest.fixture
def brisk(start_server):
    """Starts a server with nickname log-in and these flags."""
    return lambda *flags: start_server("--providers", "nickname", "--login-seconds", "120", *flags)


def metric(server, name):
    with raw.RawConnection(server.port) as connection:
        body = connection.request("GET", "/metrics").body.decode()
    return float(re.search(rf"^todosync_{name} (\S+)$", body, re.M).group(1))


def resident_bytes(server):
    status = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) * 1024


# The table of limits


def limits_of_help():
    """Flag and default of each limit, as `--help` prints them."""
    text = run("--help").stdout.split("limits, with their defaults:")[1]
    return {match[1]: int(match[2]) for match in re.finditer(r"^  --(\S+) NUMBER .*\((\d+)\)$", text, re.M)}


def test_every_limit_is_in_the_protocols_table_with_its_flag(start_server):
    shown = raw.RawWebSocket(start_server().port)
    shown.send_frame(raw.TEXT, INFO % 1)
    limits = json.loads(shown.receive_text())["result"]["limits"]
    table = (REPOSITORY / "Sources" / "PROTOCOL.md").read_text().split("## Limits")[1].split("\n## ")[0]
    rows = dict(re.findall(r"^\| `(\w+)`(.*)$", table, re.M))
    flags = limits_of_help()
    assert set(limits) == set(rows), "info and the table name the same limits"
    assert len(flags) == len(limits)
    for name in limits:
        flag = re.search(r"`--([a-z-]+)`", rows[name])
        assert flag and flag.group(1) in flags, f"the row of {name} names its flag"
        if name != "connections":
            assert f"{limits[name]:,}" in rows[name], f"the row of {name} has its default, {limits[name]:,}"


def test_every_flag_is_in_the_readme_or_among_the_limits():
    readme = (REPOSITORY / "README.md").read_text()
    for flag in set(re.findall(r"^  --([a-z-]+)", run("--help").stdout, re.M)) - set(limits_of_help()):
        assert f"`--{flag}" in readme, flag


def test_every_limit_can_be_set_and_is_shown_as_it_was_set(brisk):
    flags = limits_of_help()
    odd = {name: value + 1 for name, value in flags.items()}
    server = brisk(*[word for name, value in odd.items() for word in (f"--{name}", str(value)) if name != "connections"])
    connection = raw.RawWebSocket(server.port)
    connection.send_frame(raw.TEXT, INFO % 1)
    shown = json.loads(connection.receive_text())["result"]["limits"]
    units = {"token-days": ("tokenSeconds", 86_400), "invite-days": ("inviteSeconds", 86_400), "registrations": ("registrationsOfAddress", 1), "log-days": ("logSeconds", 86_400), "txn-hours": ("txnSeconds", 3_600)}
    for flag, value in odd.items():
        name, unit = units.get(flag, (re.sub("-([a-z])", lambda m: m[1].upper(), flag), 1))
        if flag != "connections":
            assert shown[name] == value * unit, flag


@pytest.mark.parametrize("flag, value, words", [
    ("--frames-per-second", "0", ["--frames-per-second", "10"]),
    ("--connections", "none", ["--connections", "none", "whole number"]),
    ("--silence-seconds", "20", ["--silence-seconds", "--ping-seconds"]),
    ("--outbound-bytes", "1", ["--outbound-bytes", "4096"]),
])  # fmt: skip
def test_a_limit_out_of_its_range_is_refused(flag, value, words):
    result = run(flag, value)
    assert result.returncode == 2
    for word in words:
        assert word in result.stderr


# Rates


def test_a_client_that_sends_too_fast_is_read_more_slowly_and_loses_nothing(brisk):
    server = brisk("--frames-per-second", "100", "--ping-seconds", "1", "--silence-seconds", "2")
    client = raw.RawWebSocket(server.port)
    client.send(b"".join(raw.frame(raw.TEXT, INFO % n) for n in range(600)))
    for n in range(600):
        assert json.loads(text_behind_pings(client))["id"] == n
    assert client.answers()
    assert metric(server, "throttles_total") > 0


def text_behind_pings(client):
    while True:
        opcode, payload, _ = client.receive_frame()
        if opcode == raw.TEXT:
            return payload
        assert opcode == raw.PING


def test_http_requests_have_the_same_rate_and_all_are_answered_in_order(brisk):
    server = brisk("--frames-per-second", "100")
    with raw.RawConnection(server.port) as connection:
        paths = ["/healthz", "/nothing"]
        connection.send(b"".join(raw.head("GET", paths[n % 2], server.port) for n in range(500)) + b"GET /healthz HTT")
        for n in range(500):
            assert connection.reply().status == (200, 404)[n % 2]
        connection.send(b"P/1.1\r\nHost: x\r\n\r\n")
        assert connection.reply().status == 200
        assert metric(server, "throttles_total") > 0


def test_each_request_of_a_batch_counts_as_a_frame(brisk):
    server = brisk("--frames-per-second", "100")
    client = raw.RawWebSocket(server.port)
    client.send(b"".join(raw.frame(raw.TEXT, batch(start)) for start in range(0, 600, 100)))
    assert [answer["id"] for _ in range(6) for answer in json.loads(client.receive_text())] == list(range(600))
    assert metric(server, "throttles_total") > 0


def test_bytes_are_counted_too(brisk):
    server = brisk("--bytes-per-second", "100000")
    client = raw.RawWebSocket(server.port)
    # 400,000 bytes at once: twice what may come in advance.
    client.send(b"".join(raw.frame(raw.TEXT, INFO % n + " " * 40_000) for n in range(10)))
    for n in range(10):
        assert json.loads(client.receive_text())["id"] == n
    eventually(lambda: metric(server, "throttles_total") > 0, "the session was slowed")


def test_others_are_not_slowed_by_one_that_is(brisk):
    server = brisk("--frames-per-second", "10")
    fast, other = raw.RawWebSocket(server.port), raw.RawWebSocket(server.port)
    fast.send(b"".join(raw.frame(raw.TEXT, INFO % n) for n in range(3_000)))
    eventually(lambda: metric(server, "throttles_total") == 1, "the fast one is held")
    for _ in range(5):
        assert other.answers()
    assert metric(server, "throttles_total") == 1


@pytest.mark.parametrize("piece", [
    raw.frame(raw.PING, b"x"), raw.frame(raw.PONG), raw.frame(raw.CONTINUATION, fin=False),
], ids=["pings", "pongs", "empty fragments"])  # fmt: skip
def test_a_flood_of_frames_that_say_nothing_is_closed_with_1008(brisk, piece):
    server = brisk("--empty-frames-per-second", "5")
    client = raw.RawWebSocket(server.port)
    begin = raw.frame(raw.TEXT, "[", fin=False) if piece[0] == raw.CONTINUATION else b""
    client.send(begin + piece * 51)
    assert client.receive_close() == 1008


@pytest.mark.parametrize("piece", [raw.frame(raw.PING, b"x"), raw.frame(raw.PONG)], ids=["pings", "pongs"])
def test_as_many_as_may_come_at_once_are_no_flood(brisk, piece):
    server = brisk("--empty-frames-per-second", "5")
    client = raw.RawWebSocket(server.port)
    client.send(piece * 50 + raw.frame(raw.TEXT, INFO % 1))
    while client.receive_frame()[0] != raw.TEXT:
        pass


def test_one_connection_may_write_thousands_of_requests_at_the_default_rates(brisk):
    server = brisk()
    client = raw.RawWebSocket(server.port)
    for start in range(0, 15_000, 1_000):
        client.send(b"".join(raw.frame(raw.TEXT, INFO % n) for n in range(start, start + 1_000)))
        for n in range(start, start + 1_000):
            assert json.loads(client.receive_text())["id"] == n


# Readers that don't read


def flood_until_blocked(client, piece, pieces_max):
    """Sends pieces without reading until the server takes no more; how many whole ones it took."""
    client.socket.setblocking(False)
    sent, rest = 0, memoryview(b"")
    while sent < pieces_max:
        if not select.select([], [client.socket], [], 1.0)[1]:
            break
        rest = rest or memoryview(piece(sent))
        rest = rest[client.socket.send(rest):]
        if not rest:
            sent += 1
    client.socket.setblocking(True)
    client.socket.settimeout(raw.TIMEOUT)
    return sent, bytes(rest)


def test_one_that_asks_without_reading_is_not_read_from_and_loses_nothing(brisk):
    """It outlives the time-out of silence meanwhile: that nothing is read from it is not its silence."""
    flags = ["--outbound-bytes", "65536", "--ping-seconds", "1", "--silence-seconds", "2", "--stuck-seconds", "60"]
    # Neither rates nor the number of waiting requests hold it.
    flags += ["--frames-per-second", "1000000", "--bytes-per-second", str(1 << 40)]
    server = brisk(*flags, "--queued-requests", "1000000", "--queued-bytes", str(1 << 30))
    client = raw.RawWebSocket(server.port)
    before = resident_bytes(server)
    sent, rest = flood_until_blocked(client, lambda n: raw.frame(raw.TEXT, INFO % n + " " * 20_000), 20_000)
    assert sent < 20_000, "the server went on reading"
    assert resident_bytes(server) - before < 64 << 20
    time.sleep(4)
    assert raw.RawWebSocket(server.port).answers(), "others are served"
    sender = threading.Thread(target=client.send, args=(rest,))
    sender.start()
    for n in range(sent + (1 if rest else 0)):
        assert json.loads(text_behind_pings(client))["id"] == n
    sender.join()
    client.send_frame(raw.TEXT, INFO % '"alive"')
    assert json.loads(text_behind_pings(client))["id"] == "alive"


REQUESTS = 20_000
# No rate holds them, and the time of a reader that takes nothing is not over.
UNREAD = ["--outbound-bytes", "65536", "--frames-per-second", "100000000", "--bytes-per-second", str(1 << 40), "--stuck-seconds", "120"]


def flooding(server, is_batch, logs_in=False):
    """A connection on which all requests are on their way, and of whose answers nothing is read; the thread that sends."""
    client = raw.RawWebSocket(server.port, receive_buffer=4_096)
    if logs_in:
        client.send_frame(raw.TEXT, '{"jsonrpc":"2.0","id":1,"method":"login","params":{"provider":"nickname","nickname":"Ada"}}')
        assert "result" in json.loads(client.receive_text())
        client.send_frame(raw.TEXT, INFO % 1)
        client.receive_text()
    client.socket.settimeout(120)
    pieces = (batch(n) for n in range(0, REQUESTS, 100)) if is_batch else (INFO % n for n in range(REQUESTS))
    sender = threading.Thread(target=send_unless_closed, args=(client, b"".join(raw.frame(raw.TEXT, piece) for piece in pieces)), daemon=True)
    sender.start()
    return client, sender


def send_unless_closed(client, data):
    try:
        client.send(data)
    except OSError:
        pass


def settled(server, name):
    """The counter, when it has stopped."""
    seen = []

    def stands_still():
        time.sleep(0.3)
        seen.append(metric(server, name))
        return len(seen) > 3 and seen[-4:] == [seen[-1]] * 4

    eventually(stands_still, f"{name} stands still", seconds=120)
    return seen[-1]


@pytest.mark.parametrize("is_batch", [False, True], ids=["one by one", "in batches"])
@pytest.mark.parametrize("logs_in", [False, True], ids=["before the log-in", "after the log-in"])
def test_of_requests_whose_answers_nobody_reads_only_so_many_are_run(brisk, is_batch, logs_in):
    """The kernel's buffers for one connection hold the answers to some thousand; the rest stays where it is until they are read."""
    server = brisk(*UNREAD)
    before = resident_bytes(server)
    client, sender = flooding(server, is_batch, logs_in)
    run = settled(server, "requests_total")
    assert run < REQUESTS / 2
    taken = metric(server, "messages_received_total") * (100 if is_batch else 1)
    assert taken - run <= (1_024 if logs_in else 64) + (100 if is_batch else 1) * (3 if logs_in else 1)
    assert resident_bytes(server) - before < 32 << 20
    assert raw.RawWebSocket(server.port).answers(), "others are served"
    ids = []
    while len(ids) < REQUESTS:
        answer = json.loads(text_behind_pings(client))
        ids += [one["id"] for one in answer] if is_batch else [answer["id"]]
    assert ids == list(range(REQUESTS)), "all are answered, in order"
    sender.join()


def test_what_a_closed_connection_had_waiting_is_not_run(brisk):
    server = brisk(*UNREAD)
    for is_batch in (False, True, True):
        client, sender = flooding(server, is_batch)
        eventually(lambda: metric(server, "requests_total") > 0, "some are run")
        client.close()
        sender.join()
    eventually(lambda: metric(server, "sessions") == 0, "the sessions are over")
    run = settled(server, "requests_total")
    assert run < REQUESTS
    assert raw.RawWebSocket(server.port).answers()
    assert metric(server, "requests_total") == run + 1


def unread_answers(server, connection, count):
    """Sends so many requests for `/metrics` in one go, reads nothing, and waits until no more is answered: how many bytes wait in the server."""
    sender = threading.Thread(target=connection.send, args=(raw.head("GET", "/metrics", server.port) * count,))
    sender.start()
    figures = ("http_requests_total", "sent_bytes_total")
    before, now = None, [metric(server, name) for name in figures]
    while before is None or now[0] > before[0] + len(figures):
        time.sleep(0.3)
        before, now = now, [metric(server, name) for name in figures]
    return sender, now


def test_http_requests_are_not_answered_ahead_of_what_is_read(brisk):
    server = brisk("--frames-per-second", "1000000", "--keep-alive-seconds", "60")
    with raw.RawConnection(server.port) as probe:
        probe.send(raw.head("GET", "/metrics", server.port))
        probe.reply()
        size = metric(server, "sent_bytes_total")
        size = metric(server, "sent_bytes_total") - size
    with raw.RawConnection(server.port) as connection:
        connection.socket.close()
        connection.socket = socket.socket()
        connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.socket.settimeout(120)
        connection.socket.connect(("127.0.0.1", server.port))
        sender, (requests, sent) = unread_answers(server, connection, 10_000)
        # What a turn may answer comes on top of the 64 KiB.
        assert requests * size - sent < 256 << 10, f"{requests} requests are answered, {sent} bytes are sent"
        for _ in range(10_000):
            assert connection.reply().status == 200
        sender.join()


def test_pausing_a_session_does_not_change_what_is_known_of_its_compression(brisk):
    server = brisk("--queued-requests", "5")
    with Session(server.url, compression="deflate") as session:
        assert metric(server, "deflating_sessions") == 1
        session.send_text("[" + ",".join(INFO % n for n in range(50)) + "]")
        assert len(json.loads(session.inbox.get(timeout=20))) == 50
        assert metric(server, "deflating_sessions") == 1
    eventually(lambda: metric(server, "deflating_sessions") == 0, "the session is not counted any more")


def slow_download(server, name, pause, times):
    """The length of an answer that ends the connection, read in pieces of 64 KiB with pauses, and how it ended."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(20)
    connection.connect(("127.0.0.1", server.port))
    connection.sendall(f"GET /{name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    count = 0
    try:
        while piece := connection.recv(65_536):
            count += len(piece)
            if times > 0:
                times -= 1
                time.sleep(pause)
    except ConnectionResetError:
        return count, "reset"
    finally:
        connection.close()
    return count, "end"


@pytest.fixture
def large(tmp_path):
    (tmp_path / "index.html").write_text("page")
    (tmp_path / "large.bin").write_bytes(os.urandom(8 << 20))
    return tmp_path


def test_a_slow_reader_of_the_last_answer_gets_it_whole(brisk, large):
    """The time for the end of a connection is over several times meanwhile."""
    server = brisk("--close-seconds", "1", "--public", str(large))
    count, end = slow_download(server, "large.bin", 0.4, 10)
    assert end == "end" and count > 8 << 20


def test_a_reader_of_the_last_answer_that_stops_is_let_go(brisk, large):
    server = brisk("--close-seconds", "1", "--public", str(large))
    count, end = slow_download(server, "large.bin", 8, 1)
    assert end == "reset" and count < 8 << 20


# Counts


UPGRADE = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"


def own_address():
    """An address of this machine beside the loopback; None where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address = probe.getsockname()[0]
    return None if address.startswith("127.") else address


def test_connections_past_the_limit_get_503_and_a_free_place_is_taken_again(brisk):
    server = brisk("--connections", "3")
    held = [raw.RawWebSocket(server.port) for _ in range(3)]
    with raw.RawConnection(server.port) as refused:
        reply = refused.request("GET", "/sync")
        assert reply.status == 503 and int(reply.headers["retry-after"]) > 0 and reply.body
    assert all(one.answers() for one in held)
    held[0].close()

    def free():
        with raw.RawConnection(server.port) as connection:
            return connection.request("GET", "/nothing").status == 404

    eventually(free, "the place is free again")


def test_past_the_limit_the_server_still_says_how_it_is(brisk):
    server = brisk("--connections", "3")
    held = [raw.RawWebSocket(server.port) for _ in range(3)]
    for path, status in (("/healthz", 200), ("/readyz", 200), ("/metrics", 200), ("/", 503), ("/sync", 503)):
        with raw.RawConnection(server.port) as connection:
            reply = connection.request("GET", path)
            assert (path, reply.status, reply.headers["connection"]) == (path, status, "close")
            assert connection.at_end()
    with raw.RawConnection(server.port) as silent:
        assert silent.reply().status == 503, "who asks nothing is told as well"
    assert all(one.answers() for one in held)


def test_a_crowd_past_the_limit_is_bounded_and_leaves_the_others_alone(brisk):
    server = brisk("--connections", "3")
    held = [raw.RawWebSocket(server.port) for _ in range(3)]
    crowd = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(200)]
    answers = [one.recv(16) if select.select([one], [], [], 10)[0] else None for one in crowd]
    assert None not in answers, "everybody is told at once, by an answer or by the end"
    assert 1 <= sum(answer.startswith(b"HTTP/1.1 503") for answer in answers) <= 64
    assert all(one.answers() for one in held)
    assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < 150
    for one in crowd:
        one.close()
    assert any("connections are refused" in line for line in server.errors)


def test_one_address_has_its_limit_and_the_loopback_has_none(tmp_path):
    """By an address of this machine; where it has the loopback alone, by one that a proxy names."""
    own = own_address()
    address, place = own or "192.0.2.9", own or "127.0.0.1"
    flags = ["--data", str(tmp_path / "data"), "--connections-per-address", "2", "--listen", f"{place}:0,127.0.0.1:0"]
    flags += [] if own else ["--trusted-proxies", "127.0.0.1"]
    with Server(*flags, defaults=False) as server:
        eventually(lambda: any("stop" in line for line in server.output), "all is printed")
        far, near = (int(port) for port in re.findall(r"page +http://[^:]+:(\d+)/", "".join(server.output)))

        def asked():
            one = socket.create_connection((place, far), timeout=10)
            one.sendall(f"GET /sync HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {address}\r\n{UPGRADE}\r\n".encode())
            return one, one.recv(4096)

        held = [asked() for _ in range(2)]
        assert all(answer.startswith(b"HTTP/1.1 101 ") for _, answer in held)
        refused, answer = asked()
        assert answer.startswith(b"HTTP/1.1 429 ") and b"Retry-After: " in answer
        refused.close()
        local = [raw.RawWebSocket(near) for _ in range(5)]
        assert all(one.answers() for one in local)
        held[0][0].close()

        def free():
            again, answer = asked()
            again.close()
            return answer.startswith(b"HTTP/1.1 101 ")

        eventually(free, "the place is free again")
        assert any(f"connections of {address} are refused" in line for line in server.errors)
        assert any("--trusted-proxies" in line for line in server.errors)


def test_a_thousand_connections_that_come_and_go_leave_nothing_counted(brisk):
    server = brisk("--connections", "50")
    for _ in range(1_000):
        with raw.RawConnection(server.port) as connection:
            connection.send(b"GET /heal")

    def alone():
        try:
            return metric(server, "connections") == 1
        except (ConnectionError, AttributeError):
            return False  # Refused, or answered with 503: some of them are not gone yet.

    eventually(alone, "only the one that asks is there")
    held = [raw.RawWebSocket(server.port) for _ in range(40)]
    assert all(one.answers() for one in held), "no place was lost"


def test_without_open_files_the_server_lives_on_says_so_once_and_recovers(tmp_path):
    """The limit is lowered while the server runs, so that its own count of connections does not come first."""
    with Server("--providers", "nickname") as server:
        held = [raw.RawWebSocket(server.port) for _ in range(5)]
        used = len(os.listdir(f"/proc/{server.process.pid}/fd"))
        hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)[1]
        before = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (used, hard))
        crowd = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(20)]
        assert [one.recv(1) for one in crowd] == [b""] * 20
        assert all(one.answers() for one in held)
        for one in crowd:
            one.close()
        said = [line for line in server.errors if "no file descriptor" in line or "Too many open files" in line]
        assert len(said) == 1, said
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, before)
        assert raw.RawWebSocket(server.port).answers()


def test_a_reader_that_takes_nothing_is_named_in_the_log_when_it_is_closed(brisk, person):
    server = brisk("--outbound-bytes", "65536", "--stuck-seconds", "1")
    anna = person("anna", to=server)
    ben = person("ben", to=server)
    project = make_project(anna, viewer=[ben.user_id])
    with raw.RawWebSocket(server.port) as stuck:
        def send(method, params):
            stuck.send_frame(raw.TEXT, json.dumps({"jsonrpc": "2.0", "id": method, "method": method, "params": params}))

        send("login", {"provider": "token", "token": ben.token})
        assert "result" in parse(stuck.receive_text())
        send("subscribe", {"name": "items", "class": "Item"})
        while '"complete"' not in stuck.receive_text():
            pass
        item = anna.write(create(project))["ids"][0]
        letters = itertools.cycle("ab")

        def is_logged():
            anna.write(update(item, notes=next(letters) * 100_000))
            return any("4003" in line for line in server.errors)

        eventually(is_logged, "the reader is closed, and the log says so", seconds=60)
        (line,) = [line for line in server.errors if "4003" in line]
        assert " warning " in line and f"user {ben.user_id} from 127.0.0.1 was closed with 4003" in line
    assert metric(server, "slow_sessions_closed_total") == 1
