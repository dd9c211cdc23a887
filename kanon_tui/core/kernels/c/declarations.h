/* Generated from the Python declarations; do not edit.
 * Renew with: python -m kanon_tui.core.kernels.header
 */
#ifndef KANON_DECLARATIONS_H
#define KANON_DECLARATIONS_H

#include <stdbool.h>
#include <stdint.h>


#define ALIVE 4
#define ALLOWABLE 0
#define BEGIN 0
#define BITS 3
#define CHAIN 4
#define CHILD 2
#define CLOSED 0
#define CLUSTERS_LEFT 2
#define COUNTED_RANKS 64
#define COUNTED_RANKS_PER_ROW 4
#define CUT 1
#define EARLIER 0
#define EMPHASIS 6
#define END 1
#define FIRST 5
#define FIRST_PLACE 5
#define FOLLOWING 0
#define FRESH -1
#define HEAD 2
#define HIDE 3
#define HIGH 1
#define IMPORTANCE 8
#define KIND 0
#define LATER 1
#define LEAF 8
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
#define PARENT 3
#define PLACE 1
#define REACH_HIGH 1
#define REACH_LOW 0
#define RELAXED 2
#define RULE_WORDS 7
#define SECOND 6
#define SET 2
#define SHIFT 1
#define SIDE_BOXES 4
#define SIZE 0
#define SPLIT 1
#define SPLIT_ROWS_PER_CALL 1000000
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
    const Attributes *attributes;
    const int32_t *values;
    int64_t values_shape0;
    int64_t values_shape1;
    const int32_t *counts;
    int64_t counts_shape0;
} PricedRows;

typedef struct {
    int32_t *order;
    int64_t order_shape0;
    bool *begins;
    int64_t begins_shape0;
    int64_t *stack;
    int64_t stack_shape0;
    int64_t stack_shape1;
    double *extents;
    int64_t extents_shape0;
    int64_t *event;
    int64_t event_shape0;
} OpenGroups;

typedef struct {
    int32_t *low;
    int64_t low_shape0;
    int64_t low_shape1;
    int32_t *high;
    int64_t high_shape0;
    int64_t high_shape1;
    int32_t *close_low;
    int64_t close_low_shape0;
    int32_t *close_high;
    int64_t close_high_shape0;
    uint64_t *words;
    int64_t words_shape0;
    int64_t words_shape1;
    bool *present;
    int64_t present_shape0;
    int64_t present_shape1;
    int32_t *side_of;
    int64_t side_of_shape0;
    double *scores;
    int64_t scores_shape0;
    int32_t *members;
    int64_t members_shape0;
    int32_t *others;
    int64_t others_shape0;
    int32_t *widened_first;
    int64_t widened_first_shape0;
    int32_t *taken;
    int64_t taken_shape0;
    int32_t *on_second;
    int64_t on_second_shape0;
    int32_t *passed;
    int64_t passed_shape0;
    int32_t *ahead;
    int64_t ahead_shape0;
} SplitScratch;

typedef struct {
    int64_t k;
    int64_t rounds;
    bool per_record;
    int64_t large;
    bool close;
} SplitSettings;

typedef struct {
    int32_t *rows;
    int64_t rows_shape0;
    int64_t rows_shape1;
    int64_t rows_shape2;
    int32_t *heads;
    int64_t heads_shape0;
    int32_t *values;
    int64_t values_shape0;
} RowLinks;

typedef struct {
    const double *values;
    int64_t values_shape0;
    int64_t values_shape1;
    const int32_t *begins;
    int64_t begins_shape0;
    const double *stand_in;
    int64_t stand_in_shape0;
    double rounding;
} SignedSums;

typedef struct {
    int32_t *branches;
    int64_t branches_shape0;
    int64_t branches_shape1;
    int32_t *reach;
    int64_t reach_shape0;
    int64_t reach_shape1;
    int64_t reach_shape2;
    uint64_t *words;
    int64_t words_shape0;
    int64_t words_shape1;
    int32_t *items;
    int64_t items_shape0;
    int32_t *leaf_of;
    int64_t leaf_of_shape0;
    const RowLinks *links;
    const SignedSums *sums;
    double *sums_reach;
    int64_t sums_reach_shape0;
    int64_t sums_reach_shape1;
    int64_t sums_reach_shape2;
    int32_t *stack;
    int64_t stack_shape0;
    double *bounds;
    int64_t bounds_shape0;
} GroupTree;

typedef struct {
    const GroupTree *near;
    const GroupTree *turns;
} GroupTrees;

typedef struct {
    int64_t depth;
    int64_t decided;
    int64_t splits;
    int64_t used;
    int64_t passed;
    double saved;
    int64_t level;
    int64_t looked_at;
} Splits;

typedef struct {
    int64_t nodes;
    int64_t depth;
} Divided;

#pragma GCC visibility push(default)

Advanced kn_mondrian_advance(const Axes *axes, const Parts *parts, const PartScratch *scratch, int64_t depth, int64_t decisions, int64_t k, int64_t where);
double kn_mondrian_loss(const Axes *axes, const int64_t *part, int64_t part_shape0);
void kn_mondrian_measure(const Axes *axes, const Parts *parts, int64_t start, int64_t end, int64_t level);
void kn_splitting_measure_groups(const PricedRows *table, const OpenGroups *groups, const SplitScratch *scratch, int64_t depth);
Splits kn_splitting_split_groups(const PricedRows *table, const OpenGroups *groups, const SplitSettings *settings, const SplitScratch *scratch, const GroupTrees *trees, int64_t level, const double *draws, int64_t draws_shape0, int64_t depth, int64_t decisions);
Divided kn_splitting_tree_divide_in_turn(int64_t rows, int32_t *branches, int64_t branches_shape0, int64_t branches_shape1);
Divided kn_splitting_tree_divide_near(const Attributes *attributes, const double *places, int64_t places_shape0, int64_t places_shape1, const double *scale, int64_t scale_shape0, int32_t *order, int64_t order_shape0, int32_t *branches, int64_t branches_shape0, int64_t branches_shape1);
void kn_splitting_tree_fill_nodes(const PricedRows *table, const GroupTree *tree);
void kn_splitting_tree_link_rows(const PricedRows *table, const int32_t *members, int64_t members_shape0, const RowLinks *links);

#pragma GCC visibility pop

#endif
