#include "include/CSimdJSON.h"

#include "fault.hpp"
#include "walk.hpp"

#include <simdjson.h>

#include <memory>
#include <new>

using namespace todo_json;

/// Offsets are 32 bits wide, and texts and their unescaped copies share one buffer.
static constexpr size_t length_max = size_t(1) << 30;
/// Buffers for documents up to this size are kept between parses; larger ones are given back by the next small document.
static constexpr size_t length_kept = 64 * 1024;
static constexpr size_t length_least = 4 * 1024;

struct json_parser {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> tokens;
    std::unique_ptr<uint8_t[]> bytes;
    std::unique_ptr<json_node[]> nodes;
    size_t length_room = 0, node_room = 0;
    KeyCheck keys;

    bool make_room(size_t length) {
        if (length <= length_room && !(length_room > length_kept && length <= length_kept)) return true;
        size_t room = length_least;
        while (room < length) room *= 2;
        length_room = node_room = 0;
        nodes.reset();
        keys.release();
        bytes.reset(new (std::nothrow) uint8_t[2 * room + simdjson::SIMDJSON_PADDING]);
        if (!bytes || tokens->allocate(room, 1) != simdjson::SUCCESS) return false;
        length_room = room;
        return true;
    }

    bool make_node_room(size_t count) {
        if (count <= node_room) return true;
        size_t room = 256;
        while (room < count) room *= 2;
        node_room = 0;
        nodes.reset(new (std::nothrow) json_node[room]);
        if (!nodes) return false;
        node_room = room;
        return true;
    }

    json_result parse(const void *source, size_t length, uint32_t depth_max) {
        if (length == 0) return {JSON_CODE_EMPTY, 0};
        if (length > length_max) return {JSON_CODE_TOO_LARGE, uint32_t(length_max)};
        if (!make_room(length)) return {JSON_CODE_MEMORY, 0};
        memcpy(bytes.get(), source, length);
        memset(bytes.get() + length, 0, simdjson::SIMDJSON_PADDING);
        if (auto error = tokens->stage1(bytes.get(), length, simdjson::stage1_mode::regular)) return refused(error, uint32_t(length));
        if (!make_node_room(size_t(tokens->n_structural_indexes) + 1)) return {JSON_CODE_MEMORY, 0};
        return Walk(bytes.get(), uint32_t(length), tokens->structural_indexes.get(), nodes.get(), keys, depth_max).run();
    }

    json_result refused(simdjson::error_code error, uint32_t length) {
        json_code code = JSON_CODE_SYNTAX;
        switch (error) {
        case simdjson::EMPTY: return {JSON_CODE_EMPTY, 0};
        case simdjson::CAPACITY: return {JSON_CODE_TOO_LARGE, length};
        case simdjson::MEMALLOC: return {JSON_CODE_MEMORY, 0};
        case simdjson::UTF8_ERROR: code = JSON_CODE_UTF8; break;
        case simdjson::UNCLOSED_STRING: code = JSON_CODE_INCOMPLETE; break;
        case simdjson::UNESCAPED_CHARS: code = JSON_CODE_CONTROL; break;
        default: return {JSON_CODE_SYNTAX, 0};
        }
        return {uint32_t(code), locate_fault(bytes.get(), length, code)};
    }
};

extern "C" json_parser *json_parser_create(void) {
    std::unique_ptr<json_parser> parser(new (std::nothrow) json_parser);
    if (!parser) return nullptr;
    auto error = simdjson::get_active_implementation()->create_dom_parser_implementation(length_least, 1, parser->tokens);
    return error == simdjson::SUCCESS ? parser.release() : nullptr;
}

extern "C" void json_parser_destroy(json_parser *parser) { delete parser; }

extern "C" json_result json_parse(json_parser *parser, const void *bytes, size_t length, uint32_t depth_max) {
    return parser->parse(bytes, length, depth_max);
}

extern "C" const json_node *json_nodes(const json_parser *parser) { return parser->nodes.get(); }

extern "C" const uint8_t *json_bytes(const json_parser *parser) { return parser->bytes.get(); }
