/* Greedy k-member clustering; `k_member.py` says what is searched, and why that is exact. */
#include "box_tree.h"
#include "ties.h"

/* Boxes and rows after which a call returns. */
#define VISITS_PER_CALL 2000000
/* Rounding makes sums that are equal mathematically differ by less than this. */
#define NOISE 1e-12
#define ROUNDING (NOISE / 2)

/* Columns of `MemberSearch.lines`: a place costs NUMBER_COST plus its distance to LINE_LOW …
 * LINE_HIGH, a missing one BLANK_COST. */
enum { LINE_LOW, LINE_HIGH, NUMBER_COST, BLANK_COST, LINE_COLUMNS };
/* Columns of `MemberSearch.marks`. */
enum { MARK_COLUMN, MARK_BITS, MARK_LABEL, MARK_COLUMNS };

/* Given instead of an origin: search the cheapest row, not the furthest from an origin. */
#define NO_ORIGIN (-1)

/* The columns that a search for the cheapest row reads, and its tolerance for ties. */
typedef struct {
    int64_t numbers;    /* how many lines of the search are in use … */
    int64_t categories; /* … and how many marks */
    double tie;
} Wanted;

/* The best row so far. */
typedef struct {
    int64_t position;
    int32_t record; /* the lowest of equals */
    double score;
    int64_t visits;
    bool known;  /* the smallest score is known from an earlier pass */
    bool creeps; /* a score was smaller by about a tie or less */
} Best;

/* Return the cost of a distance along a number: itself, or its square. */
KN_INLINE double counted(const MemberSearch *search, double distance) {
    return search->squared ? distance * distance : distance;
}

/* Return the cost of the distance of a place, or a range, from the range of a line. */
KN_INLINE double distance_to(const MemberSearch *search, const double *line, double low,
                             double high) {
    return counted(search, max_f64(max_f64(low - line[LINE_HIGH], line[LINE_LOW] - high), 0.0));
}

/* Return the width that a row adds; summing may stop above `enough`. */
KN_INLINE double extra_width(const MemberSearch *search, const Wanted *wanted, int64_t position,
                             double enough) {
    const BoxTree *tree = search->tree;
    const int32_t *labels = tree->labels + position * tree->labels_shape1;
    const int32_t *mark = search->marks;
    double total = 0.0;
    for (int64_t y = 0; y < wanted->categories; y++, mark += MARK_COLUMNS) {
        if (labels[mark[MARK_COLUMN]] != mark[MARK_LABEL]) {
            total += search->costs[y];
        }
    }
    if (total > enough) {
        return total;
    }
    const double *places = tree->places + position * tree->places_shape1;
    const double *line = search->lines;
    for (int64_t x = 0; x < wanted->numbers; x++, line += LINE_COLUMNS) {
        const double place = places[search->columns[x]];
        total += isnan(place) ? line[BLANK_COST]
                              : line[NUMBER_COST] + distance_to(search, line, place, place);
    }
    return total;
}

/* Return a lower bound on the width that rows of a node add; summing may stop above `enough`. */
KN_INLINE double least_extra_width(const MemberSearch *search, const Wanted *wanted, int64_t node,
                                   double enough) {
    const BoxTree *tree = search->tree;
    const uint64_t *sets = tree->sets + node * tree->sets_shape1;
    const int32_t *mark = search->marks;
    double total = 0.0;
    for (int64_t y = 0; y < wanted->categories; y++, mark += MARK_COLUMNS) {
        if ((sets[mark[MARK_BITS]] & search->bits[y]) == 0) {
            total += search->costs[y];
        }
    }
    if (total >= enough) {
        return total;
    }
    const int64_t begin = node * tree->low_shape1;
    const double *line = search->lines;
    for (int64_t x = 0; x < wanted->numbers; x++, line += LINE_COLUMNS) {
        const int64_t number = begin + search->columns[x];
        const double low = tree->low[number], high = tree->high[number];
        double least = line[NUMBER_COST] + distance_to(search, line, low, high);
        if (tree->blank[number] && (low > high || line[BLANK_COST] < least)) {
            least = line[BLANK_COST];
        }
        total += least;
    }
    return total;
}

