/* Clusters as boxes: reading them, and joining two; `box_arrays.py` says what a box is.
 *
 * Everything here costs O(1) per attribute, but for long sets, whose lists are walked, and trees,
 * whose parents are. `algorithms/twins/merging.py` computes the same from sets of
 * values.
 */
#ifndef KANON_BOX_CLUSTERS_H
#define KANON_BOX_CLUSTERS_H

#include "boxes.h"
#include "kernel.h"

/* Return where a cluster has an attribute in `shown` and `extents`, and a row in `hidden`. */
KN_INLINE int64_t cell(const BoxClusters *clusters, int64_t c, int64_t x) {
    return c * clusters->extents_shape1 + x;
}

/* Return LOW and HIGH of a cluster. */
KN_INLINE double *box_of(const BoxClusters *clusters, int64_t c, int64_t x) {
    return clusters->boxes + 2 * cell(clusters, c, x);
}

KN_INLINE uint64_t *words_of(const BoxClusters *clusters, int64_t c) {
    return clusters->words + c * clusters->words_shape1;
}

KN_INLINE int32_t *info_of(const BoxClusters *clusters, int64_t c) {
    return clusters->info + c * clusters->info_shape1;
}

KN_INLINE int32_t *links_of(const BoxClusters *clusters, int64_t row) {
    return clusters->links + row * clusters->links_shape1;
}

/* Return the link from a row to the next of a list of values. */
KN_INLINE int32_t *next_value(const BoxClusters *clusters, int64_t chain, int64_t row) {
    return links_of(clusters, row) + 1 + chain;
}

/* Return the value that a row has in a list. */
KN_INLINE int32_t value_of(const BoxClusters *clusters, int64_t chain, int64_t row) {
    return links_of(clusters, row)[1 + chain + (clusters->links_shape1 - 1) / 2];
}

/* Return DR of the union of two clusters. */
KN_INLINE double rules_kept(const Attributes *attributes, const BoxClusters *clusters, int64_t x,
                            int64_t a, int64_t b) {
    return rule_ratio(attributes, words_of(clusters, a), words_of(clusters, b), x);
}

/* Return how many values two sorted lists have in common. */
static inline int64_t shared_values(const BoxClusters *clusters, int64_t chain, int64_t a,
                                    int64_t b) {
    int64_t shared = 0;
    int32_t row = info_of(clusters, a)[VALUES + chain];
    int32_t other = info_of(clusters, b)[VALUES + chain];
    while (row >= 0 && other >= 0) {
        const int32_t value = value_of(clusters, chain, row);
        const int32_t other_value = value_of(clusters, chain, other);
        shared += value == other_value;
        if (value <= other_value) {
            row = *next_value(clusters, chain, row);
        }
        if (other_value <= value) {
            other = *next_value(clusters, chain, other);
        }
    }
    return shared;
}

/* Return how many values the sets of two clusters have together. */
KN_INLINE int64_t union_count(const Attributes *attributes, const BoxClusters *clusters, int64_t x,
                              int64_t a, int64_t b) {
    const int64_t column = fact(attributes, x, BITS), chain = fact(attributes, x, CHAIN);
    const uint64_t bits = words_of(clusters, a)[column], more = words_of(clusters, b)[column];
    if (chain < 0) {
        return count_bits(bits | more);
    }
    const int64_t count =
        (int64_t)box_of(clusters, a, x)[HIGH] + (int64_t)box_of(clusters, b, x)[HIGH];
    return (bits & more) == 0 ? count : count - shared_values(clusters, chain, a, b);
}

/* Return the extent of the union of two clusters. */
KN_INLINE double union_extent(const Attributes *attributes, const BoxClusters *clusters, int64_t x,
                              int64_t a, int64_t b) {
    if (fact(attributes, x, KIND) == SET) {
        return set_extent(attributes, x, union_count(attributes, clusters, x, a, b));
    }
    const double *one = box_of(clusters, a, x), *two = box_of(clusters, b, x);
    return width(attributes, x, min_f64(one[LOW], two[LOW]), max_f64(one[HIGH], two[HIGH]));
}

