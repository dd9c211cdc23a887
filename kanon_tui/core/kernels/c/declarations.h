/* Generated from the Python declarations; do not edit.
 * Renew with: python -m kanon_tui.core.kernels.header
 */
#ifndef KANON_DECLARATIONS_H
#define KANON_DECLARATIONS_H

#include <stdbool.h>
#include <stdint.h>


#define ALIVE 4
#define ALLOWABLE 0
#define ALL_HIGH 1
#define ALL_LOW 0
#define BEGIN 0
#define BITS 3
#define CHAIN 4
#define CHILD 2
#define CLOSED 0
#define CLUSTER 2
#define CLUSTERS_LEFT 2
#define COUNTED_RANKS 64
#define COUNTED_RANKS_PER_ROW 4
#define CUT 1
#define EMPHASIS 6
#define END 1
#define EXTENT 0
#define FIRST 5
#define FIRST_PLACE 5
#define FOLLOWING 0
#define HEAD 2
#define HIDDEN_CELL -1
#define HIDE 3
#define HIDE_NONE 0
#define HIDE_OTHER 2
#define HIDE_SMALL 1
#define HIGH 1
#define HIGHEST 2
#define IMPORTANCE 8
#define KIND 0
#define LEAF 8
#define LEAST_HIDE 3
#define LEAST_SHOWN 2
#define LINE 0
#define LOW 0
#define LOWEST 0
#define MEDIAN 1
#define MERGES 3
#define MISSING 2
#define MISSING_PLACE 0x1.fffffffffffffp+1023
#define MIXED 2
#define MOST_SHARERS 4096
#define NEW_CLASS -1
#define NEXT_PLACE 0
#define NOBODY -2
#define NOTHING 2147483647
#define NO_RECORD -1
#define OFTEN 9
#define PARENT 3
#define PLACE 1
#define RELAXED 2
#define RELEASE 1
#define RULE_WORDS 7
#define SECOND 6
#define SECOND_HIGHEST 3
#define SECOND_LOWEST 1
#define SET 2
#define SHIFT 1
#define SIZE 0
#define SOME_HIGH 1
#define SOME_LOW 0
#define START 1
#define SUPPRESS 3
#define TAIL 3
#define TIE 0x1.12e0be826d695p-30
#define TREE 1
#define UNDER_K 1
#define UNIT 0
#define VALUES 4
#define WEIGHT 4
#define WHOLE 5
#define WORD_BITS 64

typedef struct {
    const int64_t *facts;
    int64_t facts_shape0;
    int64_t facts_shape1;
    const double *prices;
    int64_t prices_shape0;
    int64_t prices_shape1;
    const double *line;
    int64_t line_shape0;
    const int32_t *nodes;
    int64_t nodes_shape0;
    int64_t nodes_shape1;
    const double *importance;
    int64_t importance_shape0;
    int64_t importance_shape1;
} Attributes;

typedef struct {
    double *boxes;
    int64_t boxes_shape0;
    int64_t boxes_shape1;
    int64_t boxes_shape2;
    int32_t *shown;
    int64_t shown_shape0;
    int64_t shown_shape1;
    double *extents;
    int64_t extents_shape0;
    int64_t extents_shape1;
    uint64_t *words;
    int64_t words_shape0;
    int64_t words_shape1;
    int32_t *info;
    int64_t info_shape0;
    int64_t info_shape1;
    int32_t *links;
    int64_t links_shape0;
    int64_t links_shape1;
    bool *hidden;
    int64_t hidden_shape0;
    int64_t hidden_shape1;
} BoxClusters;

typedef struct {
    const Attributes *attributes;
    const BoxClusters *clusters;
    double *load;
    int64_t load_shape0;
    double *kept;
    int64_t kept_shape0;
    int64_t records;
    int64_t mode;
} MergeState;

