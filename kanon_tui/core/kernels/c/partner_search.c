/* Find the cluster to merge a cluster with, without trying all of them.
 *
 * A union with any box below a node of the tree covers at least what all of them have in common, so
 * its cost has a lower bound. Nodes are visited by rising bounds, until the next is no lower than
 * the best cost found. Clusters that share a rare value with the cluster are listed, and tried
 * before: in the tree its rare values count as values that no other cluster has.
 */
#include "box_clusters.h"
#include "kernel.h"
#include "merge_cost.h"

/* The target and the state of a search. */
typedef struct {
    const MergeState *state;
    const PartnerTree *tree;
    int64_t a;       /* the cluster that wants a partner */
    int64_t sharers; /* candidates that share a rare value */
    double lowest;   /* the lowest cost so far */
    double limit;    /* TIE above it; clusters that cost more are ignored */
    int64_t chosen;  /* of those tried within the limit the first in the list, -1: none */
    MergeCost best;  /* its cost */
    double others;   /* a lower bound on the costs of the others that were tried */
    bool unsure;     /* chosen replaced one that is not within the limit any more; others are */
    bool by_place;   /* the lowest cost is known: look for clusters before chosen */
    int64_t before;  /* clusters from this place of the list on are ignored */
    int64_t tried;
    int64_t top; /* the last place of the heap, -1 when it is empty */
} Search;

KN_INLINE const int32_t *branch_of(const PartnerTree *tree, int64_t node) {
    return tree->branches + node * tree->branches_shape1;
}

/* Return the bits that all boxes of a node have; those that some have come next. */
KN_INLINE const uint64_t *common_words(const PartnerTree *tree, int64_t node) {
    return tree->words + node * 2 * tree->words_shape2;
}

KN_INLINE const double *reach_of(const PartnerTree *tree, int64_t node, int64_t x) {
    return tree->reach + (node * tree->reach_shape1 + x) * tree->reach_shape2;
}

/* Return how many frequent values of a set the first words have and the others do not. */
KN_INLINE int64_t more_values(const Attributes *attributes, int64_t x, const uint64_t *words,
                              const uint64_t *others) {
    const int64_t first = fact(attributes, x, OFTEN);
    const int64_t after = first + fact(attributes, x, OFTEN_WORDS);
    int64_t count = 0;
    for (int64_t w = first; w < after; w++) {
        count += count_bits(words[w] & ~others[w]);
    }
    return count;
}

/* Return how many values of a set no box below the node has. */
KN_INLINE int64_t foreign_values(const Search *search, int64_t x, int64_t node) {
    const PartnerTree *tree = search->tree;
    const uint64_t *some = common_words(tree, node) + tree->words_shape2;
    const uint64_t *words = words_of(search->state->clusters, search->a);
    return tree->alone[x] + more_values(search->state->attributes, x, words, some);
}

/* Return the least extent of a union with a box below the node. */
KN_INLINE double least_union(const Search *search, int64_t x, int64_t node) {
    const Attributes *attributes = search->state->attributes;
    const PartnerTree *tree = search->tree;
    const double *box = box_of(search->state->clusters, search->a, x);
    const double *reach = reach_of(tree, node, x);
    if (fact(attributes, x, KIND) == SET) {
        const uint64_t *words = words_of(search->state->clusters, search->a);
        const int64_t common = more_values(attributes, x, common_words(tree, node), words);
        return set_extent(attributes, x,
                          max_i64((int64_t)box[HIGH] + common,
                                  (int64_t)reach[ALL_HIGH] + foreign_values(search, x, node)));
    }
    if (box[LOW] > box[HIGH]) { /* all hidden: the other box stays as it is */
        return 0.0;
    }
    return width(attributes, x, min_f64(box[LOW], reach[ALL_LOW]),
                 max_f64(box[HIGH], reach[ALL_HIGH]));
}

/* Return the least by which the cluster widens a box below the node; `least` is that of the
 * union. */
KN_INLINE double least_beyond(const Search *search, int64_t x, int64_t node, double least) {
    const Attributes *attributes = search->state->attributes;
    const double *box = box_of(search->state->clusters, search->a, x);
    const double *reach = reach_of(search->tree, node, x);
    if (fact(attributes, x, KIND) == SET) {
        return price(attributes, x, UNIT) * (double)foreign_values(search, x, node);
    }
    if (box[LOW] > box[HIGH] || reach[LEAST_SHOWN] == 0.0) {
        return 0.0;
    }
    if (fact(attributes, x, KIND) == LINE && box[HIGH] < MISSING_PLACE &&
        reach[SOME_HIGH] < MISSING_PLACE) {
        return max_f64(reach[SOME_LOW] - box[LOW], 0.0) +
               max_f64(box[HIGH] - reach[SOME_HIGH], 0.0);
    }
    return max_f64(least - width(attributes, x, reach[SOME_LOW], reach[SOME_HIGH]), 0.0);
}

