/* Both searches are one for the least score, as the row furthest from another has the least of
 * minus distances. It goes depth first through the tree, the better child first, and leaves out a
 * node when even the best row that fits its box would lose, or would tie and come later. The
 * distances of numbers are bounded by their signed sums, but for rounding. Which of the two scores
 * is used is known to the compiler, and so costs nothing.
 *
 * The winner is the first row whose score is no more than a tie above the least. Where scores creep
 * below one another in steps smaller than a tie, another pass decides with the least score known.
 * Where a score is a tie above the least but for rounding, the least is first measured exactly:
 * one pass leaves out nodes whose rows are lower by rounding only, of which there may be many.
 */
#include "splitting_search.h"

#define NOISE 1e-12

/* Return the largest distance of a value from any value of a range; not for sets. */
KN_INLINE double further_end(const Attributes *attributes, int64_t x, int64_t value, int64_t low,
                             int64_t high) {
    const double down = extent(attributes, x, min_i64(value, low), max_i64(value, low));
    const double up = extent(attributes, x, min_i64(value, high), max_i64(value, high));
    return max_f64(down, up);
}

/* Return the distance of the numbers of a row from the furthest corner of the box of a node. */
static double furthest_corner(const PricedRows *table, const GroupTree *tree, int64_t row,
                              int64_t node) {
    const int32_t *values = row_values(table, row), *reach = node_reach(tree, node);
    double total = 0.0;
    for (int64_t x = 0; x < table->values_shape1; x++) {
        if (fact(table->attributes, x, KIND) == LINE) {
            total += further_end(table->attributes, x, values[x], reach[2 * x + REACH_LOW],
                                 reach[2 * x + REACH_HIGH]);
        }
    }
    return total;
}

/* Return an upper bound on the distance of numbers, by their signed sums. */
KN_INLINE double furthest_by_sums(const GroupTree *tree, int64_t row, int64_t node) {
    const SignedSums *sums = tree->sums;
    const double *here = sums->values + row * sums->values_shape1, *reach = node_sums(tree, node);
    double total = sums->rounding;
    for (int64_t group = 0; group < sums->begins_shape0 - 1; group++) {
        double most = 0.0;
        for (int64_t i = sums->begins[group]; i < sums->begins[group + 1]; i++) {
            most = max_f64(most, here[i] - reach[2 * i + REACH_LOW]);
            most = max_f64(most, reach[2 * i + REACH_HIGH] - here[i]);
        }
        total += most;
    }
    return total;
}

/* Return an upper bound on the distance of a row from the rows of a node. */
KN_INLINE double most_apart(const PricedRows *table, const GroupTree *tree, int64_t row,
                            int64_t node) {
    const Attributes *attributes = table->attributes;
    const int32_t *values = row_values(table, row), *reach = node_reach(tree, node);
    double total = furthest_by_sums(tree, row, node), others = 0.0;
    bool missing = false;
    for (int64_t x = 0; x < table->values_shape1; x++) {
        const int64_t value = values[x], kind = fact(attributes, x, KIND);
        const int64_t low = reach[2 * x + REACH_LOW], high = reach[2 * x + REACH_HIGH];
        if (kind == SET) {
            if (low != value || high != value) {
                others += set_extent(attributes, x, 2);
            }
        } else if (kind == TREE) {
            others += further_end(attributes, x, value, low, high);
        } else if (value == fact(attributes, x, MISSING)) { /* what it costs beyond its sums */
            total += low != value ? price(attributes, x, MIXED) : 0.0;
            missing = true;
        } else if (high == fact(attributes, x, MISSING)) {
            const double place = attributes->line[fact(attributes, x, START) + value];
            const double away = fabs(place - tree->sums->stand_in[x]);
            total += max_f64(price(attributes, x, MIXED) - away, 0.0);
            missing = true;
        }
    }
    if (missing) { /* its sums may say less than the corners of the box */
        total = min_f64(total, furthest_corner(table, tree, row, node));
    }
    return total + others;
}

/* Return a lower bound on the growth of the box of a side when it takes a row of a node. */
KN_INLINE double least_growth(const SideBoxes *boxes, const GroupTree *tree, int64_t side,
                              int64_t node) {
    const Attributes *attributes = boxes->attributes;
    const int32_t *reach = node_reach(tree, node);
    double total = 0.0;
    for (int64_t x = 0; x < boxes->width; x++) {
        const int64_t low = boxes->low[side * boxes->width + x];
        const int64_t high = boxes->high[side * boxes->width + x];
        if (is_set(attributes, x)) {
            const uint64_t word = node_words(tree, node)[fact(attributes, x, BITS)];
            if ((word & box_word(boxes, side, x)) == 0) {
                total += one_value_more(attributes, x, high);
            }
            continue;
        }
        const int64_t wider_low = min_i64(low, reach[2 * x + REACH_HIGH]);
        const int64_t wider_high = max_i64(high, reach[2 * x + REACH_LOW]);
        if (wider_low < low || wider_high > high) {
            total += extent(attributes, x, wider_low, wider_high);
            total -= extent(attributes, x, low, high);
        }
    }
    return total;
}

/* Return a lower bound on the scores of the rows of a node; inf when the node has no rows. */
KN_INLINE double least_score(RowSearch *search, bool by_growth, int64_t node) {
    if (branch(search->tree, node, ALIVE) == 0) {
        return INFINITY;
    }
    search->looked_at++;
    if (by_growth) {
        return least_growth(search->boxes, search->tree, search->of, node);
    }
    return -most_apart(search->table, search->tree, search->of, node);
}

