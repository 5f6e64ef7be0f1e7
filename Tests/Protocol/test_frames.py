"""Frames after the handshake: what is put together, what is answered, and the close code of what is broken."""

import pytest

from client import Session
from raw import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, RawWebSocket, close_payload, frame

INFO = '{"jsonrpc":"2.0","id":1,"method":"info"}'


@pytest.fixture
def socket(server):
    with RawWebSocket(server.port) as connected:
        yield connected


def ends_with(socket, code):
    assert socket.receive_close() == code
    assert socket.at_end(), "after the close frame the server must end the connection"


# Messages


def test_a_text_message_is_answered_with_one_unfragmented_text_message(socket):
    socket.send_frame(TEXT, INFO)
    opcode, payload, fin = socket.receive_frame()
    assert (opcode, fin) == (TEXT, True)
    assert b'"todosync.v1"' in payload


def test_a_message_may_be_fragmented(socket):
    socket.send_frame(TEXT, INFO[:5], fin=False)
    socket.send_frame(CONTINUATION, INFO[5:9], fin=False)
    socket.send_frame(CONTINUATION, INFO[9:])
    assert '"todosync.v1"' in socket.receive_text()


def test_fragments_may_be_empty(socket):
    socket.send_frame(TEXT, "", fin=False)
    socket.send_frame(CONTINUATION, INFO, fin=False)
    socket.send_frame(CONTINUATION, "", fin=False)
    socket.send_frame(CONTINUATION, "")
    assert '"todosync.v1"' in socket.receive_text()


def test_a_message_may_come_in_fragments_of_one_byte(socket):
    for index, byte in enumerate(INFO.encode()):
        socket.send_frame(TEXT if index == 0 else CONTINUATION, bytes([byte]), fin=index == len(INFO) - 1)
    assert '"todosync.v1"' in socket.receive_text()


def test_a_character_may_be_split_between_fragments(socket):
    message = '{"jsonrpc":"2.0","id":"\U0001f600","method":"info"}'.encode()
    middle = message.index("\U0001f600".encode()) + 2
    socket.send_frame(TEXT, message[:middle], fin=False)
    socket.send_frame(CONTINUATION, message[middle:])
    assert "\U0001f600" in socket.receive_text()


def test_a_frame_may_arrive_byte_by_byte(socket):
    for byte in frame(TEXT, INFO):
        socket.send(bytes([byte]))
    assert '"todosync.v1"' in socket.receive_text()


def test_many_frames_may_arrive_at_once(socket):
    socket.send(b"".join(frame(TEXT, INFO.replace("1,", f"{n},")) for n in range(200)))
    for n in range(200):
        assert f'"id":{n}' in socket.receive_text().replace(" ", "")


@pytest.mark.parametrize("size", [125, 126, 127, 65535, 65536, 200_000])
def test_messages_of_every_length_form_are_read_and_written(socket, size):
    beginning, end = '{"jsonrpc":"2.0","method":"info","id":"', '"}'
    id_ = "x" * (size - len(beginning) - len(end))
    socket.send_frame(TEXT, beginning + id_ + end)
    assert id_ in socket.receive_text()


# Control frames


@pytest.mark.parametrize("payload", [b"", b"hello", b"\x00\xff" * 62, b"x" * 125])
def test_a_ping_is_answered_with_its_payload(socket, payload):
    socket.send_frame(PING, payload)
    assert socket.receive_frame() == (PONG, payload, True)


def test_a_ping_between_fragments_is_answered_before_the_message(socket):
    socket.send_frame(TEXT, INFO[:9], fin=False)
    socket.send_frame(PING, b"now")
    assert socket.receive_frame() == (PONG, b"now", True)
    socket.send_frame(CONTINUATION, INFO[9:])
    assert '"todosync.v1"' in socket.receive_text()


def test_a_pong_that_nobody_asked_for_is_passed_over(socket):
    socket.send_frame(PONG, b"unasked")
    assert socket.answers()


# Closing


