/* Boxes of the nodes of a tree, kept up to date as records are taken; `box_tree.py` says more. */
#ifndef KANON_BOX_TREE_H
#define KANON_BOX_TREE_H

#include "kernel.h"

/* Return the bit that stands for a label in the sets of boxes. */
KN_INLINE uint64_t label_bit(int32_t label) {
    return (uint64_t)1 << (label & 63);
}

/* Set the box of a leaf from the rows it still has. */
static inline void fit_leaf(const BoxTree *tree, int64_t node) {
    const int64_t numbers = tree->places_shape1, categories = tree->labels_shape1;
    double *low = tree->low + node * numbers, *high = tree->high + node * numbers;
    bool *blank = tree->blank + node * numbers;
    uint64_t *sets = tree->sets + node * categories;
    int32_t first = GONE;
    for (int64_t x = 0; x < numbers; x++) {
        low[x] = INFINITY;
        high[x] = -INFINITY;
        blank[x] = false;
    }
    for (int64_t y = 0; y < categories; y++) {
        sets[y] = 0;
    }
    for (int64_t i = tree->start[node]; i < tree->end[node]; i++) {
        if (tree->record[i] == GONE) {
            continue;
        }
        first = KN_MIN(first, tree->record[i]);
        const double *places = tree->places + i * numbers;
        for (int64_t x = 0; x < numbers; x++) {
            if (isnan(places[x])) {
                blank[x] = true;
            } else {
                low[x] = min_f64(low[x], places[x]);
                high[x] = max_f64(high[x], places[x]);
            }
        }
        const int32_t *labels = tree->labels + i * categories;
        for (int64_t y = 0; y < categories; y++) {
            sets[y] |= label_bit(labels[y]);
        }
    }
    tree->first[node] = first;
}

/* Set the box of an inner node from its children; return whether that changed anything. */
static inline bool fit_parent(const BoxTree *tree, int64_t node) {
    const int64_t numbers = tree->places_shape1, categories = tree->labels_shape1;
    int64_t a = tree->child[node], b = a + 1;
    if (tree->first[a] == GONE) {
        a = b;
    }
    if (tree->first[b] == GONE) {
        b = a;
    }
    bool changed = KN_SET(tree->first[node], KN_MIN(tree->first[a], tree->first[b]));
    for (int64_t x = 0; x < numbers; x++) {
        const int64_t one = a * numbers + x, two = b * numbers + x, both = node * numbers + x;
        const double low = min_f64(tree->low[one], tree->low[two]);
        const double high = max_f64(tree->high[one], tree->high[two]);
        const bool blank = tree->blank[one] || tree->blank[two];
        changed |= KN_SET(tree->low[both], low);
        changed |= KN_SET(tree->high[both], high);
        changed |= KN_SET(tree->blank[both], blank);
    }
    for (int64_t y = 0; y < categories; y++) {
        const uint64_t set = tree->sets[a * categories + y] | tree->sets[b * categories + y];
        changed |= KN_SET(tree->sets[node * categories + y], set);
    }
    return changed;
}

/* Take a record; `next_record` is the next one of the same row, or GONE. */
static inline void take_record(const BoxTree *tree, int64_t position, int32_t next_record) {
    int64_t node = tree->leaf[position];
    tree->record[position] = next_record;
    fit_leaf(tree, node);
    do {
        node = tree->parent[node];
    } while (node >= 0 && fit_parent(tree, node));
}

#endif
