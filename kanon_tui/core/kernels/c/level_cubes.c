/* Testing many strings at once on a cube; `level_cubes.py` says how. */
#include "kernel.h"
#include "cube_room.h"
#include "cube_cells.h"
#include "cube_columns.h"

/* Return the place of a string in the grid, by the levels of its first attributes. */
KN_INLINE int64_t place_of(const LevelLattice *lattice, const int64_t *string, int64_t attributes) {
    int64_t place = 0;
    for (int64_t a = 0; a < attributes; a++) {
        place += string[a] * lattice->places[a];
    }
    return place;
}

/* Mark the strings from one to another that are unknown; return their number. Strings
 * behind a known string are known as well, and are not visited. */
static int64_t mark_known(uint8_t *grid, const int64_t *string, const int64_t *end, int64_t *at,
                          const LevelLattice *lattice, uint8_t mark) {
    const int64_t *places = lattice->places;
    const int64_t last = lattice->sizes_shape0 - 1, step = mark == PASSES ? 1 : -1;
    int64_t place = place_of(lattice, string, last + 1), marked = 0, a = last;
    memcpy(at, string, (size_t)(last + 1) * sizeof *at);
    while (a >= 0) {
        bool back = grid[place] != UNKNOWN;
        if (!back) {
            grid[place] = mark;
            marked++;
            a = last;
        }
        for (; a >= 0 && (back || at[a] == end[a]); a--, back = false) {
            place -= (at[a] - string[a]) * places[a];
            at[a] = string[a];
        }
        if (a >= 0) {
            at[a] += step;
            place += step * places[a];
        }
    }
    return marked;
}

/* Mark the strings that a test decides: all below, or all above in a box (see `walk_box`); return
 * their number. */
static int64_t settle(uint8_t *grid, const int64_t *string, int64_t a, bool passes,
                      const LevelLattice *lattice, const BoxWalk *walk) {
    const int64_t last = lattice->sizes_shape0 - 1;
    for (int64_t b = 0; b <= last; b++) {
        const int64_t above = b > a || b == last ? lattice->sizes[b] - 1 : string[b];
        walk->corner[b] = passes ? above : 0;
    }
    return mark_known(grid, string, walk->corner, walk->marking, lattice, passes ? PASSES : FAILS);
}

/* Fill in the lowest levels of the unknown strings of a box, from attribute `depth` on; return the
 * number of these strings. */
static int64_t lowest_unknown(const uint8_t *grid, int64_t begin, int64_t depth,
                              const LevelLattice *lattice, int64_t *lowest) {
    const int64_t free = lattice->sizes_shape0;
    const uint8_t *box = grid + begin, *end = box + lattice->places[depth - 1], *at = box;
    int64_t unknown = 0;
    for (int64_t a = depth; a < free; a++) {
        lowest[a] = lattice->sizes[a];
    }
    while (at < end && (at = memchr(at, UNKNOWN, (size_t)(end - at))) != NULL) {
        int64_t rest = at++ - box;
        unknown++;
        for (int64_t a = depth; a < free; a++) {
            const int64_t level = rest / lattice->places[a];
            rest -= level * lattice->places[a];
            lowest[a] = min_i64(lowest[a], level);
        }
    }
    return unknown;
}

/* Return the middle of the unknown levels of a line, which are between failing and passing ones; -1
 * if none is unknown. */
static int64_t middle_unknown(const uint8_t *line, int64_t levels) {
    int64_t low = levels, high = -1;
    for (int64_t level = 0; level < levels; level++) {
        if (line[level] == UNKNOWN) {
            low = min_i64(low, level);
            high = level;
        }
    }
    return high >= 0 ? (low + high) / 2 : -1;
}

/* Prepare the sums of records that fixing an attribute of a source needs. */
static void begin_source(const CubeRoom *room, const BoxWalk *walk, int64_t a,
                         const LevelLattice *lattice) {
    walk->turn[a] = lattice->sizes[a] - 1;
    if (walk->strides[a] > 0) {
        const int64_t *levels = walk->levels + a * walk->levels_shape1;
        add_columns(room, walk->begins[a], walk->sums[a], walk->parts[a], walk->rows[a],
                    walk->strides[a], row_length(lattice, levels, a + 1));
    } else {
        add_cells(room, walk->begins[a], walk->sums[a], walk->parts[a]);
    }
}

/* Count the records that are lost when an attribute is fixed. */
static LostRows count_lost(const CubeRoom *room, const BoxWalk *walk, int64_t a, int64_t level,
                           const LevelLattice *lattice, int64_t k) {
    const int64_t low = walk->levels[a * walk->levels_shape1 + a];
    const int64_t old = radix_of(lattice, a, low), new = radix_of(lattice, a, level);
    sort_labels(lattice, a, low, level, room);
    LostRows result = walk->strides[a] > 0
                          ? lost_by_columns(room, walk->sums[a], walk->rows[a], new, (int32_t)k)
                          : lost_by_cells(room, walk->sums[a], walk->parts[a], old, new, k);
    result.lost += walk->lost[a];
    return result;
}

/* Make the source with one more attribute fixed, at the lowest levels of the walk; it has at most
 * `lost.rows` rows. Add the numbers read to `work`; return the records in small classes. */
