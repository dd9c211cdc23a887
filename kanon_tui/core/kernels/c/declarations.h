/* Generated from the Python declarations; do not edit.
 * Renew with: python -m kanon_tui.core.kernels.header
 */
#ifndef KANON_DECLARATIONS_H
#define KANON_DECLARATIONS_H

#include <stdbool.h>
#include <stdint.h>


#define ALLOWABLE 0
#define BITS 3
#define CHAIN 4
#define CLOSED 0
#define CLUSTERS_CLOSED 1
#define CLUSTERS_LEFT 2
#define CLUSTER_CLOSED 2
#define CLUSTER_GROWN 1
#define CLUSTER_STARTED 0
#define COUNTED_RANKS 64
#define COUNTED_RANKS_PER_ROW 4
#define CUT 1
#define EMPHASIS 6
#define FIRST 5
#define FOLLOWING 0
#define GONE 2147483647
#define GROWING_SIZE 2
#define HEAD 2
#define HIDE 3
#define HIGH 1
#define IMPORTANCE 8
#define KIND 0
#define LINE 0
#define LOW 0
#define MEDIAN 1
#define MERGES 3
#define MISSING 2
#define MISSING_PLACE 0x1.fffffffffffffp+1023
#define MIXED 2
#define NEXT_PLACE 0
#define NOTHING 2147483647
#define OFTEN 9
#define PLACE 1
#define PLACE_IN_ORDER 0
#define RELAXED 2
#define RULE_WORDS 7
#define SECOND 6
#define SET 2
#define SHIFT 1
#define SIZE 0
#define START 1
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
    const double *places;
    int64_t places_shape0;
    int64_t places_shape1;
    const int32_t *labels;
    int64_t labels_shape0;
    int64_t labels_shape1;
    const double *weights;
    int64_t weights_shape0;
    int64_t weights_shape1;
    int32_t *row;
    int64_t row_shape0;
    int32_t *start;
    int64_t start_shape0;
    int32_t *end;
    int64_t end_shape0;
    int32_t *child;
    int64_t child_shape0;
    int32_t *parent;
    int64_t parent_shape0;
    int32_t *waiting;
    int64_t waiting_shape0;
    double *values;
    int64_t values_shape0;
    int32_t *spare;
    int64_t spare_shape0;
} TreeGrowth;

typedef struct {
    const int32_t *row;
    int64_t row_shape0;
    const double *places;
    int64_t places_shape0;
    int64_t places_shape1;
    const int32_t *labels;
    int64_t labels_shape0;
    int64_t labels_shape1;
    int32_t *record;
    int64_t record_shape0;
    int32_t *leaf;
    int64_t leaf_shape0;
    const int32_t *start;
    int64_t start_shape0;
    const int32_t *end;
    int64_t end_shape0;
    const int32_t *child;
    int64_t child_shape0;
    const int32_t *parent;
    int64_t parent_shape0;
    int32_t *first;
    int64_t first_shape0;
    double *low;
    int64_t low_shape0;
    int64_t low_shape1;
    double *high;
    int64_t high_shape0;
    int64_t high_shape1;
    bool *blank;
    int64_t blank_shape0;
    int64_t blank_shape1;
    uint64_t *sets;
    int64_t sets_shape0;
    int64_t sets_shape1;
} BoxTree;

