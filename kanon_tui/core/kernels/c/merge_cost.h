/* The cost of merging two clusters; `merging.py` says what the modes count.
 *
 * The mode is a constant where these are called from a search, so that each mode has its own code.
 */
#ifndef KANON_MERGE_COST_H
#define KANON_MERGE_COST_H

#include "box_clusters.h"
#include "power.h"

#define EVEN_EMPHASIS 0.5
#define DR_ROUNDING 1e-13

/* Return granularity · DR with an emphasis. A DR that is 0 but for rounding counts as 0. */
static inline double emphasised(double detail, double kept, double emphasis) {
    const double rules = kept > DR_ROUNDING ? kept : 0.0;
    return power(detail, 2.0 * (1.0 - emphasis)) * power(rules, 2.0 * emphasis);
}

/* Return the loss of research value when D grows from records + load by `more` and DR is `kept`. */
KN_INLINE double value_lost(const MergeState *state, int64_t x, double more, double kept) {
    if (more <= 0.0 && kept == 1.0) {
        return 0.0;
    }
    const double weight = price(state->attributes, x, WEIGHT);
    const double emphasis = price(state->attributes, x, EMPHASIS);
    const double records = (double)state->records, before = records + state->load[x];
    if (emphasis != EVEN_EMPHASIS) {
        const double left = emphasised(records / (before + more), kept, emphasis);
        return weight * (emphasised(records / before, 1.0, emphasis) - left);
    }
    const double scale = weight * records;
    return scale / before - scale * kept / (before + more);
}

/* Return the part of its attribute's weight that a cluster of this extent and DR loses. */
KN_INLINE double cluster_lost(const Attributes *attributes, int64_t x, double wide, double kept) {
    const double weight = price(attributes, x, WEIGHT), emphasis = price(attributes, x, EMPHASIS);
    if (emphasis != EVEN_EMPHASIS) {
        return weight * (1.0 - emphasised(1.0 / (1.0 + wide), kept, emphasis));
    }
    return weight * (1.0 - kept / (1.0 + wide));
}

/* Return the increase of D by a merge that hides nothing. */
KN_INLINE double widening(const BoxClusters *clusters, double wide, int64_t x, int64_t a,
                          int64_t b) {
    const int64_t one = cell(clusters, a, x), two = cell(clusters, b, x);
    return clusters->shown[one] * (wide - clusters->extents[one]) +
           clusters->shown[two] * (wide - clusters->extents[two]);
}

/* Return what a merge loses that adds `more` to D: of the research value of the release, or of that
 * of the union alone. */
KN_INLINE double merge_lost(const MergeState *state, int64_t x, int64_t a, int64_t b, double more,
                            double kept) {
    if (state->mode == SUPPRESS) {
        return value_lost(state, x, more, kept);
    }
    const BoxClusters *clusters = state->clusters;
    double size = 0.0;
    for (int64_t turn = 0, c = a; turn < 2; turn++, c = b) {
        const int64_t at = cell(clusters, c, x), records = info_of(clusters, c)[SIZE];
        more += clusters->shown[at] * clusters->extents[at];
        more += (double)(records - clusters->shown[at]) * price(state->attributes, x, HIDE);
        size += (double)records;
    }
    return cluster_lost(state->attributes, x, more / size, kept);
}

/* Return the loss when the cells of one cluster are hidden and the other stays. */
KN_INLINE double hiding_loss(const MergeState *state, int64_t x, int64_t hidden, int64_t stays) {
    const BoxClusters *clusters = state->clusters;
    const int64_t at = cell(clusters, hidden, x);
    const double more =
        clusters->shown[at] * (price(state->attributes, x, HIDE) - clusters->extents[at]);
    return merge_lost(state, x, hidden, stays, more,
                      rules_kept(state->attributes, clusters, x, stays, stays));
}

/* The losses of an attribute in a merge of a into b. */
typedef struct {
    double nothing;  /* when nothing is hidden */
    double of_small; /* when cells of a may be hidden */
    double of_other; /* when cells of b may be */
} Losses;

/* Return the losses of an attribute, `wide` being the extent of the union. Where hiding is no
 * better it counts as hiding nothing. */
KN_INLINE Losses losses_of(const MergeState *state, int64_t mode, double wide, int64_t x, int64_t a,
                           int64_t b) {
    if (mode == EXTENT) {
        return (Losses){wide, wide, wide};
    }
    const double kept = rules_kept(state->attributes, state->clusters, x, a, b);
    if (mode == CLUSTER) {
        const double lost = cluster_lost(state->attributes, x, wide, kept);
        return (Losses){lost, lost, lost};
    }
    const double more = widening(state->clusters, wide, x, a, b);
    const double nothing =
        mode == RELEASE ? value_lost(state, x, more, kept) : merge_lost(state, x, a, b, more, kept);
    Losses losses = {nothing, nothing, nothing};
    if (mode >= SUPPRESS && nothing > TIE) {
        const double of_small = hiding_loss(state, x, a, b), of_other = hiding_loss(state, x, b, a);
        losses.of_small = of_small < nothing - TIE ? of_small : nothing;
        losses.of_other = of_other < nothing - TIE ? of_other : nothing;
    }
    return losses;
}

typedef struct {
    double cost;
    int64_t side; /* the side that hides cells */
} MergeCost;

/* Return the cost of merging cluster a into b; inf when above the limit. */
KN_INLINE MergeCost merge_cost(const MergeState *state, int64_t mode, int64_t a, int64_t b,
                               double limit) {
    double cost = 0.0, of_small = 0.0, of_other = 0.0;
    for (int64_t x = 0; x < state->load_shape0; x++) {
        const double wide = union_extent(state->attributes, state->clusters, x, a, b);
        const Losses losses = losses_of(state, mode, wide, x, a, b);
        cost += losses.nothing;
        of_small += losses.of_small;
        of_other += losses.of_other;
        if (of_small > limit && of_other > limit) {
            return (MergeCost){INFINITY, HIDE_NONE};
        }
    }
    if (of_small < cost - TIE && of_small <= of_other + TIE) {
        return (MergeCost){of_small, HIDE_SMALL};
    }
    if (of_other < cost - TIE) {
        return (MergeCost){of_other, HIDE_OTHER};
    }
    return (MergeCost){cost, HIDE_NONE};
}

#endif
