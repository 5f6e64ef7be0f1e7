"""HTTP and WebSocket over a bare socket: everything a well-behaved client would never send."""

import base64
import hashlib
import os
import socket
import struct
import zlib

TIMEOUT = 15
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA


class Reply:
    """An HTTP response: status, headers by lower-case name, body."""

    def __init__(self, status, headers, body=b""):
        self.status, self.headers, self.body = status, headers, body

    def __repr__(self):
        return f"HTTP {self.status} {self.headers} {self.body[:200]!r}"


class RawConnection:
    def __init__(self, port, receive_buffer=None):
        """`receive_buffer` is what the kernel keeps of what was not read yet, about."""
        self.port = port
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(TIMEOUT)
        self.socket.connect(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data)

    def read(self, count):
        """Exactly `count` bytes; ConnectionError if the server ends first."""
        while len(self.buffer) < count:
            self._fill()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def read_until(self, mark):
        while mark not in self.buffer:
            self._fill()
        data, self.buffer = self.buffer.split(mark, 1)
        return data

    def _fill(self):
        try:
            more = self.socket.recv(65536)
        except socket.timeout:
            raise AssertionError("the server neither answered nor closed: it hangs") from None
        if not more:
            raise ConnectionError("the server closed the connection")
        self.buffer += more

    def at_end(self):
        """Whether the server closed the TCP connection with nothing more sent."""
        try:
            self._fill()
        except ConnectionError:
            return not self.buffer
        return False

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # HTTP

    def request(self, method, target, headers=(), body=b""):
        self.send(head(method, target, self.port, headers) + body)
        return self.reply(without_body=method == "HEAD")

    def reply(self, without_body=False):
        lines = self.read_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        version, status = lines[0].split(" ")[:2]
        assert version == "HTTP/1.1", lines[0]
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(":")
            name = name.lower()
            value = value.strip()
            headers[name] = headers[name] + ", " + value if name in headers else value
        status = int(status)
        body = b""
        if not without_body and status not in (101, 204, 304):
            if "content-length" in headers:
                body = self.read(int(headers["content-length"]))
            elif "chunked" in headers.get("transfer-encoding", ""):
                while size := int(self.read_until(b"\r\n").split(b";")[0], 16):
                    body += self.read(size)
                    self.read(2)
                self.read_until(b"\r\n")
            else:
                try:
                    while True:
                        self._fill()
                except ConnectionError:
                    body, self.buffer = self.buffer, b""
        return Reply(status, headers, body)


def head(method, target, port, headers=()):
    lines = [f"{method} {target} HTTP/1.1"]
    if not any(name.lower() == "host" for name, _ in headers):
        lines.append(f"Host: 127.0.0.1:{port}")
    lines += [f"{name}: {value}" for name, value in headers if value is not None]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def upgrade_headers(key, **changes):
    """The headers of a good handshake; `changes` by name with `_` for `-`, None to leave one out."""
    headers = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": key,
        "Sec-WebSocket-Version": "13",
    }
    for name, value in changes.items():
        headers[name.replace("_", "-")] = value
    return [(name, value) for name, value in headers.items() if value is not None]


def accept_of(key):
    return base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()


def frame(opcode, payload=b"", fin=True, rsv=0, masked=True, length=None):
    """One frame; `length` writes another length than the payload's, in the 64-bit form."""
    if isinstance(payload, str):
        payload = payload.encode()
    first = (0x80 if fin else 0) | (rsv << 4) | opcode
    mask_bit = 0x80 if masked else 0
    if length is not None:
        header = struct.pack("!BBQ", first, mask_bit | 127, length)
    elif len(payload) < 126:
        header = struct.pack("!BB", first, mask_bit | len(payload))
    elif len(payload) < 65536:
        header = struct.pack("!BBH", first, mask_bit | 126, len(payload))
    else:
        header = struct.pack("!BBQ", first, mask_bit | 127, len(payload))
    if not masked:
        return header + payload
    mask = os.urandom(4)
    key = int.from_bytes((mask * (len(payload) // 4 + 1))[: len(payload)], "big")
    return header + mask + (int.from_bytes(payload, "big") ^ key).to_bytes(len(payload), "big")


def close_payload(code, reason=b""):
    return struct.pack("!H", code) + reason


def deflated(data, compressor=None):
    """The payload of a compressed message (RFC 7692 §7.2.1); a compressor that is given keeps its context."""
    compressor = compressor or zlib.compressobj(9, zlib.DEFLATED, -15)
    return (compressor.compress(data) + compressor.flush(zlib.Z_SYNC_FLUSH))[:-4]


def inflated(payload):
    """The message that was compressed without a context."""
    return zlib.decompressobj(-15).decompress(payload + b"\x00\x00\xff\xff")


class RawWebSocket(RawConnection):
    """A WebSocket after a good handshake, whose frames the test writes itself."""

    def __init__(self, port, behind=b"", receive_buffer=None, **header_changes):
        super().__init__(port, receive_buffer)
        key = base64.b64encode(os.urandom(16)).decode()
        self.send(head("GET", "/sync", port, upgrade_headers(key, **header_changes)) + behind)
        self.handshake = self.reply()
        assert self.handshake.status == 101, self.handshake
        assert self.handshake.headers["sec-websocket-accept"] == accept_of(key)
        self.deflates = "permessage-deflate" in self.handshake.headers.get("sec-websocket-extensions", "")

    def send_frame(self, opcode, payload=b"", **options):
        self.send(frame(opcode, payload, **options))

    def receive_frame(self):
        """(opcode, payload, fin); a server's frame is unmasked, and has a reserved bit only where it is compressed, which was agreed."""
        first, second = self.read(2)
        assert first & 0x30 == 0, "a reserved bit is set though no extension was agreed that uses it"
        assert first & 0x40 == 0 or self.deflates, "a message is compressed though that was not agreed"
        assert second & 0x80 == 0, "a server must not mask"
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self.read(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self.read(8))
        payload = self.read(length)
        return first & 0x0F, inflated(payload) if first & 0x40 else payload, bool(first & 0x80)

    def receive_text(self):
        opcode, payload, fin = self.receive_frame()
        whole = payload
        while not fin:
            opcode_next, payload, fin = self.receive_frame()
            assert opcode_next == CONTINUATION
            whole += payload
        assert opcode == TEXT, (opcode, whole)
        return whole.decode()

    def receive_close(self):
        """The code of the next close frame (None for an empty one), passing over text; then the connection must end."""
        while True:
            opcode, payload, _ = self.receive_frame()
            if opcode == CLOSE:
                break
        code = struct.unpack("!H", payload[:2])[0] if payload else None
        payload[2:].decode("utf-8")
        return code

    def answers(self):
        """Whether the connection still works."""
        self.send_frame(TEXT, '{"jsonrpc":"2.0","id":"alive","method":"info"}')
        return '"alive"' in self.receive_text()
