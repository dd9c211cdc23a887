/* Fixing one attribute after the other where most combinations have no records.
 *
 * Cells that merge are found in a table of the places of a row, which is cleared cell by cell.
 */
#ifndef KANON_CUBE_CELLS_H
#define KANON_CUBE_CELLS_H

#include "cube_room.h"

/* Groups whose parts and keys stay in the fastest cache. */
#define GROUPS_PER_BLOCK 1024

/* Merge the cells of a part that are at the same place. */
static void join_equal(const CubeRoom *room, int64_t parts) {
    int64_t at = 0, end = room->begin[0];
    for (int64_t part = 0; part < parts; part++) {
        const int64_t begin = end;
        end = room->begin[part + 1];
        for (int64_t i = begin; i < end; i++) {
            room->records[room->keys[i]] += room->sizes[i];
        }
        room->begin[part] = at;
        for (int64_t i = begin; i < end; i++) {
            const int32_t key = room->keys[i];
            if (room->records[key] > 0) {
                room->keys[at] = key;
                room->sizes[at++] = room->records[key];
                room->records[key] = 0;
            }
        }
    }
    room->begin[parts] = at;
}

/* Shift the begins of parts, which were counted down to their final values, back by one place. */
KN_INLINE void shift_begins(int64_t *begin, int64_t parts, int64_t end) {
    for (int64_t part = 0; part < parts; part++) {
        begin[part] = begin[part + 1];
    }
    begin[parts] = end;
}

/* Fill in the part of every group (-1: left out) and its place in the part. */
static void find_parts(const uint64_t *tuples, int64_t groups, int64_t words, const int32_t *rows,
                       const int64_t *attributes, int64_t free, const int64_t *levels,
                       const TupleLayout *layout, int32_t *part_of, int32_t *keys) {
    for (int64_t block = 0; block < groups; block += GROUPS_PER_BLOCK) {
        const int64_t end = min_i64(block + GROUPS_PER_BLOCK, groups);
        memset(keys + block, 0, (size_t)(end - block) * sizeof *keys);
        for (int64_t i = 0; i < free; i++) {
            const int64_t a = attributes[i], level = a * layout->start_shape1 + levels[a];
            const int32_t *labels = layout->labels + layout->start[level];
            const int32_t radix = (int32_t)layout->radix[level];
            const uint64_t *fields = tuples + layout->word[a];
            const uint64_t shift = layout->shift[a], mask = layout->mask[a];
            for (int64_t g = block; g < end; g++) {
                const int32_t label = labels[(fields[g * words] >> shift) & mask];
                if (i == 0) {
                    part_of[g] = rows[g] < 0 ? -1 : rows[g] * radix + label;
                } else {
                    keys[g] = keys[g] * radix + label;
                }
            }
        }
    }
}

int64_t kn_level_cubes_fill_cells(const uint64_t *tuples, int64_t tuples_shape0,
                                  int64_t tuples_shape1, const int32_t *sizes, int64_t sizes_shape0,
                                  const int32_t *rows, int64_t rows_shape0,
                                  const int64_t *attributes, int64_t attributes_shape0,
                                  const int64_t *levels, int64_t levels_shape0,
                                  const TupleLayout *layout, int64_t parts, int64_t k,
                                  const CubeRoom *room, int32_t *part_of, int64_t part_of_shape0,
                                  int32_t *keys, int64_t keys_shape0) {
    (void)sizes_shape0, (void)rows_shape0, (void)levels_shape0;
    (void)part_of_shape0, (void)keys_shape0;
    int64_t *begin = room->begin;
    find_parts(tuples, tuples_shape0, tuples_shape1, rows, attributes, attributes_shape0, levels,
               layout, part_of, keys);
    memset(begin, 0, (size_t)(parts + 1) * sizeof *begin);
    for (int64_t g = 0; g < tuples_shape0; g++) {
        if (part_of[g] >= 0) {
            begin[part_of[g] + 1]++;
        }
    }
    for (int64_t part = 0; part < parts; part++) {
        begin[part + 1] += begin[part];
    }
    const int64_t cells = begin[parts];
    for (int64_t g = tuples_shape0 - 1; g >= 0; g--) {
        if (part_of[g] >= 0) {
            const int64_t at = --begin[part_of[g] + 1]; /* down to the begin of the part */
            room->keys[at] = keys[g];
            room->sizes[at] = sizes[g];
        }
    }
    shift_begins(begin, parts, cells);
    join_equal(room, parts);
    int64_t small = 0;
    for (int64_t i = 0; i < begin[parts]; i++) {
        small += room->sizes[i] < k ? room->sizes[i] : 0;
    }
    return small;
}

/* Add up the records of every part of a source of cells. */
static void add_cells(const CubeRoom *room, int64_t source, int64_t sums, int64_t parts) {
    for (int64_t part = 0; part < parts; part++) {
        int32_t records = 0;
        for (int64_t i = room->begin[source + part]; i < room->begin[source + part + 1]; i++) {
            records += room->sizes[i];
        }
        room->numbers[sums + part] = records;
    }
}

