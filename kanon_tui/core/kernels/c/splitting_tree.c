/* The trees over the rows of a group: the bounds of nodes, and the removal of rows. */
#include "splitting_tree.h"

void kn_splitting_tree_link_rows(const PricedRows *table, const int32_t *members,
                                 int64_t members_shape0, const RowLinks *links) {
    const Attributes *attributes = table->attributes;
    for (int64_t x = 0; x < table->values_shape1; x++) {
        const int64_t chain = fact(attributes, x, CHAIN);
        if (chain < 0) {
            continue;
        }
        for (int64_t i = members_shape0 - 1; i >= 0; i--) {
            const int32_t row = members[i];
            const int64_t flag = flag_of(attributes, x, row_values(table, row)[x]);
            const int32_t later = links->heads[flag] - 1;
            *linked_row(links, row, chain, EARLIER) = -1;
            *linked_row(links, row, chain, LATER) = later;
            if (later >= 0) {
                *linked_row(links, later, chain, EARLIER) = row;
            } else {
                links->values[chain]++;
            }
            links->heads[flag] = row + 1;
        }
    }
}

/* Count the rows that are left below a node, and find the first of them. */
static void count_rows(const GroupTree *tree, int64_t node) {
    int32_t *own = tree->branches + node * BRANCH_COLUMNS;
    own[ALIVE] = 0;
    own[FIRST_PLACE] = NOTHING;
    if (own[CHILD] >= 0) {
        const int32_t *one = tree->branches + own[CHILD] * BRANCH_COLUMNS;
        const int32_t *other = one + BRANCH_COLUMNS;
        own[ALIVE] = one[ALIVE] + other[ALIVE];
        own[FIRST_PLACE] = KN_MIN(one[FIRST_PLACE], other[FIRST_PLACE]);
        return;
    }
    for (int64_t i = own[BEGIN]; i < own[END]; i++) {
        if (tree->items[i] >= 0) {
            own[ALIVE]++;
            own[FIRST_PLACE] = KN_MIN(own[FIRST_PLACE], tree->items[i]);
        }
    }
}

/* Work out the values of a node from its children; return whether they changed. */
static bool join_values(const GroupTree *tree, int64_t node, int64_t child) {
    int32_t *reach = node_reach(tree, node);
    const int32_t *one = node_reach(tree, child), *other = node_reach(tree, child + 1);
    uint64_t *words = node_words(tree, node);
    const uint64_t *some = node_words(tree, child), *others = node_words(tree, child + 1);
    bool changed = false;
    for (int64_t i = 0; i < 2 * tree->reach_shape1; i += 2) {
        const int32_t low = KN_MIN(one[i + REACH_LOW], other[i + REACH_LOW]);
        const int32_t high = KN_MAX(one[i + REACH_HIGH], other[i + REACH_HIGH]);
        changed |= KN_SET(reach[i + REACH_LOW], low);
        changed |= KN_SET(reach[i + REACH_HIGH], high);
    }
    for (int64_t i = 0; i < tree->words_shape1; i++) {
        changed |= KN_SET(words[i], some[i] | others[i]);
    }
    return changed;
}

/* Add the values of a row to those of its leaf. */
static void add_row(const PricedRows *table, const GroupTree *tree, int64_t node, int32_t row) {
    const Attributes *attributes = table->attributes;
    const int32_t *values = row_values(table, row);
    int32_t *reach = node_reach(tree, node);
    for (int64_t x = 0; x < table->values_shape1; x++) {
        reach[2 * x + REACH_LOW] = KN_MIN(reach[2 * x + REACH_LOW], values[x]);
        reach[2 * x + REACH_HIGH] = KN_MAX(reach[2 * x + REACH_HIGH], values[x]);
        if (!is_set(attributes, x)) {
            continue;
        }
        const int64_t chain = fact(attributes, x, CHAIN);
        node_words(tree, node)[fact(attributes, x, BITS)] |= value_bit(values[x]);
        if (chain >= 0 && *linked_row(tree->links, row, chain, EARLIER) < 0) {
            *fresh_sets(tree, node) |= value_bit(chain);
        }
    }
}

/* Compute the values of a node; return whether they may have changed. */
static bool fit_values(const PricedRows *table, const GroupTree *tree, int64_t node) {
    const int64_t child = branch(tree, node, CHILD);
    if (child >= 0) {
        return join_values(tree, node, child);
    }
    int32_t *reach = node_reach(tree, node);
    for (int64_t x = 0; x < tree->reach_shape1; x++) {
        reach[2 * x + REACH_LOW] = NOTHING;
        reach[2 * x + REACH_HIGH] = -1;
    }
    memset(node_words(tree, node), 0, (size_t)tree->words_shape1 * sizeof *tree->words);
    for (int64_t i = branch(tree, node, BEGIN); i < branch(tree, node, END); i++) {
        if (tree->items[i] >= 0) {
            add_row(table, tree, node, tree->items[i]);
        }
    }
    return true;
}

