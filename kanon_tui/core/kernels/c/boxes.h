/* Extents and rules of boxes; `box_arrays.py` says what a box is.
 *
 * Every function costs O(1) per attribute, except for trees, whose parents are walked.
 */
#ifndef KANON_BOXES_H
#define KANON_BOXES_H

#include "kernel.h"

/* Columns of `Attributes.nodes`. */
enum { NODE_LOW, NODE_HIGH, NODE_PARENT, NODE_COLUMNS };

KN_INLINE int64_t fact(const Attributes *attributes, int64_t x, int64_t column) {
    return attributes->facts[x * attributes->facts_shape1 + column];
}

KN_INLINE double price(const Attributes *attributes, int64_t x, int64_t column) {
    return attributes->prices[x * attributes->prices_shape1 + column];
}

KN_INLINE int64_t count_bits(uint64_t word) {
    return __builtin_popcountll(word);
}

/* Return the lowest node of a tree that has both ranks below it. */
KN_INLINE int64_t common_ancestor(const int32_t *nodes, int64_t start, int64_t low, int64_t high) {
    int64_t node = start + low;
    while (nodes[node * NODE_COLUMNS + NODE_HIGH] < high) {
        node = start + nodes[node * NODE_COLUMNS + NODE_PARENT];
    }
    return node;
}

/* Return the extent of the smallest node of a tree from one rank to another, low < high. */
KN_INLINE double tree_extent(const Attributes *attributes, int64_t x, int64_t low, int64_t high) {
    const int32_t *nodes = attributes->nodes;
    const int64_t node = common_ancestor(nodes, fact(attributes, x, START), low, high);
    const int64_t covered =
        nodes[node * NODE_COLUMNS + NODE_HIGH] - nodes[node * NODE_COLUMNS + NODE_LOW] + 1;
    return price(attributes, x, UNIT) * (double)covered + price(attributes, x, SHIFT);
}

/* Return the extent of the smallest box from one code or rank to another; not for sets. */
KN_INLINE double extent(const Attributes *attributes, int64_t x, int64_t low, int64_t high) {
    if (low >= high) {
        return 0.0;
    }
    if (fact(attributes, x, KIND) != LINE) {
        return tree_extent(attributes, x, low, high);
    }
    if (high == fact(attributes, x, MISSING)) {
        return price(attributes, x, MIXED);
    }
    const double *line = attributes->line + fact(attributes, x, START);
    return line[high] - line[low];
}

/* Return the extent of the smallest box from one place or rank to another; not for sets. */
KN_INLINE double width(const Attributes *attributes, int64_t x, double low, double high) {
    if (low >= high) {
        return 0.0;
    }
    if (fact(attributes, x, KIND) == LINE) {
        return high == MISSING_PLACE ? price(attributes, x, MIXED) : high - low;
    }
    return tree_extent(attributes, x, (int64_t)low, (int64_t)high);
}

/* Return the extent of a set with `count` values. */
KN_INLINE double set_extent(const Attributes *attributes, int64_t x, int64_t count) {
    if (count <= 1) {
        return 0.0;
    }
    return price(attributes, x, UNIT) * (double)count + price(attributes, x, SHIFT);
}

/* Return the cost per record of a class of two rows, without rules. */
KN_INLINE double pair_cost(const Attributes *attributes, const double *rates, const int32_t *row,
                           const int32_t *other) {
    double total = 0.0;
    for (int64_t x = 0; x < attributes->facts_shape0; x++) {
        const int32_t low = KN_MIN(row[x], other[x]), high = KN_MAX(row[x], other[x]);
        if (low == high || low < 0) {
            continue;
        }
        total += rates[x] * (fact(attributes, x, KIND) == SET ? set_extent(attributes, x, 2)
                                                              : extent(attributes, x, low, high));
    }
    return total;
}

/* Return DR of the union of two boxes, given their words (see FIRST and SECOND). */
KN_INLINE double rule_ratio(const Attributes *attributes, const uint64_t *words,
                            const uint64_t *more, int64_t x) {
    double kept = 1.0;
    for (int64_t w = 0; w < fact(attributes, x, RULE_WORDS); w++) {
        const int64_t first = fact(attributes, x, FIRST) + w;
        const int64_t second = fact(attributes, x, SECOND) + w;
        const double *importance =
            attributes->importance + (fact(attributes, x, IMPORTANCE) + w) * WORD_BITS;
        uint64_t broken = (words[first] | more[first]) & (words[second] | more[second]);
        for (int64_t r = 0; broken != 0; r++, broken >>= 1) {
            if (broken & 1) {
                kept -= importance[r] / price(attributes, x, WHOLE);
            }
        }
    }
    return kept;
}

#endif
