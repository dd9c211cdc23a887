/* The tree over clusters: sort boxes into leaves, and keep bounds on the boxes of every node. */
#include "box_clusters.h"
#include "kernel.h"
#include "sorting.h"

/* Boxes that are sampled to decide where a node is divided. */
#define SAMPLE 32
/* The weight of a larger set against a set with other values. */
#define MORE_VALUES 2.0

typedef struct {
    double gain;  /* how well the boundary separates boxes, 0 where there is none */
    double value; /* the first of the upper side */
} Boundary;

/* Find the boundary of an attribute in a sorted sample. */
static Boundary find_boundary(const Attributes *attributes, int64_t x, int64_t column,
                              const double *sample, int64_t size) {
    const Boundary none = {0.0, 0.0};
    int64_t cut = 0;
    for (int64_t i = 1; i < size; i++) {
        if (sample[i - 1] < sample[i] && abs_i64(2 * i - size) < abs_i64(2 * cut - size)) {
            cut = i;
        }
    }
    if (cut == 0) {
        return none;
    }
    const double low = sample[cut / 2], high = sample[(cut + size) / 2];
    if (high == INFINITY) { /* hidden cells cost nothing, wherever they are */
        return none;
    }
    double crossing;
    if (fact(attributes, x, KIND) != SET) {
        crossing = width(attributes, x, low, high);
    } else if (column == LOW) {
        crossing = set_extent(attributes, x, 2);
    } else {
        crossing = MORE_VALUES * price(attributes, x, UNIT) * (high - low);
    }
    return (Boundary){crossing * (double)min_i64(cut, size - cut), sample[cut]};
}

typedef struct {
    const Attributes *attributes;
    const double *boxes;
    int64_t width, depth; /* attributes, and numbers per attribute, of a box */
    int64_t columns;
    const double *scale;
    int32_t *order;
} Division;

KN_INLINE double number_of(const Division *division, int64_t i, int64_t x, int64_t column) {
    const int64_t box = division->order[i];
    return division->boxes[(box * division->width + x) * division->depth + column];
}

/* Divide a run of boxes in place where that parts most of them by the costliest difference, which
 * a sample decides. Return where the upper side begins. */
static int64_t divide(const Division *division, int64_t begin, int64_t end) {
    const int64_t size = end - begin, picks = min_i64(size, SAMPLE);
    double sample[SAMPLE], best = 0.0, value = 0.0;
    int64_t best_x = -1, best_column = 0;
    for (int64_t x = 0; x < division->width; x++) {
        const bool is_set = fact(division->attributes, x, KIND) == SET;
        for (int64_t column = 0; column < (is_set ? division->columns : 1); column++) {
            for (int64_t i = 0; i < picks; i++) {
                sample[i] = number_of(division, begin + i * size / picks, x, column);
            }
            sort_f64(sample, picks);
            const Boundary found = find_boundary(division->attributes, x, column, sample, picks);
            if (found.gain * division->scale[x] > best) {
                best = found.gain * division->scale[x];
                best_x = x;
                best_column = column;
                value = found.value;
            }
        }
    }
    if (best_x < 0) {
        return begin + size / 2;
    }
    int64_t middle = begin;
    for (int64_t i = begin; i < end; i++) {
        if (number_of(division, i, best_x, best_column) < value) {
            const int32_t swapped = division->order[middle];
            division->order[middle++] = division->order[i];
            division->order[i] = swapped;
        }
    }
    return middle;
}

static void write_branch(int32_t *branch, int64_t begin, int64_t end, int64_t parent) {
    branch[BEGIN] = (int32_t)begin;
    branch[END] = (int32_t)end;
    branch[CHILD] = -1;
    branch[PARENT] = (int32_t)parent;
}

/* Nodes are visited depth first, and numbered when their parent is. */
Leaves kn_partner_tree_divide_into_leaves(const Attributes *attributes, const double *boxes,
                                          int64_t boxes_shape0, int64_t boxes_shape1,
                                          int64_t boxes_shape2, int64_t columns,
                                          const double *scale, int64_t scale_shape0, int32_t *order,
                                          int64_t order_shape0, int32_t *branches,
                                          int64_t branches_shape0, int64_t branches_shape1) {
    const Division division = {attributes, boxes, boxes_shape1, boxes_shape2,
                               columns,    scale, order};
    (void)boxes_shape0, (void)scale_shape0, (void)branches_shape0;
    int64_t count = 1, deepest = 1, node = 0, depth = 1;
    write_branch(branches, 0, order_shape0, -1);
    for (;;) {
        int32_t *branch = branches + node * branches_shape1;
        const int64_t begin = branch[BEGIN], end = branch[END];
        if (end - begin > LEAF) {
            const int64_t middle = divide(&division, begin, end);
            branch[CHILD] = (int32_t)count;
            write_branch(branches + count * branches_shape1, begin, middle, node);
            write_branch(branches + (count + 1) * branches_shape1, middle, end, node);
            node = count;
            count += 2;
            deepest = max_i64(deepest, ++depth);
            continue;
        }
        /* Up to the nearest first child, whose sibling comes next. */
        while (node > 0) {
            const int64_t parent = branches[node * branches_shape1 + PARENT];
            if (branches[parent * branches_shape1 + CHILD] == node) {
                break;
            }
            node = parent;
            depth--;
        }
        if (node == 0) {
            return (Leaves){count, deepest};
        }
        node++;
    }
}

/* The clusters of a leaf, or the two children of a node. */
typedef struct {
    const BoxClusters *clusters;
    const PartnerTree *tree;
    const int32_t *branch;
    int64_t node;
    int64_t child; /* -1: a leaf */
} Node;

