/* The boxes of the two sides while a group is divided.
 *
 * A box is a row of several tables: lowest and highest value per attribute, flags of the values
 * that its sets have, and the same flags as words of 64 (value code modulo 64), with which nodes
 * of a tree can be compared at once. A set has its number of values as the highest. Along other
 * attributes a box reaches as far as it can without a greater extent: in a tree over all values of
 * its node, and over everything when a number is missing. So a box does not grow by values that it
 * reaches, and grows by all others.
 *
 * A set of more than 64 values may have most of them once. They are not all flagged where one side
 * takes whatever is new, the host: it has each value that has occurred and that the other side has
 * not. When the other side gets one that the host has, it is flagged for both. The number of
 * values of the host is then too low, which matters no more from two on.
 */
#ifndef KANON_SPLITTING_BOXES_H
#define KANON_SPLITTING_BOXES_H

#include "boxes.h"

/* The boxes of the two sides, and two in which the growth of the first is replayed. */
enum { FIRST_BOX, SECOND_BOX, REPLAY, REPLAY_FIRST };

typedef struct {
    const PricedRows *table;
    const Attributes *attributes;
    int32_t *low, *high; /* boxes × attributes */
    bool *present;       /* boxes × values of all sets */
    uint64_t *words;     /* boxes × words: a value on this bit is there */
    int64_t width, values, columns;
    int64_t host;         /* side, or -1 */
    bool turning;         /* rows are taken in order: later values are new */
    const int32_t *heads; /* per value of long sets one more than the first row that has it */
} SideBoxes;

/* Return empty boxes; without `heads` there is no host. */
KN_INLINE SideBoxes new_boxes(const PricedRows *table, const SplitScratch *scratch, int64_t count,
                              const int32_t *heads) {
    const SideBoxes boxes = {
        .table = table,
        .attributes = table->attributes,
        .low = scratch->low,
        .high = scratch->high,
        .present = scratch->present,
        .words = scratch->words,
        .width = table->values_shape1,
        .values = scratch->present_shape1,
        .columns = scratch->words_shape1,
        .host = -1,
        .turning = false,
        .heads = heads,
    };
    memset(boxes.low, 0, (size_t)(count * boxes.width) * sizeof *boxes.low);
    memset(boxes.high, 0, (size_t)(count * boxes.width) * sizeof *boxes.high);
    memset(boxes.words, 0, (size_t)(count * boxes.columns) * sizeof *boxes.words);
    return boxes;
}

KN_INLINE const int32_t *row_values(const PricedRows *table, int64_t row) {
    return table->values + row * table->values_shape1;
}

/* Return a value of a set as one bit of a word. */
KN_INLINE uint64_t value_bit(int64_t value) {
    return UINT64_C(1) << (value % WORD_BITS);
}

KN_INLINE bool is_set(const Attributes *attributes, int64_t x) {
    return fact(attributes, x, KIND) == SET;
}

KN_INLINE bool is_long(const Attributes *attributes, int64_t x) {
    return fact(attributes, x, CHAIN) >= 0;
}

/* Return the flag of a value among those of all sets. */
KN_INLINE int64_t flag_of(const Attributes *attributes, int64_t x, int64_t value) {
    return fact(attributes, x, START) + value;
}

KN_INLINE bool *present_flag(const SideBoxes *boxes, int64_t side, int64_t flag) {
    return boxes->present + side * boxes->values + flag;
}

KN_INLINE uint64_t box_word(const SideBoxes *boxes, int64_t side, int64_t x) {
    return boxes->words[side * boxes->columns + fact(boxes->attributes, x, BITS)];
}

/* Return the extent of the box around two values of an attribute. */
KN_INLINE double value_distance(const Attributes *attributes, int64_t x, int64_t one,
                                int64_t other) {
    if (one == other) {
        return 0.0;
    }
    return is_set(attributes, x) ? set_extent(attributes, x, 2)
                                 : extent(attributes, x, min_i64(one, other), max_i64(one, other));
}

/* Return the extent of the box around two distinct rows. */
KN_INLINE double apart(const PricedRows *table, int64_t i, int64_t j) {
    const int32_t *one = row_values(table, i), *other = row_values(table, j);
    double total = 0.0;
    for (int64_t x = 0; x < table->values_shape1; x++) {
        total += value_distance(table->attributes, x, one[x], other[x]);
    }
    return total;
}

/* Return by how much a set grows when it gets one more value. */
KN_INLINE double one_value_more(const Attributes *attributes, int64_t x, int64_t count) {
    return set_extent(attributes, x, count + 1) - set_extent(attributes, x, count);
}

/* Return whether the set of a side has the value of a row. */
KN_INLINE bool has_value(const SideBoxes *boxes, int64_t side, int64_t x, int64_t row,
                         int64_t value) {
    const int64_t flag = flag_of(boxes->attributes, x, value), host = boxes->host;
    if (*present_flag(boxes, side, flag)) {
        return true;
    }
    if (host < 0 || !is_long(boxes->attributes, x) ||
        (side == SECOND_BOX) != (host == SECOND_BOX)) {
        return false;
    }
    const bool is_new = boxes->turning && boxes->heads[flag] == row + 1;
    return !is_new && !*present_flag(boxes, 1 - host, flag);
}