/* Return the records of a row with a label, from those of its parts. */
KN_INLINE int32_t records_of(const CubeRoom *room, int64_t sums, int64_t label) {
    int32_t records = 0;
    for (int64_t i = room->first_label[label]; i < room->first_label[label + 1]; i++) {
        records += room->numbers[sums + room->sorted_labels[i]];
    }
    return records;
}

static LostRows lost_by_cells(const CubeRoom *room, int64_t sums, int64_t parts, int64_t old,
                              int64_t new, int64_t k) {
    LostRows result = {.lost = 0, .rows = 0};
    for (int64_t row = sums; row < sums + parts; row += old) {
        for (int64_t label = 0; label < new; label++) {
            const int32_t records = records_of(room, row, label);
            result.lost += records < k ? records : 0;
            result.rows += records >= k;
        }
    }
    return result;
}

/* Add cells up in `records`; return the number of places with records. */
KN_INLINE int64_t touch_cells(const CubeRoom *room, int64_t begin, int64_t end, int64_t touched) {
    const int32_t *restrict keys = room->keys, *restrict sizes = room->sizes;
    const int32_t *restrict targets = room->targets;
    int32_t *restrict records = room->records, *restrict places = room->touched;
    for (int64_t i = begin; i < end; i++) {
        const int32_t place = targets[keys[i]], before = records[place];
        places[touched] = place;
        touched += before == 0;
        records[place] = before + sizes[i];
    }
    return touched;
}

/* List the touched places as cells of a row whose parts have `length` places each. */
static void put_cells(const CubeRoom *room, int64_t touched, int64_t first, int64_t parts,
                      int64_t length) {
    int64_t *restrict begin = room->begin + first;
    int32_t *restrict keys = room->keys, *restrict sizes = room->sizes;
    const int32_t *restrict records = room->records, *restrict places = room->touched;
    const uint32_t wide = (uint32_t)length;
    memset(begin + 1, 0, (size_t)parts * sizeof *begin);
    for (int64_t i = 0; i < touched; i++) {
        begin[1 + (uint32_t)places[i] / wide]++;
    }
    for (int64_t part = 0; part < parts; part++) {
        begin[part + 1] += begin[part];
    }
    const int64_t end = begin[parts];
    for (int64_t i = 0; i < touched; i++) {
        const uint32_t place = (uint32_t)places[i], part = place / wide;
        const int64_t at = --begin[1 + part]; /* down to the begin of the part */
        keys[at] = (int32_t)(place - part * wide);
        sizes[at] = records[place];
    }
    shift_begins(begin, parts, end);
}

/* Return the records at touched places that are in classes smaller than k. */
KN_INLINE int64_t small_touched(const CubeRoom *room, int64_t touched, int64_t k) {
    const int32_t *records = room->records, *places = room->touched;
    int64_t small = 0;
    for (int64_t i = 0; i < touched; i++) {
        const int32_t size = records[places[i]];
        small += size < k ? size : 0;
    }
    return small;
}

/* Fix one more attribute of a source of cells, as `fix_cube` does. The result has cells or, if a
 * stride is given, is a cube with columns of that length. `begin` is the end of the records of the
 * source's parts and the begin of the cube. */
static FixedSource fix_cells(const CubeRoom *room, int64_t source, int64_t begin, int64_t parts,
                             int64_t stride, int64_t a, const int64_t *low, const int64_t *high,
                             const LevelLattice *lattice, int64_t k) {
    const int64_t length = fill_targets(a + 1, low, high, lattice, room->targets).new;
    const int64_t next_parts = radix_of(lattice, a + 1, high[a + 1]);
    const int64_t step = radix_of(lattice, a, low[a]), above = radix_of(lattice, a, high[a]);
    const int64_t end = source + parts + 1;
    int32_t *cube = room->numbers + begin, *records = room->records;
    FixedSource fixed = {.rows = 0, .small = 0};
    room->begin[end] = room->begin[end - 1];
    memset(cube, 0, (size_t)(length * stride) * sizeof *cube);
    for (int64_t row = 0; row < parts; row += step) {
        for (int64_t label = 0; label < above; label++) {
            if (records_of(room, begin - parts + row, label) < k) {
                continue;
            }
            int64_t touched = 0;
            for (int64_t i = room->first_label[label]; i < room->first_label[label + 1]; i++) {
                const int64_t *part = room->begin + source + row + room->sorted_labels[i];
                touched = touch_cells(room, part[0], part[1], touched);
            }
            const int64_t small = small_touched(room, touched, k);
            if (small > 0 && stride == 0) {
                put_cells(room, touched, end + fixed.rows * next_parts, next_parts,
                          length / next_parts);
            }
            for (int64_t i = 0; i < touched; i++) {
                const int32_t place = room->touched[i];
                if (small > 0 && stride > 0) {
                    cube[fixed.rows + place * stride] = records[place];
                }
                records[place] = 0;
            }
            fixed.small += small;
            fixed.rows += small > 0;
        }
    }
    return fixed;
}

#endif