static int64_t fix_next(const CubeRoom *room, const BoxWalk *walk, int64_t a, LostRows lost,
                        const LevelLattice *lattice, int64_t k, int64_t *work) {
    const int64_t source = walk->begins[a], parts = walk->parts[a], *lowest = walk->lowest;
    int64_t *levels = walk->levels + a * walk->levels_shape1;
    const int64_t begin = walk->sums[a] + parts, length = row_length(lattice, lowest, a + 1);
    int64_t stride = lost.rows;
    FixedSource fixed;
    if (walk->strides[a] > 0) {
        *work += begin - source;
        fixed = fix_cube(room, source, begin, walk->rows[a], walk->strides[a], stride, a, levels,
                         lowest, lattice, (int32_t)k);
    } else {
        const int64_t cells = room->begin[source + parts] - room->begin[source];
        *work += cells;
        stride = lost.rows * length > PLACES_PER_CELL * cells ? 0 : stride;
        fixed = fix_cells(room, source, begin, parts, stride, a, levels, lowest, lattice, k);
    }
    memcpy(levels + walk->levels_shape1, lowest, (size_t)walk->levels_shape1 * sizeof *levels);
    walk->rows[a + 1] = fixed.rows;
    walk->strides[a + 1] = stride;
    walk->lost[a + 1] = lost.lost;
    walk->parts[a + 1] = fixed.rows * radix_of(lattice, a + 1, lowest[a + 1]);
    walk->begins[a + 1] = stride > 0 ? begin : source + parts + 1;
    walk->sums[a + 1] = begin + length * stride;
    return fixed.small;
}

/* Fill in the most general string with the levels of a source and one more fixed, and the lowest
 * levels of its unknown strings; return the number of these strings. */
static int64_t next_strings(const uint8_t *grid, const BoxWalk *walk, int64_t a, int64_t level,
                            const LevelLattice *lattice) {
    const int64_t *levels = walk->levels + a * walk->levels_shape1;
    for (int64_t b = 0; b < lattice->sizes_shape0; b++) {
        const int64_t fixed = b < a ? levels[b] : lattice->sizes[b] - 1;
        walk->general[b] = walk->lowest[b] = b == a ? level : fixed;
    }
    return lowest_unknown(grid, place_of(lattice, walk->general, a + 1), a + 1, lattice,
                          walk->lowest);
}

/* Record the test of the string at this place of the grid. */
static void note_test(uint8_t *grid, const int64_t *string, int64_t place, int64_t a, int64_t small,
                      int64_t allowed, const LevelLattice *lattice, const BoxWalk *walk,
                      int64_t *tested, WalkedBox *done) {
    tested[done->tests++] = place;
    done->small = small;
    done->pruned += settle(grid, string, a, small <= allowed, lattice, walk) - 1;
}

WalkedBox kn_level_cubes_walk_box(uint8_t *grid, int64_t grid_shape0, const LevelLattice *lattice,
                                  const BoxWalk *walk, const CubeRoom *room, int64_t k,
                                  int64_t allowed, int64_t patience, int64_t *tested,
                                  int64_t tested_shape0) {
    (void)grid_shape0, (void)tested_shape0;
    const int64_t free = lattice->sizes_shape0, depth = walk->at[1];
    WalkedBox done = {.tests = 0};
    int64_t a = walk->at[0];
    while (a >= depth && !(done.work > patience && done.tests > 0)) {
        if (walk->turn[a] == NOT_BEGUN) {
            begin_source(room, walk, a, lattice);
        }
        int64_t level = walk->turn[a];
        if (a == free - 1) {
            const int64_t *levels = walk->levels + a * walk->levels_shape1;
            level = middle_unknown(grid + place_of(lattice, levels, a), lattice->sizes[a]);
        }
        if (level < 0) {
            walk->turn[a--] = NOT_BEGUN;
            continue;
        }
        walk->turn[a] = level - 1;
        int64_t unknown = next_strings(grid, walk, a, level, lattice);
        if (unknown == 0) {
            continue;
        }
        const LostRows lost = count_lost(room, walk, a, level, lattice, k);
        const int64_t root = place_of(lattice, walk->general, free);
        if (lost.lost > allowed || (unknown == 1 && grid[root] == UNKNOWN)) {
            note_test(grid, walk->general, root, a, lost.lost, allowed, lattice, walk, tested,
                      &done);
            if (lost.lost > allowed) {
                walk->turn[a] = -1; /* so do the levels below */
            }
            continue;
        }
        const int64_t small = lost.lost + fix_next(room, walk, a, lost, lattice, k, &done.work);
        const int64_t place = place_of(lattice, walk->lowest, free);
        if (grid[place] == UNKNOWN) {
            note_test(grid, walk->lowest, place, a, small, allowed, lattice, walk, tested, &done);
            unknown--;
            if (small <= allowed) {
                continue;
            }
        }
        if (grid[root] == UNKNOWN) {
            note_test(grid, walk->general, root, a, lost.lost, allowed, lattice, walk, tested,
                      &done);
            unknown--;
        }
        a += unknown > 0;
    }
    walk->at[0] = a;
    return done;
}
