#pragma once

#include "include/CSimdJSON.h"

#include <cstring>

namespace todo_json {

inline int hex_digit(uint8_t byte) {
    if (uint8_t(byte - '0') < 10) return byte - '0';
    uint8_t lower = byte | 0x20;
    if (uint8_t(lower - 'a') < 6) return lower - 'a' + 10;
    return -1;
}

/// The code unit of four hexadecimal digits, or -1.
inline int32_t code_unit(const uint8_t *at, const uint8_t *end) {
    if (end - at < 4) return -1;
    int32_t unit = 0;
    for (int i = 0; i < 4; ++i) {
        int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

inline uint8_t *write_code_point(uint8_t *out, uint32_t point) {
    if (point < 0x80) {
        *out++ = uint8_t(point);
    } else if (point < 0x800) {
        *out++ = uint8_t(0xC0 | point >> 6);
        *out++ = uint8_t(0x80 | (point & 0x3F));
    } else if (point < 0x10000) {
        *out++ = uint8_t(0xE0 | point >> 12);
        *out++ = uint8_t(0x80 | (point >> 6 & 0x3F));
        *out++ = uint8_t(0x80 | (point & 0x3F));
    } else {
        *out++ = uint8_t(0xF0 | point >> 18);
        *out++ = uint8_t(0x80 | (point >> 12 & 0x3F));
        *out++ = uint8_t(0x80 | (point >> 6 & 0x3F));
        *out++ = uint8_t(0x80 | (point & 0x3F));
    }
    return out;
}

/// Unescapes the text between a string's quotes into `out`, which has room for as many bytes. `at` stands at the
/// fault afterwards, if there is one; `has_nul` tells whether a U+0000 was among the escapes.
inline json_code unescape(const uint8_t *&at, const uint8_t *end, uint8_t *&out, uint8_t &has_nul) {
    while (at < end) {
        auto backslash = static_cast<const uint8_t *>(memchr(at, '\\', size_t(end - at)));
        size_t run = size_t((backslash ? backslash : end) - at);
        memcpy(out, at, run);
        out += run;
        at += run;
        if (!backslash) break;
        if (end - at < 2) return JSON_CODE_ESCAPE;
        uint8_t plain;
        switch (at[1]) {
        case '"': case '\\': case '/': plain = at[1]; break;
        case 'b': plain = '\b'; break;
        case 'f': plain = '\f'; break;
        case 'n': plain = '\n'; break;
        case 'r': plain = '\r'; break;
        case 't': plain = '\t'; break;
        case 'u': {
            int32_t unit = code_unit(at + 2, end);
            if (unit < 0) return JSON_CODE_ESCAPE;
            uint32_t point = uint32_t(unit);
            size_t length = 6;
            if (point >= 0xD800 && point < 0xE000) {
                if (point >= 0xDC00 || end - at < 12 || at[6] != '\\' || at[7] != 'u') return JSON_CODE_LONE_SURROGATE;
                int32_t low = code_unit(at + 8, end);
                if (low < 0xDC00 || low > 0xDFFF) return JSON_CODE_LONE_SURROGATE;
                point = 0x10000 + ((point - 0xD800) << 10) + uint32_t(low - 0xDC00);
                length = 12;
            }
            has_nul |= point == 0;
            out = write_code_point(out, point);
            at += length;
            continue;
        }
        default: return JSON_CODE_ESCAPE;
        }
        *out++ = plain;
        at += 2;
    }
    return JSON_CODE_OK;
}

}  // namespace todo_json