@pytest.mark.parametrize("code", [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999])
def test_a_close_is_answered_with_its_code(socket, code):
    socket.send_frame(CLOSE, close_payload(code, b"bye"))
    ends_with(socket, code)


def test_a_close_without_a_code_is_answered(socket):
    socket.send_frame(CLOSE)
    assert socket.receive_close() in (None, 1000)
    assert socket.at_end()


def test_nothing_is_answered_after_a_close(socket):
    socket.send(frame(CLOSE, close_payload(1000)) + frame(TEXT, INFO) + frame(PING, b"x"))
    ends_with(socket, 1000)


@pytest.mark.parametrize("code", [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535])
def test_a_close_code_that_may_not_be_sent_is_a_protocol_error(socket, code):
    socket.send_frame(CLOSE, close_payload(code))
    ends_with(socket, 1002)


def test_a_close_payload_of_one_byte_is_a_protocol_error(socket):
    socket.send_frame(CLOSE, b"\x03")
    ends_with(socket, 1002)


def test_a_close_reason_that_is_not_utf8_closes_with_1007(socket):
    socket.send_frame(CLOSE, close_payload(1000, b"\xff\xfe"))
    ends_with(socket, 1007)


def test_a_close_that_the_server_begins_is_over_when_it_is_answered(start_server):
    """The server ends the connection; it does not wait for the client to do so."""
    server = start_server("--login-seconds", "1")
    with RawWebSocket(server.port) as socket:
        assert socket.receive_close() == 4001
        socket.send_frame(CLOSE, close_payload(4001))
        assert socket.at_end()


def test_a_close_that_the_server_begins_needs_no_answer(start_server):
    """A client that goes on instead of answering is heard no more, and let go."""
    server = start_server("--login-seconds", "1")
    with RawWebSocket(server.port) as socket:
        assert socket.receive_close() == 4001
        try:
            for _ in range(20):
                socket.send_frame(TEXT, INFO)
            assert socket.at_end()
        except ConnectionError:
            pass


# Broken frames


def test_an_unmasked_frame_closes_with_1002(socket):
    socket.send_frame(TEXT, INFO, masked=False)
    ends_with(socket, 1002)


@pytest.mark.parametrize("rsv", [1, 2, 4, 7])
def test_a_reserved_bit_without_an_extension_closes_with_1002(socket, rsv):
    socket.send_frame(TEXT, INFO, rsv=rsv)
    ends_with(socket, 1002)


@pytest.mark.parametrize("opcode", [0x3, 0x4, 0x5, 0x6, 0x7, 0xB, 0xC, 0xD, 0xE, 0xF])
def test_a_reserved_opcode_closes_with_1002(socket, opcode):
    socket.send_frame(opcode, b"x")
    ends_with(socket, 1002)


@pytest.mark.parametrize("opcode", [PING, PONG, CLOSE])
def test_a_fragmented_control_frame_closes_with_1002(socket, opcode):
    socket.send_frame(opcode, b"", fin=False)
    ends_with(socket, 1002)


@pytest.mark.parametrize("opcode", [PING, PONG, CLOSE])
def test_a_control_frame_over_125_bytes_closes_with_1002(socket, opcode):
    socket.send_frame(opcode, b"\x03\xe8" + b"x" * 124)
    ends_with(socket, 1002)


def test_a_continuation_without_a_beginning_closes_with_1002(socket):
    socket.send_frame(CONTINUATION, INFO)
    ends_with(socket, 1002)


def test_a_new_message_before_the_last_one_ended_closes_with_1002(socket):
    socket.send_frame(TEXT, INFO[:5], fin=False)
    socket.send_frame(TEXT, INFO)
    ends_with(socket, 1002)


@pytest.mark.parametrize(
    "header",
    [b"\x81\xfe\x00\x00", b"\x81\xfe\x00\x7d", b"\x81\xff" + bytes(8), b"\x81\xff" + bytes(7) + b"\x01", b"\x81\xff" + bytes(6) + b"\xff\xff"],
    ids=["0 in 16 bits", "125 in 16 bits", "0 in 64 bits", "1 in 64 bits", "65535 in 64 bits"],
)
def test_a_length_in_a_longer_form_than_it_needs_closes_with_1002(socket, header):
    """RFC 6455 §5.2: the least number of bytes must be used. The payload is not waited for."""
    socket.send(header + b"mask")
    ends_with(socket, 1002)


