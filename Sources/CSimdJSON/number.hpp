#pragma once

#include "include/CSimdJSON.h"

#include <charconv>
#include <cstring>

namespace todo_json {

inline bool is_digit(uint8_t byte) { return uint8_t(byte - '0') < 10; }

/// The parts of a number's text that its value follows from.
struct NumberText {
    const uint8_t *digits;          // first digit
    const uint8_t *digits_end;      // after the last digit of the fraction, or of the whole part
    const uint8_t *point;           // the point, or digits_end
    int64_t exponent;               // as written, saturated
    bool negative;
};

/// Follows RFC 8259's grammar from `at`; returns the end of the number, or nullptr where it breaks the grammar.
inline const uint8_t *scan_number(const uint8_t *at, NumberText &text) {
    text.negative = *at == '-';
    at += text.negative;
    text.digits = at;
    if (!is_digit(*at)) return nullptr;
    if (*at == '0') ++at;
    else while (is_digit(*at)) ++at;
    text.point = at;
    if (*at == '.') {
        ++at;
        if (!is_digit(*at)) return nullptr;
        while (is_digit(*at)) ++at;
    }
    text.digits_end = at;
    text.exponent = 0;
    if (*at == 'e' || *at == 'E') {
        ++at;
        bool down = *at == '-';
        if (*at == '-' || *at == '+') ++at;
        if (!is_digit(*at)) return nullptr;
        int64_t exponent = 0;
        for (; is_digit(*at); ++at)
            if (exponent < 1'000'000'000'000) exponent = exponent * 10 + (*at - '0');
        text.exponent = down ? -exponent : exponent;
    }
    return at;
}

/// Where the first digit that is not zero stands, as a power of ten; false if all digits are zero.
inline bool magnitude(const NumberText &text, int64_t &power) {
    int64_t place = text.point - text.digits - 1;
    for (const uint8_t *at = text.digits; at < text.digits_end; ++at) {
        if (*at == '.') continue;
        if (*at != '0') {
            power = place + text.exponent;
            return true;
        }
        --place;
    }
    return false;
}

/// The exact value if it is a whole number within 64 bits. Never rounds: the digits are followed, not a double.
inline bool whole_number(const NumberText &text, int64_t &result) {
    int64_t power;
    if (!magnitude(text, power)) {
        result = 0;
        return true;
    }
    if (power < 0 || power > 18) return false;
    uint64_t value = 0;
    int64_t place = text.point - text.digits - 1 + text.exponent;
    for (const uint8_t *at = text.digits; at < text.digits_end; ++at) {
        if (*at == '.') continue;
        if (place < 0) {
            if (*at != '0') return false;
        } else if (__builtin_mul_overflow(value, uint64_t(10), &value) || __builtin_add_overflow(value, uint64_t(*at - '0'), &value)) {
            return false;
        }
        --place;
    }
    for (; place >= 0; --place)
        if (__builtin_mul_overflow(value, uint64_t(10), &value)) return false;
    if (value > uint64_t(INT64_MAX) + text.negative) return false;
    result = text.negative ? int64_t(0 - value) : int64_t(value);
    return true;
}

/// Reads a number into `node`. `end` receives the end of its text.
inline json_code read_number(const uint8_t *at, const uint8_t *&end, json_node &node) {
    NumberText text;
    end = scan_number(at, text);
    if (end == nullptr) return JSON_CODE_NUMBER;
    size_t length = size_t(end - text.digits);
    if (text.point == end && length <= 18) {
        int64_t value = 0;
        for (const uint8_t *digit = text.digits; digit < end; ++digit) value = value * 10 + (*digit - '0');
        node.kind = JSON_KIND_INTEGER;
        node.value.integer = text.negative ? -value : value;
        return JSON_CODE_OK;
    }
    if (whole_number(text, node.value.integer)) {
        node.kind = JSON_KIND_INTEGER;
        return JSON_CODE_OK;
    }
    node.kind = JSON_KIND_DOUBLE;
    double value = 0;
    auto parsed = std::from_chars(reinterpret_cast<const char *>(at), reinterpret_cast<const char *>(end), value);
    if (parsed.ec == std::errc::result_out_of_range) {
        // The library answers the same for too big and too small; only too big is an error, too small is zero.
        int64_t power;
        if (magnitude(text, power) && power > 0) return JSON_CODE_NUMBER_RANGE;
        value = text.negative ? -0.0 : 0.0;
    } else if (parsed.ec != std::errc()) {
        return JSON_CODE_NUMBER;
    }
    node.value.number = value;
    return JSON_CODE_OK;
}

}  // namespace todo_json