/* Return minus the distance between two positions, so that the furthest has the smallest score. */
KN_INLINE double nearness(const MemberSearch *search, int64_t position, int64_t origin) {
    const BoxTree *tree = search->tree;
    const int64_t categories = tree->labels_shape1;
    const int32_t *labels = tree->labels + position * categories;
    const int32_t *own = tree->labels + origin * categories;
    double total = 0.0;
    for (int64_t y = 0; y < categories; y++) {
        if (labels[y] != own[y]) {
            total -= search->weights[y];
        }
    }
    const double *places = tree->places + position * tree->places_shape1;
    const double *here = tree->places + origin * tree->places_shape1;
    for (int64_t x = 0; x < search->stand_in_shape0; x++) {
        if (isnan(places[x]) || isnan(here[x])) {
            total -= isnan(places[x]) && isnan(here[x]) ? 0.0 : 1.0;
        } else {
            total -= counted(search, fabs(places[x] - here[x]));
        }
    }
    return total;
}

/* Return a lower bound on the nearness of the rows of a node to a position. */
KN_INLINE double least_nearness(const MemberSearch *search, int64_t node, int64_t origin) {
    const BoxTree *tree = search->tree;
    const int64_t categories = tree->labels_shape1;
    const int32_t *labels = tree->labels + origin * categories;
    const uint64_t *sets = tree->sets + node * categories;
    double total = 0.0;
    for (int64_t y = 0; y < categories; y++) {
        if ((labels[y] & 63) < search->shared[y] || sets[y] != label_bit(labels[y])) {
            total -= search->weights[y];
        }
    }
    const double *places = tree->places + origin * tree->places_shape1;
    const double *low = tree->low + node * tree->low_shape1;
    const double *high = tree->high + node * tree->high_shape1;
    const bool *blank = tree->blank + node * tree->blank_shape1;
    double corners = total; /* missing numbers exactly, others by their sums */
    for (int64_t x = 0; x < search->stand_in_shape0; x++) {
        if (isnan(places[x])) {
            corners -= low[x] <= high[x] ? 1.0 : 0.0;
        } else {
            const double most = max_f64(places[x] - low[x], high[x] - places[x]);
            corners -= blank[x] ? 1.0 : counted(search, most);
        }
    }
    if (search->squared) {
        return corners;
    }
    for (int64_t group = 0; group + 1 < search->sums_shape0; group++) {
        double most = 0.0;
        for (int64_t x = search->sums[group]; x < search->sums[group + 1]; x++) {
            most = max_f64(max_f64(most, places[x] - low[x]), high[x] - places[x]);
        }
        total -= most;
    }
    for (int64_t x = 0; x < search->stand_in_shape0; x++) { /* a missing number, beyond its sums */
        const double stand_in = search->stand_in[x];
        if (!isnan(places[x])) {
            total -= blank[x] ? 1.0 - fabs(places[x] - stand_in) : 0.0;
        } else if (low[x] <= high[x]) {
            total -= 1.0 - max_f64(max_f64(low[x] - stand_in, stand_in - high[x]), 0.0);
        }
    }
    return max_f64(total, corners) - ROUNDING;
}

/* Let a row with a score less than a tie above the smallest compete. */
KN_INLINE void compare(Best *best, double tie, int64_t position, int32_t record, double score) {
    if (score < best->score && !best->known) {
        const double better = best->score - score;
        best->creeps |= NOISE < better && better <= 2 * tie;
        best->score = score;
        if (better >= tie) {
            best->record = GONE;
        }
    }
    if (record <= best->record) {
        best->record = record;
        best->position = position;
    }
}

/* Compare a row, unless all its records are taken. */
KN_INLINE void look_at(const MemberSearch *search, const Wanted *wanted, int64_t origin,
                       int64_t position, Best *best) {
    const int32_t record = search->tree->record[position];
    if (record == GONE) {
        return;
    }
    const double enough = best->score + wanted->tie;
    const double score = origin == NO_ORIGIN ? extra_width(search, wanted, position, enough)
                                             : nearness(search, position, origin);
    best->visits++;
    if (score < enough) {
        compare(best, wanted->tie, position, record, score);
    }
}

