"""A session with the server: calls and their answers in order, lists kept from the notifications."""

import asyncio
import collections
import itertools
import json
import queue
import threading
import time

import websockets

from replica import LiveList, key_field

TIMEOUT = 20
CODES = {
    -32700, -32600, -32601, -32602, -32603, -32001, -32002, -32003, -32004, -32005, -32006, -32007, -32008, -32009,
}


class RpcError(Exception):
    """An error object that the server answered with."""

    def __init__(self, error):
        super().__init__(json.dumps(error, ensure_ascii=False))
        assert {"code", "message"} <= set(error) <= {"code", "message", "data"}, error
        assert error["code"] in CODES, error
        assert isinstance(error["message"], str) and error["message"], error
        self.code = error["code"]
        self.message = error["message"]
        self.data = error.get("data") or {}

    @property
    def path(self):
        return self.data.get("path")


class Closed(Exception):
    """The server closed the connection, with this code."""

    def __init__(self, code):
        super().__init__(f"closed with {code}")
        self.code = code


def parse(text):
    """Strict JSON: no double keys, no NaN."""

    def members(pairs):
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys)), f"the server wrote a key twice: {text[:300]}"
        return dict(pairs)

    def constant(name):
        raise AssertionError(f"the server wrote {name}")

    return json.loads(text, object_pairs_hook=members, parse_constant=constant)


