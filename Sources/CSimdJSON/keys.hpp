#pragma once

#include "include/CSimdJSON.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

namespace todo_json {

/// Finds a key that stands twice in one object. Small objects are compared pair by pair, large ones are sorted, so the
/// cost stays at n log n whatever keys a hostile sender picks: there is no hash to collide.
class KeyCheck {
    static constexpr uint32_t pairwise_max = 16;
    std::unique_ptr<uint32_t[]> sorted;
    uint32_t capacity = 0;

    static int compare(const json_node &one, const json_node &other, const uint8_t *bytes) {
        auto a = one.value.text, b = other.value.text;
        if (a.length != b.length) return a.length < b.length ? -1 : 1;
        return memcmp(bytes + a.begin, bytes + b.begin, a.length);
    }

    static bool equal(const decltype(json_node::value) &one, const decltype(json_node::value) &other, const uint8_t *bytes) {
        auto a = one.text, b = other.text;
        // Most keys of one length differ in their first byte already.
        return a.length == b.length && (a.length == 0 || bytes[a.begin] == bytes[b.begin]) && memcmp(bytes + a.begin, bytes + b.begin, a.length) == 0;
    }

public:
    /// `object` is the index of a complete object node. On a duplicate, `fault` is the later key's offset.
    json_code check(const json_node *nodes, uint32_t object, const uint8_t *bytes, uint32_t &fault) {
        uint32_t count = nodes[object].value.count, first = object + 1;
        if (count < 2) return JSON_CODE_OK;
        if (count <= pairwise_max) {
            uint32_t keys[pairwise_max];
            for (uint32_t i = 0, key = first; i < count; ++i, key += 1 + nodes[key + 1].span) {
                for (uint32_t j = 0; j < i; ++j) {
                    if (equal(nodes[keys[j]].value, nodes[key].value, bytes)) {
                        fault = nodes[key].begin;
                        return JSON_CODE_DUPLICATE_KEY;
                    }
                }
                keys[i] = key;
            }
            return JSON_CODE_OK;
        }
        if (count > capacity) {
            sorted.reset(new (std::nothrow) uint32_t[count]);
            capacity = sorted ? count : 0;
            if (!sorted) return JSON_CODE_MEMORY;
        }
        for (uint32_t i = 0, key = first; i < count; ++i, key += 1 + nodes[key + 1].span) sorted[i] = key;
        std::sort(sorted.get(), sorted.get() + count, [&](uint32_t a, uint32_t b) {
            int order = compare(nodes[a], nodes[b], bytes);
            return order != 0 ? order < 0 : a < b;
        });
        for (uint32_t i = 1; i < count; ++i) {
            if (compare(nodes[sorted[i - 1]], nodes[sorted[i]], bytes) == 0) {
                fault = nodes[sorted[i]].begin;
                return JSON_CODE_DUPLICATE_KEY;
            }
        }
        return JSON_CODE_OK;
    }

    void release() {
        sorted.reset();
        capacity = 0;
    }
};

}  // namespace todo_json