/* Put the children worth a visit on the stack, the more promising on top; return its new depth. */
KN_INLINE int64_t push_children(const MemberSearch *search, const Wanted *wanted, int64_t origin,
                                int64_t node, double enough, int64_t depth) {
    const BoxTree *tree = search->tree;
    const int32_t *first = tree->first;
    int32_t *stack = search->node + depth;
    double *bounds = search->bound + depth;
    const int32_t child = tree->child[node];
    int64_t pushed = 0;
    for (int32_t each = child; each < child + 2; each++) {
        if (first[each] == GONE) {
            continue;
        }
        const double bound = origin == NO_ORIGIN ? least_extra_width(search, wanted, each, enough)
                                                 : least_nearness(search, each, origin);
        if (bound < enough) {
            stack[pushed] = each;
            bounds[pushed++] = bound;
        }
    }
    if (pushed == 2) {
        const double lower = bounds[0], upper = bounds[1];
        if (upper > lower || (upper == lower && first[child] < first[child + 1])) {
            stack[0] = child + 1;
            stack[1] = child;
            bounds[0] = upper;
            bounds[1] = lower;
        }
    }
    return depth + pushed;
}

/* Look at the rows that have the label of a mark, if that is rare. */
static void look_at_listed(const MemberSearch *search, const Wanted *wanted, Best *best) {
    for (int64_t y = 0; y < wanted->categories; y++) {
        const int32_t *mark = search->marks + y * MARK_COLUMNS;
        const int32_t *starts = search->starts + search->begins[mark[MARK_COLUMN]];
        for (int64_t j = starts[mark[MARK_LABEL]]; j < starts[mark[MARK_LABEL] + 1]; j++) {
            look_at(search, wanted, NO_ORIGIN, search->rows[j], best);
        }
    }
}

/* Search once; `smallest` is infinite, or the smallest score when that is known from before. */
KN_INLINE Best search_tree(const MemberSearch *search, const Wanted *wanted, int64_t origin,
                           double smallest) {
    const BoxTree *tree = search->tree;
    Best best = {.position = -1, .record = GONE, .score = smallest, .known = smallest < INFINITY};
    look_at_listed(search, wanted, &best);
    search->node[0] = 0;
    search->bound[0] = -INFINITY;
    for (int64_t depth = 1; depth > 0;) {
        depth--;
        const int64_t node = search->node[depth];
        const double bound = search->bound[depth];
        const bool late =
            tree->first[node] > best.record && (best.known || bound > best.score - NOISE);
        if (late || bound >= best.score + wanted->tie) {
            continue;
        }
        best.visits++;
        if (tree->child[node] >= 0) {
            depth = push_children(search, wanted, origin, node, best.score + wanted->tie, depth);
            continue;
        }
        for (int64_t i = tree->start[node]; i < tree->end[node]; i++) {
            look_at(search, wanted, origin, i, &best);
        }
    }
    return best;
}

/* Search, and once more where scores creep. */
KN_INLINE FoundRow find_row(const MemberSearch *search, const Wanted *wanted, int64_t origin) {
    Best best = search_tree(search, wanted, origin, INFINITY);
    if (best.creeps) {
        const int64_t visits = best.visits;
        best = search_tree(search, wanted, origin, best.score);
        best.visits += visits;
    }
    return (FoundRow){best.position, best.score, best.visits};
}

/* Let labels other than this one cost something; `other` is its label where its bit is. */
static void mark_label(const MemberSearch *search, Wanted *wanted, int64_t column, int32_t label,
                       int64_t bits, int32_t other, double cost) {
    const int64_t place = wanted->categories++;
    const int32_t *starts = search->starts + search->begins[column] + label;
    search->marks[place * MARK_COLUMNS + MARK_COLUMN] = (int32_t)column;
    search->marks[place * MARK_COLUMNS + MARK_BITS] = (int32_t)bits;
    search->marks[place * MARK_COLUMNS + MARK_LABEL] = label;
    search->costs[place] = cost;
    search->bits[place] = starts[0] == starts[1] ? label_bit(other) : 0;
}

