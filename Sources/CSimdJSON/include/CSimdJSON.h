#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a node of the tape is.
enum todo_json_kind {
    TODO_JSON_NULL = 0,
    TODO_JSON_FALSE = 1,
    TODO_JSON_TRUE = 2,
    /// A number whose value is a whole number within 64 bits, however it is written: `1`, `1.0`, `1e2`.
    TODO_JSON_INTEGER = 3,
    /// Any other number.
    TODO_JSON_DOUBLE = 4,
    TODO_JSON_STRING = 5,
    TODO_JSON_ARRAY = 6,
    TODO_JSON_OBJECT = 7,
};

/// Why a text was refused. The order is shared with `JSONError.Reason` in Swift.
enum todo_json_code {
    TODO_JSON_OK = 0,
    TODO_JSON_EMPTY = 1,
    TODO_JSON_INCOMPLETE = 2,
    TODO_JSON_SYNTAX = 3,
    TODO_JSON_TRAILING = 4,
    TODO_JSON_DEPTH = 5,
    TODO_JSON_DUPLICATE_KEY = 6,
    TODO_JSON_ESCAPE = 7,
    TODO_JSON_LONE_SURROGATE = 8,
    TODO_JSON_CONTROL = 9,
    TODO_JSON_NUMBER = 10,
    TODO_JSON_NUMBER_RANGE = 11,
    TODO_JSON_LITERAL = 12,
    TODO_JSON_UTF8 = 13,
    TODO_JSON_TOO_LARGE = 14,
    TODO_JSON_MEMORY = 15,
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
        /// A string's unescaped text, in `todo_json_bytes`.
        struct { uint32_t begin, length; } text;
        /// How many elements or members.
        uint32_t count;
    } value;
} todo_json_node;

typedef struct {
    uint32_t code;
    /// Byte offset of the fault in the document.
    uint32_t offset;
} todo_json_result;

typedef struct todo_json_parser todo_json_parser;

/// NULL if there is no memory.
todo_json_parser *todo_json_parser_create(void);
void todo_json_parser_destroy(todo_json_parser *parser);

/// Checks `length` bytes completely and fills the tape. The bytes are copied; nodes stay valid until the next parse.
todo_json_result todo_json_parse(todo_json_parser *parser, const void *bytes, size_t length, uint32_t depth_max);

/// The tape of the last parse that succeeded; the root is node 0.
const todo_json_node *todo_json_nodes(const todo_json_parser *parser);
/// The document's bytes, followed by the unescaped texts of those strings that held escapes.
const uint8_t *todo_json_bytes(const todo_json_parser *parser);

#ifdef __cplusplus
}
#endif
