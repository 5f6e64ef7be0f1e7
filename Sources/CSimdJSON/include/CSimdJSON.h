#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a node of the tape is.
enum json_kind {
    JSON_KIND_NULL = 0,
    JSON_KIND_FALSE = 1,
    JSON_KIND_TRUE = 2,
    /// A number whose value is a whole number within 64 bits, however it is written: `1`, `1.0`, `1e2`.
    JSON_KIND_INTEGER = 3,
    /// Any other number.
    JSON_KIND_DOUBLE = 4,
    JSON_KIND_STRING = 5,
    JSON_KIND_ARRAY = 6,
    JSON_KIND_OBJECT = 7,
};

/// Why a text was refused. The order is shared with `JSONError.Reason` in Swift.
enum json_code {
    JSON_CODE_OK = 0,
    JSON_CODE_EMPTY = 1,
    JSON_CODE_INCOMPLETE = 2,
    JSON_CODE_SYNTAX = 3,
    JSON_CODE_TRAILING = 4,
    JSON_CODE_DEPTH = 5,
    JSON_CODE_DUPLICATE_KEY = 6,
    JSON_CODE_ESCAPE = 7,
    JSON_CODE_LONE_SURROGATE = 8,
    JSON_CODE_CONTROL = 9,
    JSON_CODE_NUMBER = 10,
    JSON_CODE_NUMBER_RANGE = 11,
    JSON_CODE_LITERAL = 12,
    JSON_CODE_UTF8 = 13,
    JSON_CODE_TOO_LARGE = 14,
    JSON_CODE_MEMORY = 15,
};

/// One value of the document. Nodes stand in document order; an object's members are a key node and a value node each.
typedef struct {
    /// Where the value's own JSON text begins and ends in the document, in bytes.
    uint32_t begin, end;
    /// How many nodes this value takes, itself and everything inside it.
    uint32_t span;
    uint8_t kind;
    /// For a string: 1 if its text holds U+0000.
    uint8_t has_nul;
    union {
        int64_t integer;
        double number;
        /// A string's unescaped text, in `json_bytes`.
        struct { uint32_t begin, length; } text;
        /// How many elements or members.
        uint32_t count;
    } value;
} json_node;

typedef struct {
    uint32_t code;
    /// Byte offset of the fault in the document.
    uint32_t offset;
} json_result;

typedef struct json_parser json_parser;

/// NULL if there is no memory.
json_parser *json_parser_create(void);
void json_parser_destroy(json_parser *parser);

/// Checks `length` bytes completely and fills the tape. The bytes are copied; nodes stay valid until the next parse.
json_result json_parse(json_parser *parser, const void *bytes, size_t length, uint32_t depth_max);

/// The tape of the last parse that succeeded; the root is node 0.
const json_node *json_nodes(const json_parser *parser);
/// The document's bytes, followed by the unescaped texts of those strings that held escapes.
const uint8_t *json_bytes(const json_parser *parser);

#ifdef __cplusplus
}
#endif