def test_a_length_with_the_top_bit_set_closes_with_1002(socket):
    socket.send_frame(TEXT, b"", length=1 << 63)
    ends_with(socket, 1002)


@pytest.mark.parametrize("length", [1 << 40, (1 << 63) - 1])
def test_a_message_that_is_too_big_closes_with_1009_before_its_payload_comes(socket, length):
    socket.send_frame(TEXT, b"", length=length)
    ends_with(socket, 1009)


def test_fragments_that_are_too_big_together_close_with_1009(socket):
    part = b" " * 60_000
    socket.send_frame(TEXT, part, fin=False)
    for _ in range(20):
        socket.send_frame(CONTINUATION, part, fin=False)
    ends_with(socket, 1009)


@pytest.mark.parametrize("payload", [b"", b"\x00\x01", INFO.encode()])
def test_a_binary_message_closes_with_1003(socket, payload):
    socket.send_frame(BINARY, payload)
    ends_with(socket, 1003)


INVALID_UTF8 = {
    "a lone continuation byte": b"\x80",
    "a byte that never occurs": b"\xff",
    "an overlong slash": b"\xc0\xaf",
    "an encoded surrogate": b"\xed\xa0\x80",
    "beyond the last code point": b"\xf4\x90\x80\x80",
    "a truncated character": b"\xf0\x9f\x98",
}


@pytest.mark.parametrize("bytes_", INVALID_UTF8.values(), ids=INVALID_UTF8.keys())
def test_invalid_utf8_closes_with_1007(socket, bytes_):
    socket.send_frame(TEXT, b'{"jsonrpc":"2.0","id":"' + bytes_ + b'","method":"info"}')
    ends_with(socket, 1007)


@pytest.mark.parametrize("bytes_", [b for b in INVALID_UTF8.values() if b != b"\xf0\x9f\x98"])
def test_invalid_utf8_is_refused_before_the_message_is_whole(socket, bytes_):
    """In a fragment that is not the last one."""
    socket.send_frame(TEXT, "whole characters: é", fin=False)
    socket.send_frame(CONTINUATION, bytes_, fin=False)
    ends_with(socket, 1007)


def test_invalid_utf8_is_refused_before_the_frame_is_whole(socket):
    socket.send(frame(TEXT, b"\xff" + b"x" * 1000)[:10])
    ends_with(socket, 1007)


def test_a_character_that_can_become_none_is_refused_at_its_second_byte(socket):
    """F4 90 is beyond the last code point whatever follows."""
    socket.send_frame(TEXT, b"\xf4", fin=False)
    socket.send_frame(CONTINUATION, b"\x90", fin=False)
    ends_with(socket, 1007)


def test_a_message_that_ends_amid_a_character_closes_with_1007(socket):
    socket.send_frame(TEXT, b'"\xf0\x9f', fin=False)
    socket.send_frame(CONTINUATION, b"\x98")
    ends_with(socket, 1007)


def test_a_connection_that_breaks_the_rules_does_not_disturb_another(server):
    with Session(server.url) as good:
        good.login_as("undisturbed")
        for broken in (frame(TEXT, INFO, masked=False), frame(0xF), frame(BINARY, b"x"), frame(TEXT, b"\xff"), b"\x00" * 500):
            with RawWebSocket(server.port) as bad:
                bad.send(broken)
                bad.receive_close()
            assert good.call("info")["protocol"] == "todosync.v1"


def test_a_connection_that_is_cut_in_the_middle_of_a_frame_does_not_disturb_another(server):
    with Session(server.url) as good:
        for end in (1, 3, 7, 20):
            with RawWebSocket(server.port) as bad:
                bad.send(frame(TEXT, INFO)[:end])
        assert good.call("info")["protocol"] == "todosync.v1"
