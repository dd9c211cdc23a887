/* Similarity-based clustering: start a cluster, let the nearest join it, close it; place the rest.
 *
 * `similarity.py` says more. A node's bound is summed in the order of a row's distance (numbers,
 * then categories), term by term no larger, so rounding cannot make it wrong.
 */
#include "box_tree.h"
#include "cluster_centre.h"

/* Nodes, rows and values looked at after which a call returns ... */
#define GROWTH_WORK_PER_CALL 500000
/* ... and values and records left over after which one returns. */
#define LEFTOVER_WORK_PER_CALL 1000000

typedef struct {
    int64_t position;
    double away;
    int64_t work; /* nodes and rows that were looked at */
} Nearest;

/* Replace the largest of the smallest distances, the top of a heap. */
static void improve(double *best, int64_t size, double away) {
    int64_t i = 0;
    for (int64_t below = 1; below < size; below = 2 * i + 1) {
        if (below + 1 < size && best[below + 1] > best[below]) {
            below++;
        }
        if (best[below] <= away) {
            break;
        }
        best[i] = best[below];
        i = below;
    }
    best[i] = away;
}

/* Return how far a row is from the centre; summing may end as soon as it is enough. */
KN_INLINE double distance_to(const BoxTree *tree, int64_t position, const Centre *centre,
                             double enough) {
    const int64_t numbers = tree->places_shape1, categories = tree->labels_shape1;
    const double *places = tree->places + position * numbers;
    const int32_t *labels = tree->labels + position * categories;
    double total = 0.0;
    for (int64_t x = 0; x < numbers; x++) {
        if (isnan(places[x])) {
            total += centre->blank[x] ? 0.0 : 1.0;
        } else {
            total += isnan(centre->place[x]) ? 1.0 : fabs(places[x] - centre->place[x]);
        }
    }
    for (int64_t y = 0; y < categories && total < enough; y++) {
        total += centre->distance[centre->offsets[y] + labels[y]];
    }
    return total;
}

/* Return the smallest distance of the values of a category that a node may have. */
KN_INLINE double least_of_values(const BoxTree *tree, int64_t node, const Centre *centre,
                                 int64_t y) {
    const uint64_t set = tree->sets[node * tree->sets_shape1 + y];
    const uint64_t *words = centre->words + node * centre->words_shape1;
    const int64_t begin = centre->columns[y], end = centre->columns[y + 1];
    for (int64_t w = begin; w < end; w++) {
        if (set & words[w] & centre->zero[w]) {
            return 0.0;
        }
    }
    double least = 1.0;
    for (int64_t w = begin; w < end; w++) {
        const double *of_bits = centre->least + 64 * w;
        for (uint64_t bits = set & words[w]; bits != 0; bits &= bits - 1) {
            least = min_f64(least, of_bits[__builtin_ctzll(bits)]);
        }
    }
    return least;
}

/* Return a bound: no row of a node is nearer to the centre; summing may end when it is enough. */
KN_INLINE double node_bound(const BoxTree *tree, int64_t node, const Centre *centre,
                            double enough) {
    const int64_t numbers = tree->low_shape1, categories = tree->sets_shape1;
    const double *low = tree->low + node * numbers, *high = tree->high + node * numbers;
    const bool *blank = tree->blank + node * numbers;
    double total = 0.0;
    for (int64_t x = 0; x < numbers; x++) {
        const double middle = centre->place[x];
        double least = INFINITY;
        if (low[x] <= high[x]) {
            least = isnan(middle) ? 1.0 : max_f64(max_f64(low[x] - middle, middle - high[x]), 0.0);
        }
        if (blank[x]) {
            least = min_f64(least, centre->blank[x] ? 0.0 : 1.0);
        }
        total += least;
    }
    for (int64_t y = 0; y < categories && total < enough; y++) {
        total += least_of_values(tree, node, centre, y);
    }
    return total;
}

/* Find the rows less than `slack` above the largest of the `best` distances; return the work.
 *
 * Nearer nodes come first; nodes that are too far are not visited. `left` has the number of records
 * that each row has left. */