/* Prepare a search for the row that widens a cluster least. */
static Wanted prepare_search(const MemberSearch *search, const MemberClusters *clusters,
                             int64_t c) {
    const int64_t numbers = clusters->low_shape1, categories = clusters->labels_shape1;
    Wanted wanted = {.tie = TIE / (double)(clusters->size[c] + 1)};
    for (int64_t x = 0; x < numbers; x++) {
        const double low = clusters->low[c * numbers + x], high = clusters->high[c * numbers + x];
        const bool blank = clusters->blank[c * numbers + x];
        if (blank && low <= high) {
            continue; /* already published as * */
        }
        double *line = search->lines + wanted.numbers * LINE_COLUMNS;
        search->columns[wanted.numbers++] = (int32_t)x;
        line[LINE_LOW] = blank ? -INFINITY : low;
        line[LINE_HIGH] = blank ? INFINITY : high;
        line[NUMBER_COST] = blank ? 1.0 : 0.0;
        line[BLANK_COST] = blank ? 0.0 : 1.0 - (high - low);
    }
    for (int64_t y = 0; y < categories; y++) {
        const int32_t label = clusters->labels[c * categories + y];
        if (search->weights[y] > 0 && label != MIXED_LABEL) { /* 0: the class label */
            const int64_t bits = (label & 63) < search->shared[y] ? search->again[y] : y;
            const int32_t other = clusters->labels[c * categories + bits];
            mark_label(search, &wanted, y, label, bits, other, search->weights[y]);
        }
    }
    return wanted;
}

FoundRow kn_k_member_find_furthest(const MemberSearch *search, int64_t origin) {
    const Wanted wanted = {.tie = TIE};
    return find_row(search, &wanted, origin);
}

FoundRow kn_k_member_find_cheapest(const MemberSearch *search, const MemberClusters *clusters,
                                   int64_t c) {
    const Wanted wanted = prepare_search(search, clusters, c);
    return find_row(search, &wanted, NO_ORIGIN);
}

/* Let a row join a cluster, both ends of whose ranges are its mean; return by how much its squared
 * differences from the mean grow. */
static double add_squared(const MemberSearch *search, const MemberClusters *clusters, int64_t c,
                          int64_t position) {
    const BoxTree *tree = search->tree;
    const double *places = tree->places + position * tree->places_shape1;
    const double size = (double)clusters->size[c]++;
    double growth = 0.0;
    for (int64_t x = 0; x < clusters->low_shape1; x++) {
        double *mean = clusters->low + c * clusters->low_shape1 + x;
        const double away = size > 0.0 ? places[x] - *mean : 0.0;
        growth += away * away * size / (size + 1.0);
        *mean = size > 0.0 ? *mean + away / (size + 1.0) : places[x];
        clusters->high[c * clusters->low_shape1 + x] = *mean;
    }
    return growth;
}

/* Let a row join a cluster; return by how much its information loss grows. */
static double add_row(const MemberSearch *search, const MemberClusters *clusters, int64_t c,
                      int64_t position) {
    const BoxTree *tree = search->tree;
    const int64_t numbers = clusters->low_shape1, categories = clusters->labels_shape1;
    const double *places = tree->places + position * tree->places_shape1;
    const int32_t *labels = tree->labels + position * tree->labels_shape1;
    const double before = (double)clusters->size[c] * clusters->width[c];
    double width = 0.0;
    if (search->squared) {
        return add_squared(search, clusters, c, position);
    }
    for (int64_t x = 0; x < numbers; x++) {
        double *low = clusters->low + c * numbers + x, *high = clusters->high + c * numbers + x;
        bool *blank = clusters->blank + c * numbers + x;
        if (isnan(places[x])) {
            *blank = true;
        } else {
            *low = min_f64(*low, places[x]);
            *high = max_f64(*high, places[x]);
        }
        if (*low <= *high) {
            width += *blank ? 1.0 : *high - *low;
        }
    }
    for (int64_t y = 0; y < categories; y++) {
        int32_t *label = clusters->labels + c * categories + y;
        if (clusters->size[c] == 0) {
            *label = labels[y];
        } else if (*label != labels[y]) {
            *label = MIXED_LABEL;
        }
        if (*label == MIXED_LABEL) {
            width += search->weights[y];
        }
    }
    clusters->size[c]++;
    clusters->width[c] = width;
    return (double)clusters->size[c] * width - before;
}