/* Merge the sorted lists of values into that of b; a value that both have stays once. */
static inline void join_lists(const BoxClusters *clusters, int64_t chain, int64_t a, int64_t b) {
    int32_t row = info_of(clusters, a)[VALUES + chain];
    int32_t other = info_of(clusters, b)[VALUES + chain];
    int32_t *link = info_of(clusters, b) + VALUES + chain;
    while (row >= 0 || other >= 0) {
        const int64_t value = row >= 0 ? value_of(clusters, chain, row) : NOTHING;
        const int64_t other_value = other >= 0 ? value_of(clusters, chain, other) : NOTHING;
        if (value < other_value) {
            *link = row;
            row = *next_value(clusters, chain, row);
        } else {
            if (value == other_value) {
                row = *next_value(clusters, chain, row);
            }
            *link = other;
            other = *next_value(clusters, chain, other);
        }
        link = next_value(clusters, chain, *link);
    }
    *link = -1;
}

/* Widen cluster b along an attribute so that it also covers cluster a. */
static inline void absorb(const Attributes *attributes, const BoxClusters *clusters, int64_t x,
                          int64_t a, int64_t b) {
    const double *box = box_of(clusters, a, x);
    double *wider = box_of(clusters, b, x);
    const uint64_t *words = words_of(clusters, a);
    uint64_t *more = words_of(clusters, b);
    clusters->shown[cell(clusters, b, x)] += clusters->shown[cell(clusters, a, x)];
    const int64_t first = fact(attributes, x, FIRST);
    for (int64_t w = first; w < first + 2 * fact(attributes, x, RULE_WORDS); w++) {
        more[w] |= words[w];
    }
    const double low = min_f64(box[LOW], wider[LOW]);
    wider[LOW] = low;
    if (fact(attributes, x, KIND) == SET) {
        const int64_t count = union_count(attributes, clusters, x, a, b);
        const int64_t bits = fact(attributes, x, BITS), often = fact(attributes, x, OFTEN);
        const int64_t after = often + fact(attributes, x, OFTEN_WORDS);
        wider[HIGH] = (double)count;
        clusters->extents[cell(clusters, b, x)] = set_extent(attributes, x, count);
        more[bits] |= words[bits];
        for (int64_t w = often; w < after; w++) {
            more[w] |= words[w];
        }
        if (fact(attributes, x, CHAIN) >= 0) {
            join_lists(clusters, fact(attributes, x, CHAIN), a, b);
        }
        return;
    }
    const double high = max_f64(box[HIGH], wider[HIGH]);
    wider[HIGH] = high;
    clusters->extents[cell(clusters, b, x)] = width(attributes, x, low, high);
    if (fact(attributes, x, KIND) == TREE && low < high) {
        const int64_t node = common_ancestor(attributes->nodes, fact(attributes, x, START),
                                             (int64_t)low, (int64_t)high);
        wider[LOW] = attributes->nodes[node * NODE_COLUMNS + NODE_LOW];
        wider[HIGH] = attributes->nodes[node * NODE_COLUMNS + NODE_HIGH];
    }
}

/* Hide an attribute of all records of a cluster. */
static inline void hide_all(const Attributes *attributes, const BoxClusters *clusters, int64_t x,
                            int64_t c) {
    const bool is_set = fact(attributes, x, KIND) == SET;
    int32_t *info = info_of(clusters, c);
    uint64_t *words = words_of(clusters, c);
    for (int32_t row = info[HEAD]; row >= 0; row = links_of(clusters, row)[FOLLOWING]) {
        clusters->hidden[cell(clusters, row, x)] = true;
    }
    clusters->extents[cell(clusters, c, x)] = 0.0;
    clusters->shown[cell(clusters, c, x)] = 0;
    box_of(clusters, c, x)[LOW] = INFINITY;
    box_of(clusters, c, x)[HIGH] = is_set ? 0.0 : -INFINITY;
    if (is_set) {
        words[fact(attributes, x, BITS)] = 0;
        for (int64_t w = 0; w < fact(attributes, x, OFTEN_WORDS); w++) {
            words[fact(attributes, x, OFTEN) + w] = 0;
        }
        if (fact(attributes, x, CHAIN) >= 0) {
            info[VALUES + fact(attributes, x, CHAIN)] = -1;
        }
    }
    const int64_t first = fact(attributes, x, FIRST);
    for (int64_t w = first; w < first + 2 * fact(attributes, x, RULE_WORDS); w++) {
        words[w] = 0;
    }
}

#endif