static int64_t find_near(const BoxTree *tree, const Centre *centre, const int32_t *left,
                         const NearestSearch *search, double slack) {
    int32_t *waiting = search->node;
    double *bound = search->bound, *best = search->best;
    int64_t size = 0, work = 0, depth = 1;
    for (int64_t i = 0; i < search->best_shape0; i++) {
        best[i] = INFINITY;
    }
    waiting[0] = 0;
    bound[0] = 0.0;
    while (depth > 0) {
        const int32_t node = waiting[--depth];
        double enough = best[0] + slack;
        if (bound[depth] >= enough || tree->first[node] == GONE) {
            continue;
        }
        if (tree->child[node] >= 0) {
            const int32_t one = tree->child[node], other = one + 1;
            const double one_bound = node_bound(tree, one, centre, enough);
            const double other_bound = node_bound(tree, other, centre, enough);
            const bool swap = other_bound < one_bound;
            waiting[depth] = swap ? one : other;
            bound[depth] = swap ? one_bound : other_bound;
            depth += bound[depth] < enough;
            waiting[depth] = swap ? other : one;
            bound[depth] = swap ? other_bound : one_bound;
            depth += bound[depth] < enough;
            work += 2;
            continue;
        }
        work += tree->end[node] - tree->start[node];
        for (int64_t i = tree->start[node]; i < tree->end[node]; i++) {
            if (tree->record[i] == GONE) {
                continue;
            }
            const double away = distance_to(tree, i, centre, enough);
            if (away >= enough) {
                continue;
            }
            search->found[size] = (int32_t)i;
            search->away[size++] = away;
            for (int32_t j = 0; j < left[tree->row[i]] && away < best[0]; j++) {
                improve(best, search->best_shape0, away);
            }
            enough = best[0] + slack;
        }
    }
    search->count[0] = size;
    return work;
}

/* Change the one row found to that with the lowest record of all nearer than `enough`; return the
 * work. Nodes with lower records come first. */
static int64_t find_earliest(const BoxTree *tree, const Centre *centre, const NearestSearch *search,
                             double enough) {
    int32_t *waiting = search->node;
    int32_t record = tree->record[search->found[0]];
    int64_t work = 0, depth = 1;
    waiting[0] = 0;
    while (depth > 0) {
        const int32_t node = waiting[--depth];
        if (tree->first[node] >= record || node_bound(tree, node, centre, enough) >= enough) {
            continue;
        }
        if (tree->child[node] >= 0) {
            const int32_t one = tree->child[node], other = one + 1;
            const bool swap = tree->first[other] < tree->first[one];
            waiting[depth++] = swap ? one : other;
            waiting[depth++] = swap ? other : one;
            work += 2;
            continue;
        }
        work += tree->end[node] - tree->start[node];
        for (int64_t i = tree->start[node]; i < tree->end[node]; i++) {
            if (tree->record[i] < record && distance_to(tree, i, centre, enough) < enough) {
                search->found[0] = (int32_t)i;
                record = tree->record[i];
            }
        }
    }
    return work;
}

/* Find all rows the nearest records can come from, for `next_nearest`; return the work. */
static int64_t gather_nearest(const BoxTree *tree, const Centre *centre, const int32_t *left,
                              const NearestSearch *search) {
    const int64_t work = find_near(tree, centre, left, search, TIE);
    const double enough = search->best[0] + TIE;
    int64_t kept = 0;
    for (int64_t j = 0; j < search->count[0]; j++) {
        if (search->away[j] < enough) {
            search->found[kept] = search->found[j];
            search->away[kept++] = search->away[j];
        }
    }
    search->count[0] = kept;
    return work;
}

/* Return the nearest of the rows that were gathered. */
static Nearest next_nearest(const BoxTree *tree, const NearestSearch *search) {
    const int64_t count = search->count[0];
    double least = INFINITY;
    int64_t best = 0;
    for (int64_t j = 0; j < count; j++) {
        const bool there = tree->record[search->found[j]] != GONE;
        least = there ? min_f64(least, search->away[j]) : least;
    }
    for (int64_t j = 0, first = GONE; j < count; j++) {
        const int64_t record = tree->record[search->found[j]];
        if (search->away[j] < least + TIE && record < first) {
            first = record;
            best = j;
        }
    }
    return (Nearest){search->found[best], search->away[best], count};
}

/* Return the nearest row, with the smallest distance of any. */
static Nearest nearest_record(const BoxTree *tree, const Centre *centre, const int32_t *left,
                              const NearestSearch *search) {
    int64_t work = find_near(tree, centre, left, search, 0.0);
    const int64_t last = search->count[0] - 1;
    const double smallest = search->away[last];
    search->found[0] = search->found[last];
    work += find_earliest(tree, centre, search, smallest + TIE);
    return (Nearest){search->found[0], smallest, work};
}