class _Loop:
    """One event loop in a thread of its own, so that tests read top to bottom without `await`."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def run(self, coroutine, seconds=TIMEOUT):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(seconds)


_background = _Loop()


class Session:
    """`call` for a result, `error` for an expected error, `write` for a transaction, `subscribe` for a live list.

    Everything that arrives is checked: its shape, its order, and by `LiveList` its effect.
    """

    def __init__(self, url, subprotocols=("todosync.v1",), **options):
        options = {"compression": "deflate", "ping_interval": None, "max_size": None, "max_queue": None, **options}
        self.url = url
        self.inbox = queue.Queue()
        self.numbers = itertools.count(1)
        self.lists = {}
        self.ended = {}
        self.notifications = []
        self.version = 0
        self.change_version = 0
        self.user = None
        self.token = None
        self.last_text = None
        self.answers = collections.deque()
        self.socket = _background.run(self._connect(url, subprotocols, options))

    async def _connect(self, url, subprotocols, options):
        socket = await websockets.connect(url, subprotocols=list(subprotocols) or None, **options)
        self.pump = asyncio.ensure_future(self._pump(socket))
        return socket

    async def _pump(self, socket):
        try:
            async for message in socket:
                self.inbox.put(message)
        except websockets.ConnectionClosed:
            pass
        self.inbox.put(Closed(socket.close_code))

    # Bytes and messages

    def send_text(self, text):
        _background.run(self.socket.send(text))

    def send(self, message):
        self.send_text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    def receive(self, seconds=TIMEOUT):
        """The next message, parsed; notifications have been applied to the lists by then."""
        try:
            message = self.inbox.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError("no message came") from None
        if isinstance(message, Closed):
            self.inbox.put(message)
            raise message
        assert isinstance(message, str), "the server sent a binary message"
        self.last_text = message
        parsed = parse(message)
        if isinstance(parsed, dict) and "method" in parsed:
            self._notified(parsed)
        return parsed

    def receive_answer(self, seconds=TIMEOUT):
        """The next message that is no notification: a response or a batch of them."""
        while True:
            message = self.receive(seconds)
            if isinstance(message, list):
                for answer in message:
                    check_answer(answer)
                return message
            if "method" not in message:
                check_answer(message)
                return message

    def send_and_answer(self, text):
        self.send_text(text)
        return self.receive_answer()

    def closed_code(self, seconds=TIMEOUT):
        """Reads on until the server closes; the close code."""
        while True:
            try:
                self.receive(seconds)
            except Closed as closed:
                return closed.code

    def close(self):
        try:
            _background.run(self.socket.close(), 5)
        except Exception:  # whatever state a test left it in, it is over
            self.abort()

    def abort(self):
        """Drops the TCP connection without a close handshake."""
        if self.socket.transport:
            _background.loop.call_soon_threadsafe(self.socket.transport.abort)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Requests

    def request(self, method, params=None):
        number = next(self.numbers)
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        if params is not None:
            message["params"] = params
        return message

    def start(self, method, params=None):
        """Sends a request without waiting; `finish` takes the answers in the same order."""
        message = self.request(method, params)
        self.send(message)
        return message["id"]

    def finish(self, number):
        answer = self.receive_answer()
        assert isinstance(answer, dict) and answer["id"] == number, f"expected the answer to {number}, got {answer}"
        if "error" in answer:
            raise RpcError(answer["error"])
        return answer["result"]

    def call(self, method, params=None, **named):
        return self.finish(self.start(method, named or params))

    def error(self, method, params=None, **named):
        """The error of a request that must be refused."""
        try:
            result = self.call(method, params, **named)
        except RpcError as error:
            return error
        raise AssertionError(f"{method} {named or params} should have been refused, but gave {str(result)[:300]}")

    def batch(self, *requests):
        self.send(list(requests))
        answers = self.receive_answer()
        assert isinstance(answers, list), answers
        return answers

    # Methods

    def _enter(self, result):
        assert set(result) == {"user", "token", "expiresAt"}, result
        assert set(result["user"]) == {"userId", "name", "isAdmin"}, result
        self.user = result["user"]
        self.token = result["token"]
        return result

    @property
    def user_id(self):
        return self.user["userId"]

    def login_as(self, nickname):
        return self._enter(self.call("login", provider="nickname", nickname=nickname))

    def login_with_token(self, token):
        return self._enter(self.call("login", provider="token", token=token))

    def login_with_password(self, username, password):
        return self._enter(self.call("login", provider="password", username=username, password=password))

    def register(self, username, password):
        return self._enter(self.call("register", username=username, password=password))

    def write(self, *changes, **members):
        result = self.call("write", changes=list(changes), **members)
        assert set(result) - {"duplicate"} == {"version", "ids"}, result
        assert len(result["ids"]) == len(changes), result
        return result

    def refused(self, *changes, **members):
        """The error of a transaction that must be refused."""
        return self.error("write", changes=list(changes), **members)

    def query(self, class_, **params):
        return self.call("query", **{"class": class_}, **params)

    def objects(self, class_, **params):
        return self.query(class_, **params)["objects"]

    def ids(self, class_, **params):
        return [key_of(o) for o in self.objects(class_, **params)]

    def get(self, class_, id_):
        """The object with this key, or None where the caller sees none."""
        field = {"Project": "projectId", "Item": "itemId", "Permission": "permissionId", "User": "userId"}[class_]
        found = self.objects(class_, filter=f"{field} == $0", args=[id_])
        assert len(found) <= 1, found
        return found[0] if found else None

    def subscribe(self, name, class_, wait=True, **params):
        """A live list; with `wait`, once it is complete."""
        live = self.lists.get(name) or LiveList(name)
        live.next_sort = params.get("sort") or []
        self.lists[name] = live
        result = self.call("subscribe", **{"name": name, "class": class_}, **params)
        assert {"name", "state"} <= set(result) <= {"name", "state", "resumed"}, result
        assert result["name"] == name and result["state"] in ("pending", "complete"), result
        live.result = result
        if wait:
            self.wait_complete(live)
        return live

    def resume(self, name, class_, objects, since, epoch, **params):
        """Subscribes again from a copy of the list that reflected `since`."""
        live = self.lists[name] = LiveList(name, objects=objects, version=since, sort=params.get("sort") or [])
        self.subscribe(name, class_, since=since, epoch=epoch, **params)
        return live

    def wait_complete(self, live):
        while not live.is_complete:
            self.receive()
        return live

    def replace(self, name, class_, **params):
        """Subscribes with `update`: the list starts again as another query."""
        live = self.lists[name]
        starts = live.starts
        self.subscribe(name, class_, wait=False, update=True, **params)
        while live.starts == starts or not live.is_complete:
            self.receive()
        return live

    def unsubscribe(self, name):
        result = self.call("unsubscribe", name=name)
        assert result == {}
        self.ended[name] = self.lists.pop(name, None)

    def settle(self, version):
        """Reads on until the lists of this connection reflect `version`."""
        deadline = time.monotonic() + TIMEOUT
        while self.call("info").get("version", -1) < version:
            assert time.monotonic() < deadline, f"this session never came to version {version}"
            time.sleep(0.002)

    # Notifications

    def _notified(self, message):
        assert set(message) == {"jsonrpc", "method", "params"} and message["jsonrpc"] == "2.0", message
        self.notifications.append(message)
        method, params = message["method"], message["params"]
        if method == "initial":
            self._list(params["name"]).apply_initial(params)
            if params["state"] == "complete":
                self.version = max(self.version, params["version"])
        elif method == "change":
            self._changed(params)
        elif method == "error":
            assert set(params) == {"name", "code", "message"}, params
            self.ended[params["name"]] = self.lists.pop(params["name"])
        else:
            raise AssertionError(f"an unknown notification: {message}")

    def _changed(self, params):
        assert set(params) == {"version", "by", "updates"}, params
        version = params["version"]
        assert type(version) is int, params
        assert version >= self.change_version, f"change versions fell from {self.change_version} to {version}"
        self.change_version = version
        self.version = max(self.version, version)
        assert isinstance(params["by"], list) and len(params["by"]) <= 10, params
        assert len(set(params["by"])) == len(params["by"]) and all(isinstance(u, str) for u in params["by"]), params
        names = [update["name"] for update in params["updates"]]
        assert len(names) == len(set(names)) and names, f"a change names no list, or one twice: {names}"
        for update in params["updates"]:
            self._list(update["name"]).apply_change(update, version)

    def _list(self, name):
        assert name in self.lists, f"a notification for a list that this session does not have: {name}"
        return self.lists[name]

    def take_changes(self):
        """The `change` messages that came since the last time, oldest first."""
        taken = [m["params"] for m in self.notifications if m["method"] == "change"]
        self.notifications = [m for m in self.notifications if m["method"] != "change"]
        return taken

    def take_initials(self):
        taken = [m["params"] for m in self.notifications if m["method"] == "initial"]
        self.notifications = [m for m in self.notifications if m["method"] != "initial"]
        return taken


def key_of(an_object):
    return an_object[key_field(an_object)]


def check_answer(answer):
    assert isinstance(answer, dict), answer
    assert set(answer) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}), answer
    assert answer["jsonrpc"] == "2.0", answer