typedef struct {
    int32_t *branches;
    int64_t branches_shape0;
    int64_t branches_shape1;
    double *reach;
    int64_t reach_shape0;
    int64_t reach_shape1;
    int64_t reach_shape2;
    double *others;
    int64_t others_shape0;
    int64_t others_shape1;
    int64_t others_shape2;
    uint64_t *all_words;
    int64_t all_words_shape0;
    int64_t all_words_shape1;
    uint64_t *some_words;
    int64_t some_words_shape0;
    int64_t some_words_shape1;
    int32_t *leaf_of;
    int64_t leaf_of_shape0;
    const int32_t *rare_starts;
    int64_t rare_starts_shape0;
    const int32_t *rare_rows;
    int64_t rare_rows_shape0;
    int32_t *owner;
    int64_t owner_shape0;
    int32_t *heap;
    int64_t heap_shape0;
    double *keys;
    int64_t keys_shape0;
    int32_t *candidates;
    int64_t candidates_shape0;
    int64_t *alone;
    int64_t alone_shape0;
} PartnerTree;

typedef struct {
    int32_t *at;
    int64_t at_shape0;
    int32_t *touched;
    int64_t touched_shape0;
    int64_t *tally;
    int64_t tally_shape0;
} ClusterList;

typedef struct {
    int64_t cluster;
    double cost;
    int64_t side;
    int64_t tried;
} Partner;

typedef struct {
    const int64_t *offsets;
    int64_t offsets_shape0;
    const bool *ordered;
    int64_t ordered_shape0;
    const double *places;
    int64_t places_shape0;
    const double *weights;
    int64_t weights_shape0;
    const int32_t *levels;
    int64_t levels_shape0;
    int64_t levels_shape1;
    const double *covers;
    int64_t covers_shape0;
    int64_t covers_shape1;
} Axes;

typedef struct {
    int32_t *table;
    int64_t table_shape0;
    int64_t table_shape1;
    int32_t *rows;
    int64_t rows_shape0;
    int64_t *copies;
    int64_t copies_shape0;
    bool *begins;
    int64_t begins_shape0;
    int64_t *stack;
    int64_t stack_shape0;
    int64_t stack_shape1;
    int32_t *seen;
    int64_t seen_shape0;
    int64_t *event;
    int64_t event_shape0;
    int64_t *tried;
    int64_t tried_shape0;
} Parts;

typedef struct {
    int32_t *table;
    int64_t table_shape0;
    int64_t table_shape1;
    int32_t *rows;
    int64_t rows_shape0;
    int64_t *copies;
    int64_t copies_shape0;
    int32_t *column;
    int64_t column_shape0;
    int64_t *keys;
    int64_t keys_shape0;
    int64_t *counts;
    int64_t counts_shape0;
    double *widths;
    int64_t widths_shape0;
    int64_t *part;
    int64_t part_shape0;
} PartScratch;

typedef struct {
    int64_t depth;
    int64_t decided;
    int64_t cuts;
    double saved;
} Advanced;

typedef struct {
    int64_t nodes;
    int64_t depth;
} Leaves;

typedef struct {
    int32_t *of;
    int64_t of_shape0;
    int32_t *following;
    int64_t following_shape0;
    const int32_t *type_of;
    int64_t type_of_shape0;
    const int32_t *near;
    int64_t near_shape0;
    int64_t near_shape1;
    int32_t *head;
    int64_t head_shape0;
    int32_t *size;
    int64_t size_shape0;
    int32_t *block;
    int64_t block_shape0;
    int64_t *changed;
    int64_t changed_shape0;
    int64_t *tried;
    int64_t tried_shape0;
    int64_t *busy;
    int64_t busy_shape0;
    int32_t *refused;
    int64_t refused_shape0;
    int64_t refused_shape1;
} RefinedClasses;

typedef struct {
    int32_t *classes;
    int64_t classes_shape0;
    int64_t classes_shape1;
    int32_t *ends;
    int64_t ends_shape0;
    int32_t *record;
    int64_t record_shape0;
    int32_t *side;
    int64_t side_shape0;
    double *saved;
    int64_t saved_shape0;
    double *extents;
    int64_t extents_shape0;
    int64_t extents_shape1;
    double *broken;
    int64_t broken_shape0;
    int64_t broken_shape1;
    int32_t *partner;
    int64_t partner_shape0;
    double *votes;
    int64_t votes_shape0;
    int32_t *slot;
    int64_t slot_shape0;
    int32_t *kept;
    int64_t kept_shape0;
    int32_t *tested;
    int64_t tested_shape0;
} Proposals;