/* Return the least losses of an attribute in a merge with a cluster below the node. */
KN_INLINE Losses least_losses(const Search *search, int64_t mode, int64_t x, int64_t node) {
    const MergeState *state = search->state;
    const Attributes *attributes = state->attributes;
    const BoxClusters *clusters = state->clusters;
    const int64_t a = search->a;
    const double *reach = reach_of(search->tree, node, x);
    const double own = clusters->extents[cell(clusters, a, x)];
    const double shown = clusters->shown[cell(clusters, a, x)];
    const double least = least_union(search, x, node);
    const double beyond = least_beyond(search, x, node, least);
    const uint64_t *words = words_of(clusters, a), *common = common_words(search->tree, node);
    const double more = max_f64(shown * (least - own), 0.0) + reach[LEAST_SHOWN] * beyond;
    const double nothing = value_lost(state, x, more, rule_ratio(attributes, words, common, x));
    Losses losses = {nothing, nothing, nothing};
    if (mode == SUPPRESS && nothing > 0.0) {
        const double of_a = value_lost(state, x, shown * (price(attributes, x, HIDE) - own),
                                       rule_ratio(attributes, common, common, x));
        const double of_b =
            value_lost(state, x, reach[LEAST_HIDE], rule_ratio(attributes, words, words, x));
        losses.of_small = min_f64(nothing, of_a);
        losses.of_other = min_f64(nothing, of_b);
    }
    return losses;
}

/* Return a cost that no merge of the cluster with one below the node is under; inf when above the
 * limit. */
KN_INLINE double least_cost(const Search *search, int64_t mode, int64_t node) {
    const Attributes *attributes = search->state->attributes;
    double cost = 0.0, cost_other = 0.0;
    if (search->state->mode == SUPPRESS_CLUSTER) {
        return 0.0; /* hidden in a large union, anything costs next to nothing */
    }
    for (int64_t x = 0; x < search->state->load_shape0; x++) {
        if (mode == EXTENT) {
            cost += least_union(search, x, node);
        } else if (mode == CLUSTER) {
            const uint64_t *words = words_of(search->state->clusters, search->a);
            const double kept = rule_ratio(attributes, words, common_words(search->tree, node), x);
            cost += cluster_lost(attributes, x, least_union(search, x, node), kept);
        } else {
            const Losses losses = least_losses(search, mode, x, node);
            cost += losses.of_small;
            cost_other += losses.of_other;
        }
        if (cost > search->limit && (mode != SUPPRESS || cost_other > search->limit)) {
            return INFINITY;
        }
    }
    return mode == SUPPRESS ? min_f64(cost, cost_other) : cost;
}

/* Put a node on the heap, unless its key is inf. */
static void push(Search *search, int64_t node, double key) {
    int32_t *heap = search->tree->heap;
    double *keys = search->tree->keys;
    if (key == INFINITY) {
        return;
    }
    int64_t top = ++search->top;
    while (top > 0 && keys[(top - 1) / 2] > key) {
        heap[top] = heap[(top - 1) / 2];
        keys[top] = keys[(top - 1) / 2];
        top = (top - 1) / 2;
    }
    heap[top] = (int32_t)node;
    keys[top] = key;
}

/* Take the first node off the heap, whose last place was `top`, and return it. */
static int64_t pop(const PartnerTree *tree, int64_t top) {
    int32_t *heap = tree->heap;
    double *keys = tree->keys;
    const int64_t first = heap[0];
    const double key = keys[top];
    int64_t at = 0, child = 1;
    while (child < top) {
        if (child + 1 < top && keys[child + 1] < keys[child]) {
            child++;
        }
        if (keys[child] >= key) {
            break;
        }
        heap[at] = heap[child];
        keys[at] = keys[child];
        at = child;
        child = 2 * child + 1;
    }
    heap[at] = heap[top];
    keys[at] = key;
    return first;
}

/* Make the clusters that share a rare value with cluster a candidates; return their number.
 * Where they would be too many, a value is left to the tree. */
static int64_t find_sharers(const MergeState *state, const PartnerTree *tree, int64_t a) {
    const BoxClusters *clusters = state->clusters;
    int64_t count = 0;
    for (int64_t x = 0; x < state->load_shape0; x++) {
        const int64_t chain = fact(state->attributes, x, CHAIN);
        tree->alone[x] = 0;
        if (chain < 0) {
            continue;
        }
        for (int64_t row = info_of(clusters, a)[VALUES + chain]; row >= 0;
             row = *next_value(clusters, chain, row)) {
            const int64_t value =
                fact(state->attributes, x, START) + value_of(clusters, chain, row);
            const int64_t begin = tree->rare_starts[value], end = tree->rare_starts[value + 1];
            if (begin < end && count + end - begin <= tree->candidates_shape0 - LEAF) {
                tree->alone[x]++;
                for (int64_t i = begin; i < end; i++) {
                    tree->candidates[count++] = tree->owner[tree->rare_rows[i]];
                }
            }
        }
    }
    return count;
}

