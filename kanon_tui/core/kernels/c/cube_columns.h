/* Fixing one attribute after the other of a cube with few empty places. */
#ifndef KANON_CUBE_COLUMNS_H
#define KANON_CUBE_COLUMNS_H

#include "cube_room.h"

KN_INLINE void clear_numbers(int32_t *numbers, int64_t size) {
    memset(numbers, 0, (size_t)size * sizeof *numbers);
}

KN_INLINE void add_numbers(int32_t *restrict to, const int32_t *restrict from, int64_t size) {
    for (int64_t i = 0; i < size; i++) {
        to[i] += from[i];
    }
}

/* Add up the records of every part of a cube, label by label. */
static void add_columns(const CubeRoom *room, int64_t source, int64_t sums, int64_t parts,
                        int64_t rows, int64_t stride, int64_t length) {
    const int32_t *column = room->numbers + source;
    for (int64_t begin = sums; begin < sums + parts; begin += max_i64(rows, 1)) {
        clear_numbers(room->numbers + begin, rows);
        for (int64_t place = 0; place < length; place++, column += stride) {
            add_numbers(room->numbers + begin, column, rows);
        }
    }
}

/* Add up the records of all rows of a cube with a label. */
static void add_totals(const CubeRoom *room, int64_t sums, int64_t rows, int64_t label) {
    clear_numbers(room->totals, rows);
    for (int64_t i = room->first_label[label]; i < room->first_label[label + 1]; i++) {
        add_numbers(room->totals, room->numbers + sums + room->sorted_labels[i] * rows, rows);
    }
}

static LostRows lost_by_columns(const CubeRoom *room, int64_t sums, int64_t rows, int64_t new,
                                int32_t k) {
    LostRows result = {.lost = 0, .rows = 0};
    for (int64_t label = 0; label < new; label++) {
        add_totals(room, sums, rows, label);
        const int32_t *totals = room->totals;
        int32_t lost = 0, kept = 0;
        for (int64_t row = 0; row < rows; row++) {
            lost += totals[row] < k ? totals[row] : 0;
            kept += totals[row] >= k;
        }
        result.lost += lost;
        result.rows += kept;
    }
    return result;
}

/* Add up the columns of labels that merge into one label. */
static void add_label(const CubeRoom *room, int64_t source, int64_t rows, int64_t stride,
                      PartLengths lengths, int64_t label) {
    clear_numbers(room->columns, lengths.new *rows);
    for (int64_t i = room->first_label[label]; i < room->first_label[label + 1]; i++) {
        const int32_t *part =
            room->numbers + source + room->sorted_labels[i] * lengths.old * stride;
        for (int64_t place = 0; place < lengths.old; place++) {
            add_numbers(room->columns + room->targets[place] * rows, part + place * stride, rows);
        }
    }
}

KN_INLINE void add_small(int32_t *restrict small, const int32_t *restrict column, int64_t rows,
                         int32_t k) {
    for (int64_t row = 0; row < rows; row++) {
        small[row] += column[row] < k ? column[row] : 0;
    }
}

/* List the rows of columns that can still change. */
static FixedSource choose_rows(const CubeRoom *room, int64_t rows, int64_t new, int32_t k) {
    FixedSource chosen = {.rows = 0, .small = 0};
    clear_numbers(room->small, rows);
    for (int64_t place = 0; place < new; place++) {
        add_small(room->small, room->columns + place * rows, rows, k);
    }
    const int32_t *restrict totals = room->totals, *restrict small = room->small;
    int32_t *restrict list = room->chosen;
    for (int64_t row = 0; row < rows; row++) {
        const bool changes = (totals[row] >= k) & (small[row] > 0);
        list[chosen.rows] = (int32_t)row;
        chosen.rows += changes;
        chosen.small += changes ? small[row] : 0;
    }
    return chosen;
}

/* Make a cube with one more attribute fixed. The source is at levels `low`, the new cube at `high`;
 * strides are the lengths of their columns. The records of the source's parts are stored before the
 * new cube. Call `sort_labels` first. */
static FixedSource fix_cube(const CubeRoom *room, int64_t source, int64_t begin, int64_t rows,
                            int64_t stride, int64_t new_stride, int64_t a, const int64_t *low,
                            const int64_t *high, const LevelLattice *lattice, int32_t k) {
    const PartLengths lengths = fill_targets(a + 1, low, high, lattice, room->targets);
    const int64_t sums = begin - rows * radix_of(lattice, a, low[a]);
    const int64_t labels = radix_of(lattice, a, high[a]);
    FixedSource fixed = {.rows = 0, .small = 0};
    for (int64_t label = 0; label < labels; label++) {
        add_totals(room, sums, rows, label);
        add_label(room, source, rows, stride, lengths, label);
        const FixedSource chosen = choose_rows(room, rows, lengths.new, k);
        for (int64_t place = 0; place < lengths.new; place++) {
            const int32_t *restrict column = room->columns + place * rows;
            const int32_t *restrict list = room->chosen;
            int32_t *restrict to = room->numbers + begin + place * new_stride + fixed.rows;
            for (int64_t i = 0; i < chosen.rows; i++) {
                to[i] = column[list[i]];
            }
        }
        fixed.small += chosen.small;
        fixed.rows += chosen.rows;
    }
    return fixed;
}

#endif
