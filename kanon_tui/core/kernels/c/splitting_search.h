/* Two searches in the tree of a group: the row furthest from a row, and the cheapest to take. */
#ifndef KANON_SPLITTING_SEARCH_H
#define KANON_SPLITTING_SEARCH_H

#include "splitting_tree.h"

typedef struct {
    const PricedRows *table;
    const GroupTree *tree;
    const SideBoxes *boxes; /* NULL: the score is minus the distance from the row `of` … */
    int64_t of;             /* … else the growth of the box of the side `of` */
    const int32_t *side_of;
    int64_t own;       /* how the side's own rows are flagged; they are not searched */
    int64_t spare;     /* rows that stand for more records are not searched either */
    int64_t looked_at; /* nodes */
} RowSearch;

/* Return the first of the rows furthest from the row `of`; `known` is one far from it. */
int64_t furthest_row(RowSearch *search, int64_t known);

/* Return the first of the rows by which the box of a side grows least, NOTHING if there is none. */
int64_t cheapest_row(RowSearch *search);

#endif
