/* The loop of all merging algorithms: take the next small cluster, merge it with the best. */
#include "box_clusters.h"
#include "kernel.h"
#include "merge_cost.h"

/* Boxes tried after which a call returns. */
#define BOXES_PER_CALL 2000000
/* Searches of a run. */
#define SEARCHES_PER_RUN 32

double kn_merging_power(double x, double y) {
    return power(x, y);
}

int64_t kn_merging_next_small(const BoxClusters *clusters, const ClusterList *listed, int64_t turn,
                              int64_t k) {
    int64_t place = listed->tally[NEXT_PLACE];
    for (; place < listed->at_shape0; place++) {
        const int32_t c = listed->at[place];
        if (c >= 0 && info_of(clusters, c)[SIZE] < k &&
            (turn == 0 || listed->touched[place] != turn)) {
            break;
        }
    }
    return place;
}

/* Return whether a merge that may hide cells of this side hides those of an attribute. */
static bool hides(const MergeState *state, double wide, int64_t x, int64_t a, int64_t b,
                  int64_t side) {
    if (side == HIDE_NONE) {
        return false;
    }
    const Losses losses = losses_of(state, state->mode, wide, x, a, b);
    return (side == HIDE_SMALL ? losses.of_small : losses.of_other) < losses.nothing;
}

void kn_merging_union_extents(const MergeState *state, int64_t a, int64_t b, int64_t side,
                              double *wide, int64_t wide_shape0, bool *hidden,
                              int64_t hidden_shape0) {
    (void)hidden_shape0;
    for (int64_t x = 0; x < wide_shape0; x++) {
        wide[x] = union_extent(state->attributes, state->clusters, x, a, b);
        hidden[x] = hides(state, wide[x], x, a, b, side);
    }
}

/* Merge cluster a into b, hiding cells of one side where that pays. */
static void merge(const MergeState *state, int64_t a, int64_t b, int64_t side) {
    const Attributes *attributes = state->attributes;
    const BoxClusters *clusters = state->clusters;
    const int32_t *shown = clusters->shown;
    const double *extents = clusters->extents;
    double *load = state->load, *kept = state->kept;
    int32_t *small = info_of(clusters, a), *other = info_of(clusters, b);
    const int64_t both = (int64_t)small[SIZE] + other[SIZE];
    for (int64_t x = 0; x < state->load_shape0; x++) {
        const int64_t one = cell(clusters, a, x), two = cell(clusters, b, x);
        const double wide = union_extent(attributes, clusters, x, a, b);
        const bool hide = hides(state, wide, x, a, b, side);
        load[x] -= shown[one] * extents[one] + shown[two] * extents[two];
        kept[x] -= small[SIZE] * rules_kept(attributes, clusters, x, a, a);
        kept[x] -= other[SIZE] * rules_kept(attributes, clusters, x, b, b);
        if (hide) {
            const int64_t c = side == HIDE_SMALL ? a : b;
            load[x] += shown[cell(clusters, c, x)] * price(attributes, x, HIDE);
            hide_all(attributes, clusters, x, c);
        }
        absorb(attributes, clusters, x, a, b);
        load[x] += shown[two] * extents[two];
        kept[x] += (double)both * rules_kept(attributes, clusters, x, b, b);
    }
    other[SIZE] = (int32_t)both;
    small[SIZE] = 0;
    links_of(clusters, other[TAIL])[FOLLOWING] = small[HEAD];
    other[TAIL] = small[TAIL];
}

/* Move the rows of cluster a to b. */
static void hand_over(const BoxClusters *clusters, const PartnerTree *tree, int64_t a, int64_t b) {
    for (int64_t row = info_of(clusters, a)[HEAD]; row >= 0;
         row = links_of(clusters, row)[FOLLOWING]) {
        tree->owner[row] = (int32_t)b;
    }
}

/* Count the boxes that a search tried. Those beyond the usual number cost patience: usual is the
 * mean of that run of searches in this tree which tried fewest. */
static void charge(int64_t *tally, int64_t tried) {
    tally[PATIENCE] -= tally[USUAL] == 0 ? 0 : tried - tally[USUAL];
    tally[TRIED] += tried;
    if (++tally[SEARCHES] == SEARCHES_PER_RUN) {
        const int64_t mean = tally[TRIED] / SEARCHES_PER_RUN;
        tally[USUAL] = tally[USUAL] == 0 ? mean : min_i64(tally[USUAL], mean);
        tally[TRIED] = tally[SEARCHES] = 0;
    }
}

int64_t kn_merging_advance(const MergeState *state, const PartnerTree *tree,
                           const ClusterList *listed, int64_t turn, int64_t k, int64_t decisions) {
    const BoxClusters *clusters = state->clusters;
    int64_t *tally = listed->tally;
    int64_t merges = 0, tried = 0;
    while (merges < decisions && tried < BOXES_PER_CALL) {
        const int64_t place = kn_merging_next_small(clusters, listed, turn, k);
        tally[NEXT_PLACE] = place;
        if (place == listed->at_shape0 || (tally[PATIENCE] <= 0 && merges > 0)) {
            break;
        }
        const int64_t a = listed->at[place];
        const Partner partner = kn_merging_cheapest_partner(state, tree, a);
        const int64_t b = partner.cluster;
        const int64_t size = info_of(clusters, a)[SIZE], other = info_of(clusters, b)[SIZE];
        tried += partner.tried;
        charge(tally, partner.tried);
        tally[UNDER_K] -= other < k && k <= size + other ? 2 : 1;
        hand_over(clusters, tree, a, b);
        merge(state, a, b, partner.side);
        listed->at[place] = -1;
        listed->touched[info_of(clusters, b)[PLACE]] = (int32_t)turn;
        kn_partner_tree_refresh(state->attributes, clusters, tree, a);
        kn_partner_tree_refresh(state->attributes, clusters, tree, b);
        tally[CLUSTERS_LEFT]--;
        tally[MERGES]++;
        merges++;
    }
    return merges;
}

void kn_merging_merge_into(const MergeState *state, const int32_t *into, int64_t into_shape0) {
    for (int64_t a = 0; a < into_shape0; a++) {
        if (into[a] != a) {
            merge(state, a, into[a], HIDE_NONE);
        }
    }
}

void kn_merging_hide_cells(const MergeState *state, const bool *hidden, int64_t hidden_shape0,
                           int64_t hidden_shape1) {
    for (int64_t i = 0; i < hidden_shape0 * hidden_shape1; i++) {
        if (hidden[i]) {
            hide_all(state->attributes, state->clusters, i % hidden_shape1, i / hidden_shape1);
        }
    }
}

void kn_merging_costs_with(const MergeState *state, int64_t a, double *costs,
                           int64_t costs_shape0) {
    for (int64_t b = 0; b < costs_shape0; b++) {
        costs[b] = merge_cost(state, state->mode, a, b, INFINITY).cost;
    }
}