/* Try the merge with a cluster. */
KN_INLINE void try_cluster(Search *search, int64_t mode, int64_t b) {
    const BoxClusters *clusters = search->state->clusters;
    const int64_t place = info_of(clusters, b)[PLACE];
    if (b == search->a || b == search->chosen || place >= search->before) {
        return;
    }
    const MergeCost found = merge_cost(search->state, mode, search->a, b, search->limit);
    search->tried++;
    if (!(found.cost <= search->limit && found.cost < INFINITY)) {
        return;
    }
    search->lowest = min_f64(search->lowest, found.cost);
    search->limit = search->lowest + TIE;
    const double best = search->best.cost;
    if (best > search->limit) {
        search->unsure = search->others <= search->limit;
    } else if (place > info_of(clusters, search->chosen)[PLACE]) {
        search->others = min_f64(search->others, found.cost);
        return;
    }
    search->others = min_f64(search->others, best);
    search->chosen = b;
    search->best = found;
    search->before = search->by_place ? place : NOTHING;
}

/* Return the key below which a node is visited. */
KN_INLINE double bar(const Search *search) {
    return search->by_place ? (double)search->before : search->lowest;
}

/* Return the key of a node: inf where no cluster below it can win. */
KN_INLINE double key_of(Search *search, int64_t mode, int64_t node) {
    const int32_t first_place = branch_of(search->tree, node)[FIRST_PLACE];
    if (first_place >= search->before) {
        return INFINITY;
    }
    search->tried++;
    const double cost = least_cost(search, mode, node);
    return cost < INFINITY && search->by_place ? (double)first_place : cost;
}

/* Try the clusters of a leaf. */
KN_INLINE void try_leaf(Search *search, int64_t mode, const int32_t *branch) {
    for (int64_t b = branch[BEGIN]; b < branch[END]; b++) {
        if (info_of(search->state->clusters, b)[SIZE] > 0) {
            try_cluster(search, mode, b);
        }
    }
}

/* Visit the nodes on the heap. Of a node's children the one with the lower key is next, until
 * neither is of interest. */
KN_INLINE void visit(Search *search, int64_t mode) {
    const PartnerTree *tree = search->tree;
    while (search->top >= 0 && tree->keys[0] < bar(search)) {
        int64_t node = pop(tree, search->top--);
        double key = -INFINITY;
        for (int64_t child; key < bar(search) && (child = branch_of(tree, node)[CHILD]) >= 0;) {
            const double one = key_of(search, mode, child);
            const double two = key_of(search, mode, child + 1);
            node = two < one ? child + 1 : child;
            push(search, two < one ? child : child + 1, max_f64(one, two));
            key = min_f64(one, two);
        }
        if (key < bar(search)) {
            try_leaf(search, mode, branch_of(tree, node));
        } else {
            push(search, node, key);
        }
    }
}

/* Order what is on the heap, and within the limit, by place. */
static void order_by_place(Search *search) {
    const int64_t count = search->top + 1;
    search->top = -1;
    for (int64_t i = 0; i < count; i++) {
        const int64_t node = search->tree->heap[i];
        const int32_t first_place = branch_of(search->tree, node)[FIRST_PLACE];
        if (search->tree->keys[i] <= search->limit && first_place < search->before) {
            push(search, node, (double)first_place);
        }
    }
}

/* Find the lowest cost, which ties cannot hold up; then the first cluster in the list within TIE
 * of it. Of those tried that is chosen, and all others are still on the heap. A search begins in
 * the leaf of the cluster itself, where near ones are, and goes on beside the nodes above it. */
KN_INLINE void find(Search *search, int64_t mode) {
    const PartnerTree *tree = search->tree;
    for (bool anew = true;; anew = search->unsure) {
        for (int64_t i = 0; anew && i < search->sharers; i++) {
            try_cluster(search, mode, tree->candidates[i]);
        }
        if (anew) {
            int64_t node = tree->leaf_of[search->a];
            search->top = -1;
            try_leaf(search, mode, branch_of(tree, node));
            for (int64_t parent; (parent = branch_of(tree, node)[PARENT]) >= 0; node = parent) {
                const int64_t child = branch_of(tree, parent)[CHILD];
                const int64_t beside = child == node ? child + 1 : child;
                push(search, beside, key_of(search, mode, beside));
            }
        }
        visit(search, mode);
        if (search->by_place || search->chosen < 0) {
            return;
        }
        search->by_place = true;
        search->before = info_of(search->state->clusters, search->chosen)[PLACE];
        order_by_place(search);
    }
}

/* Each mode has code of its own. Where no cost is finite any cluster will do. */
Partner kn_merging_cheapest_partner(const MergeState *state, const PartnerTree *tree, int64_t a) {
    Search search = {.state = state, .tree = tree, .a = a, .before = NOTHING, .chosen = -1};
    search.sharers = find_sharers(state, tree, a);
    search.lowest = search.limit = search.others = search.best.cost = INFINITY;
    switch (state->mode) {
    case EXTENT:
        find(&search, EXTENT);
        break;
    case RELEASE:
        find(&search, RELEASE);
        break;
    case CLUSTER:
        find(&search, CLUSTER);
        break;
    default:
        find(&search, SUPPRESS);
    }
    for (int64_t b = 0; search.chosen < 0; b++) {
        search.chosen = b != a && info_of(state->clusters, b)[SIZE] > 0 ? b : -1;
    }
    return (Partner){search.chosen, search.best.cost, search.best.side, search.tried};
}
