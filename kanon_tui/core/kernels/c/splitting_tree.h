/* Reading the trees of a group, and removing rows from them; `splitting_tree.py` describes the
 * trees. */
#ifndef KANON_SPLITTING_TREE_H
#define KANON_SPLITTING_TREE_H

#include "splitting_boxes.h"

#define BRANCH_COLUMNS 6

KN_INLINE int64_t branch(const GroupTree *tree, int64_t node, int64_t column) {
    return tree->branches[node * BRANCH_COLUMNS + column];
}

/* Return the lowest values of a node, each followed by the highest. */
KN_INLINE int32_t *node_reach(const GroupTree *tree, int64_t node) {
    return tree->reach + node * tree->reach_shape1 * 2;
}

KN_INLINE double *node_sums(const GroupTree *tree, int64_t node) {
    return tree->sums_reach + node * tree->sums_reach_shape1 * 2;
}

KN_INLINE uint64_t *node_words(const GroupTree *tree, int64_t node) {
    return tree->words + node * tree->words_shape1;
}

/* Return the long sets of which a node has the first row with some value, as bits. */
KN_INLINE uint64_t *fresh_sets(const GroupTree *tree, int64_t node) {
    return node_words(tree, node) + tree->words_shape1 + FRESH;
}

KN_INLINE bool has_long_sets(const GroupTree *tree) {
    return tree->links->rows_shape1 > 0;
}

/* Return the row before (EARLIER) or after (LATER) with the same value of a long set. */
KN_INLINE int32_t *linked_row(const RowLinks *links, int64_t row, int64_t chain, int64_t which) {
    return links->rows + (row * links->rows_shape1 + chain) * 2 + which;
}

/* Put the children of a node on the tree's stack, the first on top; return its new depth. */
KN_INLINE int64_t push_children(const GroupTree *tree, int64_t node, int64_t depth) {
    const int32_t child = (int32_t)branch(tree, node, CHILD);
    tree->stack[depth] = child + 1;
    tree->stack[depth + 1] = child;
    return depth + 2;
}

/* Take a row out of its links and both trees. */
void leave_trees(const PricedRows *table, const GroupTrees *trees, int64_t row);

/* Return the extent of the box around all rows of a tree. */
double extent_of_tree(const Attributes *attributes, const GroupTree *tree);

/* Return the row at a place in the table's order, among the rows that are left. */
int64_t row_at_place(const GroupTree *turns, int64_t place);

/* Write the rows that are left, rising, except those in `without`; return their number. */
int64_t write_rows(const GroupTree *turns, const int32_t *without, int64_t size, int32_t *rows);

#endif
