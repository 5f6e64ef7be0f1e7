#pragma once

#include "keys.hpp"
#include "number.hpp"
#include "text.hpp"

namespace todo_json {

/// The second pass: follows the grammar over the places where tokens begin (simdjson's first pass found them) and
/// writes the tape. It is ours because the rules are: raw number texts, exact integers, duplicate keys, lone surrogates.
class Walk {
    static constexpr uint32_t depth_limit = 1024;
    const uint8_t *bytes;       // behind the last stands a 0 that must stay: it ends the walk, as no token begins with it
    uint32_t length;
    const uint32_t *token;      // simdjson writes two more entries of `length` behind the last
    json_node *nodes;
    uint8_t *unescaped;
    KeyCheck &keys;
    uint32_t depth_max;
    uint32_t used = 0, depth = 0;
    uint32_t open[depth_limit];

public:
    Walk(uint8_t *bytes, uint32_t length, const uint32_t *tokens, json_node *nodes, KeyCheck &keys, uint32_t depth_max)
        : bytes(bytes), length(length), token(tokens), nodes(nodes), unescaped(bytes + length + 1), keys(keys),
          depth_max(std::min(depth_max, depth_limit)) {}

    json_result run() {
        for (;;) {
            json_result result = value();
            if (result.code) return result;
            // A value is complete: close what ends here, until another value is due.
            for (;;) {
                if (depth == 0) return *token < length ? fail(JSON_CODE_TRAILING, *token) : fail(JSON_CODE_OK, 0);
                json_node &container = nodes[open[depth - 1]];
                bool in_object = container.kind == JSON_KIND_OBJECT;
                uint8_t byte = bytes[*token];
                if (byte == ',' && container.value.count > 0) {
                    ++token;
                    if (in_object && (result = key()).code) return result;
                    ++container.value.count;
                    break;
                }
                if (byte == (in_object ? '}' : ']')) {
                    if ((result = close(container)).code) return result;
                    continue;
                }
                if (container.value.count > 0) return unexpected();
                // Just opened and not closed at once: the first element or member.
                if (in_object && (result = key()).code) return result;
                container.value.count = 1;
                break;
            }
        }
    }

private:
    json_result fail(json_code code, uint32_t offset) { return {uint32_t(code), offset}; }

    json_result unexpected() { return fail(*token < length ? JSON_CODE_SYNTAX : JSON_CODE_INCOMPLETE, *token); }

    json_result close(json_node &container) {
        container.end = *token++ + 1;
        --depth;
        container.span = used - open[depth];
        if (container.kind == JSON_KIND_OBJECT) {
            uint32_t fault = 0;
            if (auto code = keys.check(nodes, open[depth], bytes, fault)) return fail(code, fault);
        }
        return fail(JSON_CODE_OK, 0);
    }

    json_result key() {
        if (bytes[*token] != '"') return unexpected();
        json_result result = string();
        if (result.code) return result;
        if (bytes[*token] != ':') return unexpected();
        ++token;
        return result;
    }

    json_result value() {
        switch (bytes[*token]) {
        case '"': return string();
        case '{': return container(JSON_KIND_OBJECT);
        case '[': return container(JSON_KIND_ARRAY);
        case 't': return literal("true", 4, JSON_KIND_TRUE);
        case 'f': return literal("false", 5, JSON_KIND_FALSE);
        case 'n': return literal("null", 4, JSON_KIND_NULL);
        case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
            return number();
        case '+': case '.': return fail(JSON_CODE_NUMBER, *token);
        default: return unexpected();
        }
    }

    json_node &add(uint8_t kind) {
        json_node &node = nodes[used++];
        node.begin = *token;
        node.span = 1;
        node.kind = kind;
        node.has_nul = 0;
        return node;
    }

    json_result container(uint8_t kind) {
        if (depth == depth_max) return fail(JSON_CODE_DEPTH, *token);
        open[depth++] = used;
        add(kind).value.count = 0;
        ++token;
        return fail(JSON_CODE_OK, 0);
    }

    /// Tells whether a token may end before `at`.
    bool ends(const uint8_t *at) const {
        if (at == bytes + length) return true;
        switch (*at) {
        case ' ': case '\t': case '\n': case '\r': case ',': case ':': case '[': case ']': case '{': case '}': return true;
        default: return false;
        }
    }

    json_result literal(const char *word, uint32_t size, uint8_t kind) {
        const uint8_t *at = bytes + *token;
        if (length - *token < size || memcmp(at, word, size) != 0 || !ends(at + size)) return fail(JSON_CODE_LITERAL, *token);
        add(kind).end = *token + size;
        ++token;
        return fail(JSON_CODE_OK, 0);
    }

    json_result number() {
        const uint8_t *end = nullptr;
        json_node &node = add(JSON_KIND_DOUBLE);
        json_code code = read_number(bytes + *token, end, node);
        if (code == JSON_CODE_OK && !ends(end)) code = JSON_CODE_NUMBER;
        if (code) return fail(code, *token);
        node.end = uint32_t(end - bytes);
        ++token;
        return fail(JSON_CODE_OK, 0);
    }

    json_result string() {
        json_node &node = add(JSON_KIND_STRING);
        // Between a string's closing quote and the next token there is only white space: the quote is found from behind.
        uint32_t close = token[1] - 1;
        while (close > *token && bytes[close] != '"') {
            if (bytes[close] > ' ') return fail(JSON_CODE_SYNTAX, close);
            --close;
        }
        if (close == *token) return fail(JSON_CODE_INCOMPLETE, *token);
        node.end = close + 1;
        const uint8_t *at = bytes + *token + 1, *end = bytes + close;
        size_t size = size_t(end - at);
        if (size == 0 || memchr(at, '\\', size) == nullptr) {
            node.value.text = {*token + 1, uint32_t(size)};
        } else {
            uint8_t *text = unescaped;
            if (auto code = unescape(at, end, unescaped, node.has_nul)) return fail(code, uint32_t(at - bytes));
            node.value.text = {uint32_t(text - bytes), uint32_t(unescaped - text)};
        }
        ++token;
        return fail(JSON_CODE_OK, 0);
    }
};

}  // namespace todo_json