/* Return the score of a row; inf when the side may not take it. */
KN_INLINE double row_score(const RowSearch *search, bool by_growth, int64_t row) {
    if (!by_growth) {
        return -apart(search->table, search->of, row);
    }
    if (search->side_of[row] == search->own || search->table->counts[row] > search->spare) {
        return INFINITY;
    }
    return box_growth(search->boxes, search->of, row);
}

/* Passes through the tree: FIND a winner and the least score, but for noise; MEASURE the least
 * score exactly; DECIDE which row wins, with the least score known. */
typedef enum { FIND, MEASURE, DECIDE } Pass;

typedef struct {
    int64_t row; /* the first of the best so far, or NOTHING */
    double score;
    double least;  /* of all scores so far */
    bool again;    /* an earlier row may be as good as the best */
    bool doubtful; /* noise decided whether a row is as good as the best */
} Best;

/* Record if rounding decides whether a score is more than a tie above the least. */
KN_INLINE void note_doubt(double score, double least, Best *best) {
    best->doubtful |= fabs(score - least - TIE) <= 2 * NOISE;
}

/* Return whether a score is more than a tie above the least. */
KN_INLINE bool is_worse(double score, double least, Best *best) {
    note_doubt(score, least, best);
    return score > least + TIE;
}

KN_INLINE void try_row(const RowSearch *search, bool by_growth, Pass pass, int64_t row,
                       Best *best) {
    const double score = row_score(search, by_growth, row);
    if (score < best->least && pass != DECIDE) {
        if (is_worse(best->score, score, best)) {
            best->again = !is_worse(best->least, score, best) || best->again;
            best->row = row;
            best->score = score;
        }
        best->least = score;
    }
    if (row < best->row && score < INFINITY && !is_worse(score, best->least, best)) {
        best->row = row;
        best->score = score;
    }
}

/* Put the children of a node on the stack, the better on top; return its new depth. */
KN_INLINE int64_t push_better_last(RowSearch *search, bool by_growth, int64_t child,
                                   int64_t depth) {
    const GroupTree *tree = search->tree;
    const double one = least_score(search, by_growth, child);
    const double other = least_score(search, by_growth, child + 1);
    const bool earlier = branch(tree, child, FIRST_PLACE) < branch(tree, child + 1, FIRST_PLACE);
    const int64_t last = one < other || (one == other && earlier) ? 0 : 1;
    tree->stack[depth] = (int32_t)(child + 1 - last);
    tree->bounds[depth] = last == 1 ? one : other;
    tree->stack[depth + 1] = (int32_t)(child + last);
    tree->bounds[depth + 1] = last == 1 ? other : one;
    return depth + 2;
}

/* Return whether no row of a node can be the winner, or lower than the least score. */
KN_INLINE bool cannot_win(Pass pass, double bound, int64_t first_row, const Best *best) {
    if (pass == MEASURE) {
        return bound > best->least + NOISE;
    }
    return bound > best->least + TIE + NOISE ||
           (first_row >= best->row && (pass == DECIDE || bound > best->least - NOISE));
}

KN_INLINE void search_tree(RowSearch *search, bool by_growth, Pass pass, Best *best) {
    const GroupTree *tree = search->tree;
    int64_t depth = 1;
    tree->stack[0] = 0;
    tree->bounds[0] = -INFINITY;
    while (depth > 0) {
        const int64_t node = tree->stack[--depth];
        const double bound = tree->bounds[depth];
        if (cannot_win(pass, bound, branch(tree, node, FIRST_PLACE), best)) {
            continue;
        }
        const int64_t child = branch(tree, node, CHILD), end = branch(tree, node, END);
        if (child >= 0) {
            depth = push_better_last(search, by_growth, child, depth);
            continue;
        }
        for (int64_t i = branch(tree, node, BEGIN); i < end; i++) {
            if (tree->items[i] >= 0) {
                try_row(search, by_growth, pass, tree->items[i], best);
            }
        }
    }
}

/* Find the first row that is as good as the least score. */
KN_INLINE void decide(RowSearch *search, bool by_growth, Best *best) {
    *best = (Best){.row = NOTHING, .score = INFINITY, .least = best->least};
    search_tree(search, by_growth, DECIDE, best);
}

/* Return the first of the rows with the least score; `found` is a candidate, or NOTHING. */
KN_INLINE int64_t first_of_least(RowSearch *search, bool by_growth, int64_t found) {
    Best best = {.row = found, .score = INFINITY, .least = INFINITY};
    if (found != NOTHING) {
        best.least = best.score = row_score(search, by_growth, found);
    }
    search_tree(search, by_growth, FIND, &best);
    note_doubt(best.score, best.least, &best);
    if (best.again && !best.doubtful) {
        decide(search, by_growth, &best);
    }
    if (best.doubtful) {
        search_tree(search, by_growth, MEASURE, &best);
        decide(search, by_growth, &best);
    }
    return best.row;
}

int64_t furthest_row(RowSearch *search, int64_t known) {
    return first_of_least(search, false, known);
}

int64_t cheapest_row(RowSearch *search) {
    return first_of_least(search, true, NOTHING);
}