/* Compute the lowest and highest sums of a node; return whether they changed. */
static bool fit_sums(const GroupTree *tree, int64_t node) {
    const int64_t sums = tree->sums_reach_shape1, child = branch(tree, node, CHILD);
    const int64_t begin = branch(tree, node, BEGIN), end = branch(tree, node, END);
    double *reach = node_sums(tree, node);
    bool changed = false;
    for (int64_t i = 0; i < sums; i++) {
        double low = INFINITY, high = -INFINITY;
        if (child >= 0) {
            const double *one = node_sums(tree, child), *other = node_sums(tree, child + 1);
            low = min_f64(one[2 * i + REACH_LOW], other[2 * i + REACH_LOW]);
            high = max_f64(one[2 * i + REACH_HIGH], other[2 * i + REACH_HIGH]);
        } else {
            for (int64_t j = begin; j < end; j++) {
                if (tree->items[j] >= 0) {
                    const double sum = tree->sums->values[tree->items[j] * sums + i];
                    low = min_f64(low, sum);
                    high = max_f64(high, sum);
                }
            }
        }
        changed |= KN_SET(reach[2 * i + REACH_LOW], low);
        changed |= KN_SET(reach[2 * i + REACH_HIGH], high);
    }
    return changed;
}

/* Children come after their parents. */
void kn_splitting_tree_fill_nodes(const PricedRows *table, const GroupTree *tree) {
    for (int64_t node = tree->branches_shape0 - 1; node >= 0; node--) {
        count_rows(tree, node);
        fit_values(table, tree, node);
        fit_sums(tree, node);
        if (branch(tree, node, CHILD) < 0) {
            for (int64_t i = branch(tree, node, BEGIN); i < branch(tree, node, END); i++) {
                tree->leaf_of[tree->items[i]] = (int32_t)node;
            }
        }
    }
}

/* Mark in the nodes above a row that it is the first with its value of a long set. */
static void note_fresh(const GroupTree *tree, int64_t row, int64_t chain) {
    for (int64_t node = tree->leaf_of[row]; node >= 0; node = branch(tree, node, PARENT)) {
        *fresh_sets(tree, node) |= value_bit(chain);
    }
}

static void unlink_row(const PricedRows *table, const GroupTrees *trees, int64_t row) {
    const Attributes *attributes = table->attributes;
    const RowLinks *links = trees->near->links;
    for (int64_t x = 0; x < table->values_shape1; x++) {
        const int64_t chain = fact(attributes, x, CHAIN);
        if (chain < 0) {
            continue;
        }
        const int32_t earlier = *linked_row(links, row, chain, EARLIER);
        const int32_t later = *linked_row(links, row, chain, LATER);
        if (later >= 0) {
            *linked_row(links, later, chain, EARLIER) = earlier;
        }
        if (earlier >= 0) {
            *linked_row(links, earlier, chain, LATER) = later;
            continue;
        }
        links->heads[flag_of(attributes, x, row_values(table, row)[x])] = later + 1;
        if (later < 0) {
            links->values[chain]--;
        } else {
            note_fresh(trees->near, later, chain);
            note_fresh(trees->turns, later, chain);
        }
    }
}

static void remove_row(const PricedRows *table, const GroupTree *tree, int64_t row) {
    int64_t node = tree->leaf_of[row];
    for (int64_t i = branch(tree, node, BEGIN); i < branch(tree, node, END); i++) {
        if (tree->items[i] == row) {
            tree->items[i] = -1;
        }
    }
    bool values = true, sums = true;
    for (; node >= 0; node = branch(tree, node, PARENT)) {
        count_rows(tree, node);
        values = values && fit_values(table, tree, node);
        sums = sums && fit_sums(tree, node);
    }
}

void leave_trees(const PricedRows *table, const GroupTrees *trees, int64_t row) {
    unlink_row(table, trees, row);
    remove_row(table, trees->near, row);
    remove_row(table, trees->turns, row);
}

double extent_of_tree(const Attributes *attributes, const GroupTree *tree) {
    const int32_t *reach = node_reach(tree, 0);
    double total = 0.0;
    for (int64_t x = 0; x < attributes->facts_shape0; x++) {
        if (!is_set(attributes, x)) {
            total += extent(attributes, x, reach[2 * x + REACH_LOW], reach[2 * x + REACH_HIGH]);
        } else if (is_long(attributes, x)) {
            total += set_extent(attributes, x, tree->links->values[fact(attributes, x, CHAIN)]);
        } else {
            const uint64_t word = node_words(tree, 0)[fact(attributes, x, BITS)];
            total += set_extent(attributes, x, count_bits(word));
        }
    }
    return total;
}

int64_t row_at_place(const GroupTree *turns, int64_t place) {
    int64_t node = 0;
    while (branch(turns, node, CHILD) >= 0) {
        node = branch(turns, node, CHILD);
        if (place >= branch(turns, node, ALIVE)) {
            place -= branch(turns, node, ALIVE);
            node++;
        }
    }
    for (int64_t i = branch(turns, node, BEGIN); i < branch(turns, node, END); i++) {
        if (turns->items[i] >= 0 && place-- == 0) {
            return turns->items[i];
        }
    }
    return NOTHING;
}

int64_t write_rows(const GroupTree *turns, const int32_t *without, int64_t size, int32_t *rows) {
    int64_t written = 0, left_out = 0;
    for (int64_t i = 0; i < turns->items_shape0; i++) {
        const int32_t row = turns->items[i];
        if (left_out < size && row == without[left_out]) {
            left_out++;
        } else if (row >= 0) {
            rows[written++] = row;
        }
    }
    return written;
}