/* Count a class label; return the most frequent label of the cluster afterwards. */
static int32_t new_majority(int64_t *counts, int32_t label, int32_t majority, bool alone) {
    const int64_t more = ++counts[label] - counts[majority];
    return alone || more > 0 || (more == 0 && label < majority) ? label : majority;
}

/* Take the lowest record of the row at a position. */
static void take_lowest(const BoxTree *tree, const MemberGrowth *growth, int64_t position) {
    const int32_t row = tree->row[position], begin = ++growth->begin[row];
    take_record(tree, position, begin < growth->end[row] ? growth->records[begin] : GONE);
}

/* Find the row that costs the cluster at work least, its class label included. */
static FoundRow find_member(const MemberSearch *search, const MemberGrowth *growth, int64_t c) {
    Wanted wanted = prepare_search(search, growth->clusters, c);
    if (growth->class_counts_shape0 > 0) {
        const double cost = growth->penalty / (double)(growth->clusters->size[c] + 1);
        const int32_t label = (int32_t)growth->state[MAJORITY];
        const int64_t column = search->weights_shape0 - 1;
        mark_label(search, &wanted, column, label, column, label, cost);
    }
    return find_row(search, &wanted, NO_ORIGIN);
}

GrownClusters kn_k_member_advance(const MemberSearch *search, const MemberGrowth *growth,
                                  int32_t *chosen, int64_t chosen_shape0) {
    const BoxTree *tree = search->tree;
    const MemberClusters *clusters = growth->clusters;
    const int64_t labels = growth->class_counts_shape0;
    int64_t *state = growth->state, visits = 0;
    GrownClusters made = {.decided = 0};
    while (made.decided < chosen_shape0 && visits < VISITS_PER_CALL) {
        int64_t c = state[AT_WORK];
        const bool starts = clusters->size[c] == 0 || clusters->size[c] == growth->k;
        if (starts && state[REMAINING] < growth->k) {
            break;
        }
        if (clusters->size[c] == growth->k) {
            c = ++state[AT_WORK];
        }
        const FoundRow found = starts ? kn_k_member_find_furthest(search, state[LAST_ADDED])
                                      : find_member(search, growth, c);
        const double grown = add_row(search, clusters, c, found.position);
        visits += found.visits;
        chosen[made.decided++] = tree->record[found.position];
        made.growth += grown;
        made.score = starts ? -found.score : grown;
        if (labels > 0) {
            const int32_t label =
                tree->labels[found.position * tree->labels_shape1 + tree->labels_shape1 - 1];
            if (starts) {
                memset(growth->class_counts, 0, (size_t)labels * sizeof *growth->class_counts);
            }
            state[MAJORITY] =
                new_majority(growth->class_counts, label, (int32_t)state[MAJORITY], starts);
        }
        take_lowest(tree, growth, found.position);
        state[LAST_ADDED] = found.position;
        state[REMAINING]--;
    }
    return made;
}

Joined kn_k_member_join_cheapest(const MemberSearch *search, const MemberClusters *clusters,
                                 int64_t position) {
    double *growths = clusters->growths;
    for (int64_t c = 0; c < clusters->size_shape0; c++) {
        const double size = (double)clusters->size[c], width = clusters->width[c];
        const Wanted wanted = prepare_search(search, clusters, c);
        const double extra = extra_width(search, &wanted, position, INFINITY);
        growths[c] = search->squared ? size / (size + 1) * extra
                                     : (size + 1) * (width + extra) - size * width;
    }
    const int64_t c = first_of_smallest(growths, clusters->size_shape0);
    return (Joined){c, add_row(search, clusters, c, position)};
}