/* Let the lowest record of the row at a position join the cluster that grows. */
static void join(const BoxTree *tree, const Growth *growth, int64_t position, int64_t k) {
    const int32_t record = tree->record[position], row = tree->row[position];
    int64_t *state = growth->state;
    growth->members[state[CLUSTERS_CLOSED] * k + state[GROWING_SIZE]++] = record;
    growth->labels[record] = (int32_t)state[CLUSTERS_CLOSED];
    const int32_t left = --growth->left[row];
    take_record(tree, position, left > 0 ? growth->records[growth->end[row] - left] : GONE);
}

/* Return the row of the first record that is in no cluster. */
static int64_t first_row_left(const Growth *growth) {
    int64_t *place = &growth->state[PLACE_IN_ORDER];
    while (growth->labels[growth->order[*place]] >= 0) {
        ++*place;
    }
    return growth->row[growth->order[*place]];
}

Grown kn_similarity_advance(const BoxTree *tree, const Contingency *table, const Centre *centre,
                            const NearestSearch *search, const Growth *growth, int64_t k,
                            bool spatial, int64_t decisions) {
    int64_t *state = growth->state, work = 0;
    Grown made = {.kind = CLUSTER_CLOSED};
    while (made.decided < decisions && work < GROWTH_WORK_PER_CALL) {
        const int64_t grouped = state[CLUSTERS_CLOSED] * k;
        if (state[GROWING_SIZE] == k) {
            made.kind = CLUSTER_CLOSED;
            for (int64_t i = grouped; i < grouped + k; i++) {
                count_record(table, growth->row[growth->members[i]], -1);
            }
            work += k;
            state[CLUSTERS_CLOSED]++;
            state[GROWING_SIZE] = 0;
        } else if (state[GROWING_SIZE] > 0) {
            made.kind = CLUSTER_GROWN;
            const Nearest nearest = spatial ? nearest_record(tree, centre, growth->left, search)
                                            : next_nearest(tree, search);
            if (spatial) {
                add_to_centre(tree, nearest.position, centre);
            }
            join(tree, growth, nearest.position, k);
            made.away = nearest.away;
            work += nearest.work;
        } else if (growth->order_shape0 - grouped >= k) {
            made.kind = CLUSTER_STARTED;
            const int64_t row = first_row_left(growth), position = growth->position[row];
            start_centre(tree, position, table, row, k, spatial, centre);
            join(tree, growth, position, k);
            work += centre->label_shape0;
            if (k > 1 && !spatial) {
                work += gather_nearest(tree, centre, growth->left, search);
            }
        } else {
            break;
        }
        made.decided++;
    }
    return made;
}

/* Write the parts of the distances from a centre to those of a cluster. */
static void keep_distances(const Centre *centre, const LeftoverDistances *leftovers,
                           int64_t cluster) {
    const int64_t numbers = leftovers->total_shape1;
    const int64_t values = leftovers->value_shape0 * leftovers->value_shape1;
    memcpy(leftovers->total + cluster * numbers, centre->total, (size_t)numbers * sizeof(double));
    memcpy(leftovers->terms + cluster * numbers, centre->terms, (size_t)numbers * sizeof(int64_t));
    memcpy(leftovers->blank + cluster * numbers, centre->blank, (size_t)numbers * sizeof(bool));
    for (int64_t i = 0; i < values; i++) {
        leftovers->category[cluster * values + i] = centre->distance[leftovers->value[i]];
    }
}

/* Once the records of a cluster are counted again, the table is as it was when that was started. */
int64_t kn_similarity_measure_leftovers(const BoxTree *tree, const Contingency *table,
                                        const Centre *centre, const Growth *growth,
                                        const LeftoverDistances *leftovers, int64_t k, bool spatial,
                                        int64_t cluster) {
    int64_t work = 0;
    while (cluster > 0 && work < LEFTOVER_WORK_PER_CALL) {
        cluster--;
        const int32_t *members = growth->members + cluster * k;
        for (int64_t i = 0; i < k; i++) {
            count_record(table, growth->row[members[i]], 1);
        }
        const int64_t row = growth->row[members[0]];
        start_centre(tree, growth->position[row], table, row, k, spatial, centre);
        for (int64_t i = 1; spatial && i < k; i++) {
            add_to_centre(tree, growth->position[growth->row[members[i]]], centre);
        }
        keep_distances(centre, leftovers, cluster);
        work += centre->label_shape0 + k + leftovers->value_shape0 * leftovers->value_shape1;
    }
    return cluster;
}
