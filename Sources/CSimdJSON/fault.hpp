#pragma once

#include "include/CSimdJSON.h"

namespace todo_json {

/// Length of the well-formed UTF-8 sequence at `at` (RFC 3629), or 0.
inline uint32_t sequence_length(const uint8_t *at, const uint8_t *end) {
    uint8_t lead = at[0];
    if (lead < 0x80) return 1;
    uint32_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || end - at < length) return 0;
    uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (at[1] < low || at[1] > high) return 0;
    for (uint32_t i = 2; i < length; ++i)
        if ((at[i] & 0xC0) != 0x80) return 0;
    return length;
}

/// simdjson's first pass says what is wrong but not where; this slow walk, only taken for bad input, finds the place.
inline uint32_t locate_fault(const uint8_t *bytes, uint32_t length, json_code code) {
    const uint8_t *at = bytes, *end = bytes + length, *quote = bytes;
    bool in_string = false;
    while (at < end) {
        uint32_t size = sequence_length(at, end);
        if (size == 0) {
            if (code == JSON_CODE_UTF8) break;
            size = 1;
        }
        if (in_string && *at < 0x20 && code == JSON_CODE_CONTROL) break;
        if (*at == '\\' && end - at > 1 && at[1] < 0x80) {
            if (in_string && at[1] < 0x20 && code == JSON_CODE_CONTROL) {
                ++at;
                break;
            }
            at += 2;
            continue;
        }
        if (*at == '"') {
            in_string = !in_string;
            if (in_string) quote = at;
        }
        at += size;
    }
    if (code == JSON_CODE_INCOMPLETE) at = quote;
    return uint32_t(at - bytes);
}

}  // namespace todo_json