typedef struct {
    double *place;
    int64_t place_shape0;
    double *total;
    int64_t total_shape0;
    int64_t *terms;
    int64_t terms_shape0;
    bool *blank;
    int64_t blank_shape0;
    double *distance;
    int64_t distance_shape0;
    const int64_t *offsets;
    int64_t offsets_shape0;
    const int64_t *slot;
    int64_t slot_shape0;
    const int64_t *columns;
    int64_t columns_shape0;
    uint64_t *words;
    int64_t words_shape0;
    int64_t words_shape1;
    double *least;
    int64_t least_shape0;
    uint64_t *zero;
    int64_t zero_shape0;
} Centre;

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
    const int64_t *offsets;
    int64_t offsets_shape0;
    const int64_t *missing;
    int64_t missing_shape0;
    int64_t *present;
    int64_t present_shape0;
    const int64_t *columns;
    int64_t columns_shape0;
    const int32_t *cell;
    int64_t cell_shape0;
    int64_t cell_shape1;
    const int32_t *group;
    int64_t group_shape0;
    const int32_t *value;
    int64_t value_shape0;
    int32_t *counts;
    int64_t counts_shape0;
    const int64_t *starts;
    int64_t starts_shape0;
    int64_t *size;
    int64_t size_shape0;
    int64_t *chosen;
    int64_t chosen_shape0;
    bool *in_group;
    int64_t in_group_shape0;
    int64_t *keys;
    int64_t keys_shape0;
    int64_t *order;
    int64_t order_shape0;
} Contingency;

typedef struct {
    int32_t *node;
    int64_t node_shape0;
    double *bound;
    int64_t bound_shape0;
    double *best;
    int64_t best_shape0;
    int32_t *found;
    int64_t found_shape0;
    double *away;
    int64_t away_shape0;
    int32_t *spare_found;
    int64_t spare_found_shape0;
    double *spare_away;
    int64_t spare_away_shape0;
    int64_t *state;
    int64_t state_shape0;
} NearestSearch;

typedef struct {
    const int32_t *order;
    int64_t order_shape0;
    const int32_t *row;
    int64_t row_shape0;
    const int32_t *position;
    int64_t position_shape0;
    const int32_t *records;
    int64_t records_shape0;
    const int32_t *end;
    int64_t end_shape0;
    int32_t *left;
    int64_t left_shape0;
    int32_t *members;
    int64_t members_shape0;
    int32_t *labels;
    int64_t labels_shape0;
    int64_t *state;
    int64_t state_shape0;
} Growth;

typedef struct {
    int64_t decided;
    int64_t kind;
    double away;
} Grown;

typedef struct {
    const double *place;
    int64_t place_shape0;
    int64_t place_shape1;
    const int64_t *value;
    int64_t value_shape0;
    int64_t value_shape1;
    double *total;
    int64_t total_shape0;
    int64_t total_shape1;
    int64_t *terms;
    int64_t terms_shape0;
    int64_t terms_shape1;
    bool *blank;
    int64_t blank_shape0;
    int64_t blank_shape1;
    double *category;
    int64_t category_shape0;
    int64_t category_shape1;
    int64_t category_shape2;
    double *away;
    int64_t away_shape0;
} LeftoverDistances;

typedef struct {
    int64_t cluster;
    double away;
} NearestCluster;

#pragma GCC visibility push(default)

int64_t kn_box_tree_divide_rows(const TreeGrowth *growth);
void kn_box_tree_fit_boxes(const BoxTree *tree);
void kn_box_tree_take(const BoxTree *tree, int64_t position, int64_t next_record);
void kn_cluster_centre_fill_words(const BoxTree *tree, const Centre *centre);
Advanced kn_mondrian_advance(const Axes *axes, const Parts *parts, const PartScratch *scratch, int64_t depth, int64_t decisions, int64_t k, int64_t where);
double kn_mondrian_loss(const Axes *axes, const int64_t *part, int64_t part_shape0);
void kn_mondrian_measure(const Axes *axes, const Parts *parts, int64_t start, int64_t end, int64_t level);
Grown kn_similarity_advance(const BoxTree *tree, const Contingency *table, const Centre *centre, const NearestSearch *search, const Growth *growth, int64_t k, bool spatial, int64_t decisions);
NearestCluster kn_similarity_join_nearest_cluster(const LeftoverDistances *leftovers, int64_t i, bool spatial);
int64_t kn_similarity_measure_leftovers(const BoxTree *tree, const Contingency *table, const Centre *centre, const Growth *growth, const LeftoverDistances *leftovers, int64_t k, bool spatial, int64_t cluster);

#pragma GCC visibility pop

#endif
