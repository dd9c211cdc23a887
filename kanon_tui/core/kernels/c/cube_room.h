/* Parts shared by sources of cells and cubes, which `level_cubes.py` describes. */
#ifndef KANON_CUBE_ROOM_H
#define KANON_CUBE_ROOM_H

#include "kernel.h"

/* The result of fixing one more attribute of a source. */
typedef struct {
    int64_t rows;
    int64_t small; /* records in classes smaller than k */
} FixedSource;

/* The records and rows that are lost by fixing an attribute. */
typedef struct {
    int64_t lost; /* records of rows of fewer than k */
    int64_t rows; /* rows of k records and more */
} LostRows;

/* The places of a part before and after its attributes are raised. */
typedef struct {
    int64_t old;
    int64_t new;
} PartLengths;

KN_INLINE int64_t radix_of(const LevelLattice *lattice, int64_t a, int64_t level) {
    return lattice->radix[a * lattice->radix_shape1 + level];
}

/* Return the number of places in a row at these levels, with the first attributes fixed. */
static int64_t row_length(const LevelLattice *lattice, const int64_t *levels, int64_t depth) {
    int64_t length = 1;
    for (int64_t a = depth; a < lattice->sizes_shape0; a++) {
        length *= radix_of(lattice, a, levels[a]);
    }
    return length;
}

/* Return the label above a label on a higher level. */
static int64_t label_above(const LevelLattice *lattice, int64_t a, int64_t label, int64_t low,
                           int64_t high) {
    for (int64_t level = low; level < high; level++) {
        label = lattice->parents[lattice->start[a * lattice->start_shape1 + level] + label];
    }
    return label;
}

/* Sort the labels of an attribute by their label on a higher level. */
static void sort_labels(const LevelLattice *lattice, int64_t a, int64_t low, int64_t high,
                        const CubeRoom *room) {
    int64_t *first = room->first_label;
    const int64_t old = radix_of(lattice, a, low), new = radix_of(lattice, a, high);
    memset(first, 0, (size_t)(new + 1) * sizeof *first);
    for (int64_t label = 0; label < old; label++) {
        first[label_above(lattice, a, label, low, high) + 1]++;
    }
    for (int64_t above = 0; above < new; above++) {
        first[above + 1] += first[above];
    }
    for (int64_t label = old - 1; label >= 0; label--) {
        const int64_t above = label_above(lattice, a, label, low, high);
        room->sorted_labels[--first[above + 1]] = label; /* down to the begin of its labels */
    }
    for (int64_t above = 0; above < new; above++) {
        first[above] = first[above + 1];
    }
    first[new] = old;
}

/* Fill in the new places of a part when the attributes from `first` on are raised. */
static PartLengths fill_targets(int64_t first, const int64_t *low, const int64_t *high,
                                const LevelLattice *lattice, int32_t *targets) {
    PartLengths lengths = {.old = 1, .new = 1};
    targets[0] = 0;
    for (int64_t a = lattice->sizes_shape0 - 1; a >= first; a--) {
        const int64_t labels = radix_of(lattice, a, low[a]);
        for (int64_t label = labels - 1; label >= 0; label--) { /* others copy label 0 */
            const int64_t above = label_above(lattice, a, label, low[a], high[a]);
            int32_t *own = targets + label * lengths.old;
            for (int64_t i = 0; i < lengths.old; i++) {
                own[i] = targets[i] + (int32_t)(above * lengths.new);
            }
        }
        lengths.old *= labels;
        lengths.new *= radix_of(lattice, a, high[a]);
    }
    return lengths;
}

#endif