/* Return whether the box of a side covers a row. */
KN_INLINE bool covers_row(const SideBoxes *boxes, int64_t side, int64_t row) {
    const int32_t *values = row_values(boxes->table, row);
    const int32_t *lowest = boxes->low + side * boxes->width;
    const int32_t *highest = boxes->high + side * boxes->width;
    for (int64_t x = 0; x < boxes->width; x++) {
        if (is_set(boxes->attributes, x) ? !has_value(boxes, side, x, row, values[x])
                                         : values[x] < lowest[x] || values[x] > highest[x]) {
            return false;
        }
    }
    return true;
}

/* Return by how much the box of a side grows when it takes a row. */
KN_INLINE double box_growth(const SideBoxes *boxes, int64_t side, int64_t row) {
    const Attributes *attributes = boxes->attributes;
    const int32_t *values = row_values(boxes->table, row);
    const int32_t *lowest = boxes->low + side * boxes->width;
    const int32_t *highest = boxes->high + side * boxes->width;
    double total = 0.0;
    for (int64_t x = 0; x < boxes->width; x++) {
        const int64_t value = values[x], low = lowest[x], high = highest[x];
        if (is_set(attributes, x)) {
            if (!has_value(boxes, side, x, row, value)) {
                total += one_value_more(attributes, x, high);
            }
        } else if (value < low || value > high) {
            total += extent(attributes, x, min_i64(low, value), max_i64(high, value));
            total -= extent(attributes, x, low, high);
        }
    }
    return total;
}

/* Let the set of a side have one more value, that of a row. */
KN_INLINE void add_value(const SideBoxes *boxes, int64_t side, int64_t x, int64_t row,
                         int64_t value) {
    const int64_t flag = flag_of(boxes->attributes, x, value);
    *present_flag(boxes, side, flag) = true;
    boxes->high[side * boxes->width + x]++;
    boxes->words[side * boxes->columns + fact(boxes->attributes, x, BITS)] |= value_bit(value);
    if (!is_long(boxes->attributes, x) || boxes->host < 0 || !boxes->turning ||
        boxes->heads[flag] == row + 1) {
        return;
    }
    for (int64_t box = 0; box < SIDE_BOXES; box++) { /* the other side had it from the start */
        if ((box == SECOND_BOX) != (side == SECOND_BOX)) {
            *present_flag(boxes, box, flag) = true;
        }
    }
}

/* Begin the box of a side with a row. */
KN_INLINE void begin_box(const SideBoxes *boxes, int64_t side, int64_t row) {
    const int32_t *values = row_values(boxes->table, row);
    for (int64_t x = 0; x < boxes->width; x++) {
        if (is_set(boxes->attributes, x)) {
            add_value(boxes, side, x, row, values[x]);
        } else {
            boxes->low[side * boxes->width + x] = boxes->high[side * boxes->width + x] = values[x];
        }
    }
}

/* Widen a range along a number, a date or a tree, as far as its extent stays the same. */
KN_INLINE void widen_range(const Attributes *attributes, int64_t x, int32_t value, int32_t *low,
                           int32_t *high) {
    *low = KN_MIN(*low, value);
    *high = KN_MAX(*high, value);
    if (fact(attributes, x, KIND) == TREE) {
        const int64_t node =
            common_ancestor(attributes->nodes, fact(attributes, x, START), *low, *high);
        *low = attributes->nodes[node * NODE_COLUMNS + NODE_LOW];
        *high = attributes->nodes[node * NODE_COLUMNS + NODE_HIGH];
    } else if (fact(attributes, x, MISSING) != NOTHING &&
               extent(attributes, x, *low, *high) >= price(attributes, x, MIXED) - TIE) {
        *low = 0;
        *high = (int32_t)fact(attributes, x, MISSING);
    }
}

/* Widen the box of a side so that it covers a row. */
KN_INLINE void widen(const SideBoxes *boxes, int64_t side, int64_t row) {
    const int32_t *values = row_values(boxes->table, row);
    int32_t *lowest = boxes->low + side * boxes->width;
    int32_t *highest = boxes->high + side * boxes->width;
    for (int64_t x = 0; x < boxes->width; x++) {
        if (is_set(boxes->attributes, x)) {
            if (!has_value(boxes, side, x, row, values[x])) {
                add_value(boxes, side, x, row, values[x]);
            }
        } else if (values[x] < lowest[x] || values[x] > highest[x]) {
            widen_range(boxes->attributes, x, values[x], lowest + x, highest + x);
        }
    }
}

/* Clear the flags of the values of these rows, so that the next boxes begin with none. */
KN_INLINE void forget(const SideBoxes *boxes, const int32_t *rows, int64_t size) {
    for (int64_t x = 0; x < boxes->width; x++) {
        if (!is_set(boxes->attributes, x)) {
            continue;
        }
        for (int64_t i = 0; i < size; i++) {
            const int64_t value = row_values(boxes->table, rows[i])[x];
            for (int64_t side = 0; side < SIDE_BOXES; side++) {
                *present_flag(boxes, side, flag_of(boxes->attributes, x, value)) = false;
            }
        }
    }
}

#endif