static Node node_of(const BoxClusters *clusters, const PartnerTree *tree, int64_t node) {
    const int32_t *branch = tree->branches + node * tree->branches_shape1;
    return (Node){clusters, tree, branch, node, branch[CHILD]};
}

KN_INLINE bool is_there(const BoxClusters *clusters, int64_t c) {
    return info_of(clusters, c)[SIZE] > 0;
}

/* Each of the following functions computes bounds of a node and returns whether they changed:
 * first the parts that all its boxes have in common, then those that some of them have, and the
 * least that a merge with one of them adds. */
static bool fit_reach(const Attributes *attributes, const Node *at) {
    const BoxClusters *clusters = at->clusters;
    const int64_t width = at->tree->reach_shape1, known = at->tree->reach_shape2;
    bool changed = false;
    for (int64_t x = 0; x < width; x++) {
        double now[] = {-INFINITY, INFINITY, INFINITY, -INFINITY, INFINITY, INFINITY};
        if (at->child >= 0) {
            for (int64_t i = at->child; i < at->child + 2; i++) {
                const double *of_child = at->tree->reach + (i * width + x) * known;
                for (int64_t column = 0; column < known; column++) {
                    const bool highest = column == ALL_LOW || column == SOME_HIGH;
                    now[column] = highest ? max_f64(now[column], of_child[column])
                                          : min_f64(now[column], of_child[column]);
                }
            }
        } else {
            for (int64_t c = at->branch[BEGIN]; c < at->branch[END]; c++) {
                if (is_there(clusters, c)) {
                    const double *box = box_of(clusters, c, x);
                    const double shown = clusters->shown[cell(clusters, c, x)];
                    const double wide = clusters->extents[cell(clusters, c, x)];
                    now[ALL_LOW] = max_f64(now[ALL_LOW], box[LOW]);
                    now[ALL_HIGH] = min_f64(now[ALL_HIGH], box[HIGH]);
                    now[SOME_LOW] = min_f64(now[SOME_LOW], box[LOW]);
                    now[SOME_HIGH] = max_f64(now[SOME_HIGH], box[HIGH]);
                    now[LEAST_SHOWN] = min_f64(now[LEAST_SHOWN], shown);
                    now[LEAST_HIDE] =
                        min_f64(now[LEAST_HIDE], shown * (price(attributes, x, HIDE) - wide));
                }
            }
        }
        double *reach = at->tree->reach + (at->node * width + x) * known;
        for (int64_t column = 0; column < known; column++) {
            changed |= KN_SET(reach[column], now[column]);
        }
    }
    return changed;
}

/* Set the bits that all boxes have, and the bits that some have. */
static bool fit_words(const Node *at) {
    const PartnerTree *tree = at->tree;
    const int64_t words = tree->words_shape2;
    uint64_t *own = tree->words + at->node * 2 * words;
    const uint64_t *one = tree->words + at->child * 2 * words, *two = one + 2 * words;
    bool changed = false;
    for (int64_t word = 0; word < words; word++) {
        uint64_t everyone = ~UINT64_C(0), someone = 0;
        if (at->child >= 0) {
            everyone = one[word] & two[word];
            someone = one[words + word] | two[words + word];
        } else {
            for (int64_t c = at->branch[BEGIN]; c < at->branch[END]; c++) {
                if (is_there(at->clusters, c)) {
                    everyone &= words_of(at->clusters, c)[word];
                    someone |= words_of(at->clusters, c)[word];
                }
            }
        }
        changed |= KN_SET(own[word], everyone);
        changed |= KN_SET(own[words + word], someone);
    }
    return changed;
}

/* Set the first place of its clusters in the list. */
static bool fit_place(const Node *at) {
    const PartnerTree *tree = at->tree;
    int32_t *branch = tree->branches + at->node * tree->branches_shape1;
    int32_t first = NOTHING;
    if (at->child >= 0) {
        const int32_t *one = tree->branches + at->child * tree->branches_shape1;
        first = KN_MIN(one[FIRST_PLACE], one[tree->branches_shape1 + FIRST_PLACE]);
    } else {
        for (int64_t c = branch[BEGIN]; c < branch[END]; c++) {
            if (is_there(at->clusters, c)) {
                first = KN_MIN(first, info_of(at->clusters, c)[PLACE]);
            }
        }
    }
    return KN_SET(branch[FIRST_PLACE], first);
}

static bool fit(const Attributes *attributes, const Node *at) {
    const bool reach = fit_reach(attributes, at), words = fit_words(at);
    return reach || words;
}

/* Children come after their parents. */
void kn_partner_tree_fill_nodes(const Attributes *attributes, const BoxClusters *clusters,
                                const PartnerTree *tree) {
    for (int64_t node = tree->branches_shape0 - 1; node >= 0; node--) {
        const Node at = node_of(clusters, tree, node);
        fit(attributes, &at);
        fit_place(&at);
        if (at.child < 0) {
            for (int64_t c = at.branch[BEGIN]; c < at.branch[END]; c++) {
                tree->leaf_of[c] = (int32_t)node;
            }
        }
    }
}

void kn_partner_tree_refresh(const Attributes *attributes, const BoxClusters *clusters,
                             const PartnerTree *tree, int64_t c) {
    bool boxes = true, places = true;
    int64_t node = tree->leaf_of[c];
    while (node >= 0 && (boxes || places)) {
        const Node at = node_of(clusters, tree, node);
        boxes = boxes && fit(attributes, &at);
        places = places && fit_place(&at);
        node = at.branch[PARENT];
    }
}
