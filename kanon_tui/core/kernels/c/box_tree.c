/* Growing a tree of boxes: divide the rows, then set the boxes from the leaves up. */
#include "box_tree.h"
#include "sorting.h"

/* A node with at most this many rows is a leaf. */
#define LEAF_ROWS 8
/* About how many rows of a large node are sampled to choose where to divide it. */
#define SAMPLE_ROWS 64
/* Where missing numbers stand when a node is divided: after all places, 0 to 1. */
#define MISSING_LAST 2.0

typedef struct {
    int64_t column; /* numbers first, then categories; -1: all rows are equal */
    double value;   /* the lowest value of the upper side */
} Pivot;

/* Return the value of a row in a column: numbers first, then categories. */
KN_INLINE double value_of(const TreeGrowth *growth, int64_t row, int64_t column) {
    const int64_t numbers = growth->places_shape1;
    if (column >= numbers) {
        return growth->labels[row * growth->labels_shape1 + column - numbers];
    }
    const double place = growth->places[row * numbers + column];
    return isnan(place) ? MISSING_LAST : place;
}

static void gather_column(const TreeGrowth *growth, const int32_t *rows, int64_t size,
                          int64_t column) {
    for (int64_t i = 0; i < size; i++) {
        growth->values[i] = value_of(growth, rows[i], column);
    }
}

/* Return how far values lie apart on average. */
static double spread_of(const double *values, int64_t size) {
    double total = 0.0;
    for (int64_t i = 0; i < size; i++) {
        total += values[i];
    }
    const double mean = total / (double)size;
    total = 0.0;
    for (int64_t i = 0; i < size; i++) {
        total += fabs(values[i] - mean);
    }
    return 1.4 * total / (double)size; /* about the mean distance of two values */
}

/* Return how often two labels of a category are the same. */
static double agreement_of(const TreeGrowth *growth, const int32_t *rows, int64_t size, int64_t y) {
    const int32_t *labels = growth->labels + y;
    const int64_t categories = growth->labels_shape1;
    int32_t *counts = growth->counts;
    int64_t same = 0; /* the sum of the squares of all counts */
    for (int64_t i = 0; i < size; i++) {
        same += 2 * (int64_t)counts[labels[rows[i] * categories]]++ + 1;
    }
    for (int64_t i = 0; i < size; i++) {
        counts[labels[rows[i] * categories]] = 0;
    }
    return (double)same / (double)(size * size);
}

/* Return by how much rows differ in a column. */
static double difference_in(const TreeGrowth *growth, const int32_t *rows, int64_t size,
                            int64_t column) {
    const int64_t y = column - growth->places_shape1;
    if (y < 0) {
        gather_column(growth, rows, size, column);
        return spread_of(growth->values, size);
    }
    const double agree = agreement_of(growth, rows, size, y);
    const double *weights = growth->weights + 2 * y;
    return agree < 1.0 ? weights[0] * (1.0 - agree) + weights[1] * agree : 0.0;
}

/* Choose where to divide rows: near the median of the column in which they differ most. */
static Pivot choose_pivot(const TreeGrowth *growth, const int32_t *rows, int64_t size) {
    const int64_t columns = growth->places_shape1 + growth->labels_shape1;
    const Pivot none = {.column = -1};
    int64_t best = -1;
    double widest = 0.0;
    for (int64_t column = 0; column < columns; column++) {
        const double spread = difference_in(growth, rows, size, column);
        if (spread > widest) {
            best = column;
            widest = spread;
        }
    }
    if (best < 0) {
        return none;
    }
    double *ordered = growth->values;
    gather_column(growth, rows, size, best);
    sort_f64(ordered, size);
    if (ordered[0] == ordered[size - 1]) { /* equal numbers differ from their rounded mean */
        return none;
    }
    const int64_t half = size / 2;
    int64_t below = half, above = half;
    while (below > 0 && ordered[below - 1] == ordered[half]) {
        below--;
    }
    while (above < size && ordered[above] == ordered[half]) {
        above++;
    }
    const bool upper = below == 0 || (above < size && above - half < half - below);
    return (Pivot){best, ordered[upper ? above : below]};
}

/* Choose where to divide rows by a sample of them, or by all where the sample is all equal. */
static Pivot choose_by_sample(const TreeGrowth *growth, const int32_t *rows, int64_t size) {
    const int64_t step = max_i64(1, size / SAMPLE_ROWS);
    int64_t sampled = 0;
    for (int64_t i = 0; i < size; i += step) {
        growth->spare[sampled++] = rows[i];
    }
    const Pivot pivot = choose_pivot(growth, growth->spare, sampled);
    return pivot.column < 0 ? choose_pivot(growth, rows, size) : pivot;
}

/* Move the rows below the pivot to the front, the others to the end in reverse order; return
 * the number of rows below. */
static int64_t divide(const TreeGrowth *growth, int32_t *rows, int64_t size, Pivot pivot) {
    int64_t left = 0, right = size;
    memcpy(growth->spare, rows, (size_t)size * sizeof *rows);
    for (int64_t i = 0; i < size; i++) {
        const int32_t row = growth->spare[i];
        rows[value_of(growth, row, pivot.column) < pivot.value ? left++ : --right] = row;
    }
    return left;
}

static void set_node(const TreeGrowth *growth, int64_t node, int64_t start, int64_t end,
                     int64_t parent) {
    growth->start[node] = (int32_t)start;
    growth->end[node] = (int32_t)end;
    growth->parent[node] = (int32_t)parent;
    growth->child[node] = -1;
}

int64_t kn_box_tree_divide_rows(const TreeGrowth *growth) {
    int64_t nodes = 1, waits = 1;
    set_node(growth, 0, 0, growth->row_shape0, -1);
    growth->waiting[0] = 0;
    while (waits > 0) {
        const int64_t node = growth->waiting[--waits];
        const int64_t start = growth->start[node], end = growth->end[node], size = end - start;
        int32_t *rows = growth->row + start;
        const Pivot pivot =
            size > LEAF_ROWS ? choose_by_sample(growth, rows, size) : (Pivot){.column = -1};
        if (pivot.column < 0) {
            continue;
        }
        const int64_t middle = start + divide(growth, rows, size, pivot);
        growth->child[node] = (int32_t)nodes;
        set_node(growth, nodes, start, middle, node);
        set_node(growth, nodes + 1, middle, end, node);
        growth->waiting[waits++] = (int32_t)(nodes + 1);
        growth->waiting[waits++] = (int32_t)nodes;
        nodes += 2;
    }
    return nodes;
}

void kn_box_tree_fit_boxes(const BoxTree *tree) {
    for (int64_t node = tree->start_shape0 - 1; node >= 0; node--) {
        if (tree->child[node] >= 0) {
            fit_parent(tree, node);
            continue;
        }
        for (int64_t i = tree->start[node]; i < tree->end[node]; i++) {
            tree->leaf[i] = (int32_t)node;
        }
        fit_leaf(tree, node);
    }
}

void kn_box_tree_take(const BoxTree *tree, int64_t position, int64_t next_record) {
    take_record(tree, position, (int32_t)next_record);
}