typedef struct {
    const Attributes *attributes;
    const int32_t *values;
    int64_t values_shape0;
    int64_t values_shape1;
    const int32_t *rule_sides;
    int64_t rule_sides_shape0;
    int64_t rule_sides_shape1;
    const double *rates;
    int64_t rates_shape0;
    const double *rule_rates;
    int64_t rule_rates_shape0;
} RecordCosts;

typedef struct {
    int32_t *record;
    int64_t record_shape0;
    int32_t *type;
    int64_t type_shape0;
    int32_t *side;
    int64_t side_shape0;
    bool *narrows;
    int64_t narrows_shape0;
    double *growth;
    int64_t growth_shape0;
    int64_t growth_shape1;
    int32_t *size;
    int64_t size_shape0;
    int32_t *shown;
    int64_t shown_shape0;
    int64_t shown_shape1;
    int32_t *ends;
    int64_t ends_shape0;
    int64_t ends_shape1;
    int64_t ends_shape2;
    int32_t *counts;
    int64_t counts_shape0;
    int64_t counts_shape1;
    int32_t *distinct;
    int64_t distinct_shape0;
    int64_t distinct_shape1;
    int32_t *on_rule;
    int64_t on_rule_shape0;
    int64_t on_rule_shape1;
    int64_t on_rule_shape2;
} TwoSides;

typedef struct {
    int64_t k;
    int64_t partners;
    int64_t records;
    int64_t work;
} RefineLimits;

typedef struct {
    int64_t proposals;
    int64_t following;
} Proposed;

#pragma GCC visibility push(default)

int64_t kn_merging_advance(const MergeState *state, const PartnerTree *tree, const ClusterList *listed, int64_t turn, int64_t k, int64_t decisions);
int64_t kn_merging_best_partners(const MergeState *state, int64_t a, int32_t *found, int64_t found_shape0, double *costs, int64_t costs_shape0);
Partner kn_merging_cheapest_partner(const MergeState *state, const PartnerTree *tree, int64_t a);
void kn_merging_label_rows(const BoxClusters *clusters, const int32_t *listed, int64_t listed_shape0, int32_t *labels, int64_t labels_shape0);
void kn_merging_merge_runs(const MergeState *state, const int64_t *starts, int64_t starts_shape0);
int64_t kn_merging_next_small(const BoxClusters *clusters, const ClusterList *listed, int64_t turn, int64_t k);
double kn_merging_power(double x, double y);
void kn_merging_union_extents(const MergeState *state, int64_t a, int64_t b, int64_t side, double *wide, int64_t wide_shape0, bool *hidden, int64_t hidden_shape0);
Advanced kn_mondrian_advance(const Axes *axes, const Parts *parts, const PartScratch *scratch, int64_t depth, int64_t decisions, int64_t k, int64_t where);
double kn_mondrian_loss(const Axes *axes, const int64_t *part, int64_t part_shape0);
void kn_mondrian_measure(const Axes *axes, const Parts *parts, int64_t start, int64_t end, int64_t level);
Leaves kn_partner_tree_divide_into_leaves(const Attributes *attributes, const double *boxes, int64_t boxes_shape0, int64_t boxes_shape1, int64_t boxes_shape2, int64_t columns, const double *scale, int64_t scale_shape0, int32_t *order, int64_t order_shape0, int32_t *branches, int64_t branches_shape0, int64_t branches_shape1);
void kn_partner_tree_fill_nodes(const Attributes *attributes, const BoxClusters *clusters, const PartnerTree *tree);
void kn_partner_tree_refresh(const Attributes *attributes, const BoxClusters *clusters, const PartnerTree *tree, int64_t c);
void kn_refining_carry_out(const RefinedClasses *classes, const Proposals *proposals, int64_t p, int64_t other, int64_t batch);
void kn_refining_look_along(const Attributes *attributes, const double *rates, int64_t rates_shape0, const int32_t *rows, int64_t rows_shape0, int64_t rows_shape1, const int32_t *order, int64_t order_shape0, int64_t reach, int32_t *near, int64_t near_shape0, int64_t near_shape1, double *away, int64_t away_shape0, int64_t away_shape1);
Proposed kn_refining_propose(const RecordCosts *costs, const RefinedClasses *classes, const TwoSides *sides, const Proposals *proposals, const RefineLimits *limits, int64_t begin, int64_t batch);

#pragma GCC visibility pop

#endif
