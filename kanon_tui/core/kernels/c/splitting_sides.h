/* Give the rows of a large group to the sides of two seeds, without looking at most of them.
 *
 * First the rows widen the boxes in their order (`splitting_turns.c`). Then only one side is
 * listed, whichever is found sooner: the rows of the second side among those passed over, or the
 * rows inside the box of the first side that were covered when their turn came. The other side is
 * the rest of the group. So the cost of a split depends on its smaller side alone.
 *
 * This needs that a box grows by more than a tie whenever its categories do not cover a row it
 * takes, or it covers no missing number; `clustering.splitting` ensures it. `splitting.c` looks at
 * every row of groups without trees; tests compare the two.
 */
#ifndef KANON_SPLITTING_SIDES_H
#define KANON_SPLITTING_SIDES_H

#include "splitting_tree.h"

/* Two seeds and how far apart they are. */
typedef struct {
    int64_t first, second;
    double distance;
} FarPair;

/* A division of a group with trees; the rows of its lists are in the scratch memory. */
typedef struct {
    const PricedRows *table;
    const GroupTrees *trees;
    const SplitScratch *scratch;
    SideBoxes boxes;
    bool close;            /* some numbers are closer than a tie */
    int64_t first, second; /* the seeds */
    int64_t widened_first, taken, on_second, passed;
    int32_t *listed; /* rows of the side that is listed */
    int64_t listed_count, side;
    int64_t sizes[2];  /* records of the sides */
    int64_t looked_at; /* rows */
} Division;

/* Return whether the box of a side covers every row of a node, but for long sets. */
KN_INLINE bool covers_node(const SideBoxes *boxes, const GroupTree *tree, int64_t side,
                           int64_t node) {
    const Attributes *attributes = boxes->attributes;
    const int32_t *reach = node_reach(tree, node);
    for (int64_t x = 0; x < boxes->width; x++) {
        if (!is_set(attributes, x)) {
            if (reach[2 * x + REACH_LOW] < boxes->low[side * boxes->width + x] ||
                reach[2 * x + REACH_HIGH] > boxes->high[side * boxes->width + x]) {
                return false;
            }
        } else if (!is_long(attributes, x) && (node_words(tree, node)[fact(attributes, x, BITS)] &
                                               ~box_word(boxes, side, x)) != 0) {
            return false;
        }
    }
    return true;
}

/* Return whether the box of a side certainly covers no row of a node, new values left aside. */
KN_INLINE bool misses_node(const SideBoxes *boxes, const GroupTree *tree, int64_t side,
                           int64_t node) {
    const Attributes *attributes = boxes->attributes;
    const int32_t *reach = node_reach(tree, node);
    for (int64_t x = 0; x < boxes->width; x++) {
        if (!is_set(attributes, x)) {
            if (reach[2 * x + REACH_HIGH] < boxes->low[side * boxes->width + x] ||
                reach[2 * x + REACH_LOW] > boxes->high[side * boxes->width + x]) {
                return true;
            }
            continue;
        }
        const uint64_t word = node_words(tree, node)[fact(attributes, x, BITS)];
        const bool is_new = is_long(attributes, x) &&
                            (*fresh_sets(tree, node) & value_bit(fact(attributes, x, CHAIN))) != 0;
        if ((word & box_word(boxes, side, x)) == 0 && !is_new) {
            return true;
        }
    }
    return false;
}

/* Let rows widen the boxes in their order: fills the lists `widened_first`, `taken`, `on_second`,
 * `passed` and `ahead`. */
void take_turns(Division *division);

/* Divide the `size` records of a group with trees around two seeds, at least k to a side; return
 * whether that is possible. Then `listed` has the rows of `side`, rising. */
bool sides_by_trees(Division *division, int64_t k, int64_t size);

#endif
