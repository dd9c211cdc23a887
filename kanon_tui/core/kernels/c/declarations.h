/* Generated from the Python declarations; do not edit.
 * Renew with: make header
 */
/* clang-format off */
#ifndef KANON_DECLARATIONS_H
#define KANON_DECLARATIONS_H

#include <stdbool.h>
#include <stdint.h>


enum {
    ALIVE=4, ALLOWABLE=0, ALL_HIGH=1, ALL_LOW=0, ALL_WORDS=0, AT_WORK=0, BEGIN=0, BITS=3,
    CHAIN=4, CHILD=2, CLOSED=0, CLUSTER=2, CLUSTERS_CLOSED=1, CLUSTERS_LEFT=2, CLUSTER_CLOSED=2,
    CLUSTER_GROWN=1, CLUSTER_STARTED=0, COUNTED_RANKS=64, COUNTED_RANKS_PER_ROW=4,
    CUT_ATTRIBUTE=0, CUT_MIDDLE=3, CUT_RANK=2, CUT_RECORDS=1, DISSOLVED=-3, EARLIER=0,
    EMPHASIS=6, END=1, EXTENT=0, FAILS=1, FIRST=5, FIRST_PLACE=5, FOLLOWING=0, FRESH=-1,
    GIVEN_UP=5, GONE=2147483647, GROWING_SIZE=2, HEAD=2, HIDDEN_CELL=-1, HIDE=3, HIDE_NONE=0,
    HIDE_OTHER=2, HIDE_SMALL=1, HIGH=1, HIGHEST=2, IMPORTANCE=8, KEYS_PER_BLOCK=1024,
    KEYS_PER_CHUNK=4096, KIND=0, LAST_ADDED=1, LAST_OFF=4, LATER=1, LEAF=8, LEAST_HIDE=5,
    LEAST_SHOWN=4, LEVELS_PER_WORD=8, LINE=0, LOW=0, LOWEST=0, MAJORITY=3, MEDIAN=1, MERGES=3,
    MISSING=2, MIXED=2, MIXED_LABEL=-1, MOST_REFUSED=8, MOST_SHARERS=4096, NEW_CLASS=-1,
    NEXT_PLACE=0, NOBODY=-2, NOTHING=2147483647, NOT_BEGUN=-2, NO_RECORD=-1, OFTEN=9,
    OFTEN_WORDS=10, PARENT=3, PASSES=2, PATIENCE=4, PLACE=1, PLACES_PER_CELL=8,
    PLACE_IN_ORDER=0, PROPOSAL_COLUMNS=7, REACH_HIGH=1, REACH_LOW=0, REFUSED=6, RELAXED=2,
    RELEASE=1, REMAINING=2, RULE_WORDS=7, SEARCHES=7, SECOND=6, SECOND_HIGHEST=3,
    SECOND_LOWEST=1, SET=2, SHIFT=1, SIDE_BOXES=4, SIZE=0, SOME_HIGH=3, SOME_LOW=2,
    SOME_WORDS=1, SPLIT=1, SPLIT_ROWS_PER_CALL=1000000, START=1, SUPPRESS=3, SUPPRESS_CLUSTER=4,
    TAIL=3, TREE=1, TRIED=6, UNDER_K=1, UNIT=0, UNKNOWN=0, USUAL=5, VALUES=4, WEIGHT=4, WHOLE=5,
    WORD_BITS=64
};
#define MISSING_PLACE 0x1.fffffffffffffp+1023
#define TIE 0x1.12e0be826d695p-30

typedef struct {
    const double *places; int64_t places_shape0; int64_t places_shape1;
    const int32_t *labels; int64_t labels_shape0; int64_t labels_shape1;
    const double *weights; int64_t weights_shape0; int64_t weights_shape1;
    int32_t *row; int64_t row_shape0;
    int32_t *start; int64_t start_shape0;
    int32_t *end; int64_t end_shape0;
    int32_t *child; int64_t child_shape0;
    int32_t *parent; int64_t parent_shape0;
    int32_t *waiting; int64_t waiting_shape0;
    double *values; int64_t values_shape0;
    int32_t *spare; int64_t spare_shape0;
    int32_t *counts; int64_t counts_shape0;
} TreeGrowth;

typedef struct {
    const int32_t *row; int64_t row_shape0;
    const double *places; int64_t places_shape0; int64_t places_shape1;
    const int32_t *labels; int64_t labels_shape0; int64_t labels_shape1;
    int32_t *record; int64_t record_shape0;
    int32_t *leaf; int64_t leaf_shape0;
    const int32_t *start; int64_t start_shape0;
    const int32_t *end; int64_t end_shape0;
    const int32_t *child; int64_t child_shape0;
    const int32_t *parent; int64_t parent_shape0;
    int32_t *first; int64_t first_shape0;
    double *low; int64_t low_shape0; int64_t low_shape1;
    double *high; int64_t high_shape0; int64_t high_shape1;
    bool *blank; int64_t blank_shape0; int64_t blank_shape1;
    uint64_t *sets; int64_t sets_shape0; int64_t sets_shape1;
} BoxTree;

typedef struct {
    double *place; int64_t place_shape0;
    double *total; int64_t total_shape0;
    int64_t *terms; int64_t terms_shape0;
    bool *blank; int64_t blank_shape0;
    double *distance; int64_t distance_shape0;
    const int64_t *offsets; int64_t offsets_shape0;
    const int64_t *label; int64_t label_shape0;
    const int64_t *slot; int64_t slot_shape0;
    const int64_t *columns; int64_t columns_shape0;
    uint64_t *words; int64_t words_shape0; int64_t words_shape1;
    double *least; int64_t least_shape0;
    uint64_t *zero; int64_t zero_shape0;
} Centre;

typedef struct {
    const int64_t *word; int64_t word_shape0;
    const uint64_t *shift; int64_t shift_shape0;
    const uint64_t *mask; int64_t mask_shape0;
    const int64_t *start; int64_t start_shape0; int64_t start_shape1;
    const int64_t *radix; int64_t radix_shape0; int64_t radix_shape1;
    const int32_t *labels; int64_t labels_shape0;
} TupleLayout;

typedef struct {
    int32_t *of; int64_t of_shape0;
    int32_t *sizes; int64_t sizes_shape0;
    uint64_t *keys; int64_t keys_shape0;
    int32_t *groups; int64_t groups_shape0;
} ClassSlots;

typedef struct {
    int64_t *first; int64_t first_shape0;
    uint64_t *stride; int64_t stride_shape0;
    int64_t *chunk_of; int64_t chunk_of_shape0;
    int64_t *chunk_word; int64_t chunk_word_shape0;
    uint64_t *chunk_shift; int64_t chunk_shift_shape0;
    uint64_t *chunk_mask; int64_t chunk_mask_shape0;
    int64_t *chunk_first; int64_t chunk_first_shape0;
    uint64_t *chunk_stride; int64_t chunk_stride_shape0;
    uint64_t *tables; int64_t tables_shape0; int64_t tables_shape1;
    uint64_t *keys; int64_t keys_shape0;
} KeyScratch;

typedef struct {
    const TupleLayout *layout;
    const ClassSlots *slots;
    const KeyScratch *scratch;
    int64_t k;
} ClassCounter;

typedef struct {
    const int32_t *members; int64_t members_shape0;
    const uint64_t *tuples; int64_t tuples_shape0; int64_t tuples_shape1;
    const int32_t *sizes; int64_t sizes_shape0;
} RecordGroups;

typedef struct {
    int64_t classes;
    int64_t small;
    int64_t smallest;
    int64_t group;
} CountedClasses;

typedef struct {
    const BoxTree *tree;
    bool squared;
    const double *weights; int64_t weights_shape0;
    const int32_t *shared; int64_t shared_shape0;
    const int32_t *again; int64_t again_shape0;
    const int32_t *sums; int64_t sums_shape0;
    const double *stand_in; int64_t stand_in_shape0;
    const int32_t *begins; int64_t begins_shape0;
    const int32_t *starts; int64_t starts_shape0;
    const int32_t *rows; int64_t rows_shape0;
    int32_t *columns; int64_t columns_shape0;
    double *lines; int64_t lines_shape0; int64_t lines_shape1;
    int32_t *marks; int64_t marks_shape0; int64_t marks_shape1;
    double *costs; int64_t costs_shape0;
    uint64_t *bits; int64_t bits_shape0;
    int32_t *node; int64_t node_shape0;
    double *bound; int64_t bound_shape0;
} MemberSearch;

typedef struct {
    double *low; int64_t low_shape0; int64_t low_shape1;
    double *high; int64_t high_shape0; int64_t high_shape1;
    bool *blank; int64_t blank_shape0; int64_t blank_shape1;
    int32_t *labels; int64_t labels_shape0; int64_t labels_shape1;
    int64_t *size; int64_t size_shape0;
    double *width; int64_t width_shape0;
    double *growths; int64_t growths_shape0;
} MemberClusters;

typedef struct {
    const MemberClusters *clusters;
    const int32_t *records; int64_t records_shape0;
    int32_t *begin; int64_t begin_shape0;
    const int32_t *end; int64_t end_shape0;
    int64_t k;
    double penalty;
    int64_t *class_counts; int64_t class_counts_shape0;
    int64_t *state; int64_t state_shape0;
} MemberGrowth;

typedef struct {
    int64_t decided;
    double growth;
    double score;
} GrownClusters;

typedef struct {
    int64_t position;
    double score;
    int64_t visits;
} FoundRow;

typedef struct {
    int64_t cluster;
    double growth;
} Joined;

typedef struct {
    int32_t *numbers; int64_t numbers_shape0;
    int64_t *begin; int64_t begin_shape0;
    int32_t *keys; int64_t keys_shape0;
    int32_t *sizes; int64_t sizes_shape0;
    int32_t *targets; int64_t targets_shape0;
    int32_t *records; int64_t records_shape0;
    int32_t *touched; int64_t touched_shape0;
    int32_t *columns; int64_t columns_shape0;
    int32_t *totals; int64_t totals_shape0;
    int32_t *small; int64_t small_shape0;
    int32_t *chosen; int64_t chosen_shape0;
    int64_t *sorted_labels; int64_t sorted_labels_shape0;
    int64_t *first_label; int64_t first_label_shape0;
} CubeRoom;

typedef struct {
    const int64_t *sizes; int64_t sizes_shape0;
    const int64_t *places; int64_t places_shape0;
    const int64_t *radix; int64_t radix_shape0; int64_t radix_shape1;
    const int64_t *start; int64_t start_shape0; int64_t start_shape1;
    const int32_t *parents; int64_t parents_shape0;
} LevelLattice;

typedef struct {
    int64_t *at; int64_t at_shape0;
    int64_t *levels; int64_t levels_shape0; int64_t levels_shape1;
    int64_t *begins; int64_t begins_shape0;
    int64_t *sums; int64_t sums_shape0;
    int64_t *parts; int64_t parts_shape0;
    int64_t *rows; int64_t rows_shape0;
    int64_t *strides; int64_t strides_shape0;
    int64_t *lost; int64_t lost_shape0;
    int64_t *turn; int64_t turn_shape0;
    int64_t *lowest; int64_t lowest_shape0;
    int64_t *general; int64_t general_shape0;
    int64_t *corner; int64_t corner_shape0;
    int64_t *marking; int64_t marking_shape0;
} BoxWalk;

typedef struct {
    int64_t tests;
    int64_t pruned;
    int64_t work;
    int64_t small;
} WalkedBox;

typedef struct {
    const int64_t *facts; int64_t facts_shape0; int64_t facts_shape1;
    const double *prices; int64_t prices_shape0; int64_t prices_shape1;
    const double *line; int64_t line_shape0;
    const int32_t *nodes; int64_t nodes_shape0; int64_t nodes_shape1;
    const double *importance; int64_t importance_shape0; int64_t importance_shape1;
} Attributes;

typedef struct {
    double *boxes; int64_t boxes_shape0; int64_t boxes_shape1; int64_t boxes_shape2;
    int32_t *shown; int64_t shown_shape0; int64_t shown_shape1;
    double *extents; int64_t extents_shape0; int64_t extents_shape1;
    uint64_t *words; int64_t words_shape0; int64_t words_shape1;
    int32_t *info; int64_t info_shape0; int64_t info_shape1;
    int32_t *links; int64_t links_shape0; int64_t links_shape1;
    bool *hidden; int64_t hidden_shape0; int64_t hidden_shape1;
} BoxClusters;

typedef struct {
    const Attributes *attributes;
    const BoxClusters *clusters;
    double *load; int64_t load_shape0;
    double *kept; int64_t kept_shape0;
    int64_t records;
    int64_t mode;
} MergeState;

typedef struct {
    int32_t *branches; int64_t branches_shape0; int64_t branches_shape1;
    double *reach; int64_t reach_shape0; int64_t reach_shape1; int64_t reach_shape2;
    uint64_t *words; int64_t words_shape0; int64_t words_shape1; int64_t words_shape2;
    int32_t *leaf_of; int64_t leaf_of_shape0;
    const int32_t *rare_starts; int64_t rare_starts_shape0;
    const int32_t *rare_rows; int64_t rare_rows_shape0;
    int32_t *owner; int64_t owner_shape0;
    int32_t *heap; int64_t heap_shape0;
    double *keys; int64_t keys_shape0;
    int32_t *candidates; int64_t candidates_shape0;
    int64_t *alone; int64_t alone_shape0;
} PartnerTree;

typedef struct {
    int32_t *at; int64_t at_shape0;
    int32_t *touched; int64_t touched_shape0;
    int64_t *tally; int64_t tally_shape0;
} ClusterList;

typedef struct {
    int64_t cluster;
    double cost;
    int64_t side;
    int64_t tried;
} Partner;

typedef struct {
    const int64_t *offsets; int64_t offsets_shape0;
    const bool *ordered; int64_t ordered_shape0;
    const double *places; int64_t places_shape0;
    const double *weights; int64_t weights_shape0;
    const int32_t *levels; int64_t levels_shape0; int64_t levels_shape1;
    const double *covers; int64_t covers_shape0; int64_t covers_shape1;
} Axes;

typedef struct {
    int32_t *table; int64_t table_shape0; int64_t table_shape1;
    int32_t *rows; int64_t rows_shape0;
    int64_t *copies; int64_t copies_shape0;
    bool *begins; int64_t begins_shape0;
    int64_t *stack; int64_t stack_shape0; int64_t stack_shape1;
    double *losses; int64_t losses_shape0;
    double *widths; int64_t widths_shape0; int64_t widths_shape1;
    int64_t *proposals; int64_t proposals_shape0; int64_t proposals_shape1;
    int32_t *seen; int64_t seen_shape0;
    int64_t *tried; int64_t tried_shape0;
} Parts;

typedef struct {
    int32_t *table; int64_t table_shape0; int64_t table_shape1;
    int32_t *rows; int64_t rows_shape0;
    int64_t *copies; int64_t copies_shape0;
    int32_t *column; int64_t column_shape0;
    int64_t *keys; int64_t keys_shape0;
    int64_t *counts; int64_t counts_shape0;
    double *widths; int64_t widths_shape0;
} PartScratch;

typedef struct {
    int64_t nodes;
    int64_t depth;
} Leaves;

typedef struct {
    int32_t *of; int64_t of_shape0;
    int32_t *following; int64_t following_shape0;
    const int32_t *type_of; int64_t type_of_shape0;
    const int32_t *near; int64_t near_shape0; int64_t near_shape1;
    int32_t *head; int64_t head_shape0;
    int32_t *size; int64_t size_shape0;
    int32_t *block; int64_t block_shape0;
    int64_t *changed; int64_t changed_shape0;
    int64_t *tried; int64_t tried_shape0;
    int64_t *busy; int64_t busy_shape0;
    int32_t *refused; int64_t refused_shape0; int64_t refused_shape1;
} RefinedClasses;

typedef struct {
    int32_t *classes; int64_t classes_shape0; int64_t classes_shape1;
    int32_t *ends; int64_t ends_shape0;
    int32_t *record; int64_t record_shape0;
    int32_t *into; int64_t into_shape0;
    double *extents; int64_t extents_shape0; int64_t extents_shape1;
    double *broken; int64_t broken_shape0; int64_t broken_shape1;
    int32_t *partner; int64_t partner_shape0;
    double *votes; int64_t votes_shape0;
    int32_t *slot; int64_t slot_shape0;
    int32_t *kept; int64_t kept_shape0;
    int32_t *tested; int64_t tested_shape0;
} Proposals;

typedef struct {
    const Attributes *attributes;
    const int32_t *values; int64_t values_shape0; int64_t values_shape1;
    const int32_t *rule_sides; int64_t rule_sides_shape0; int64_t rule_sides_shape1;
    const double *rates; int64_t rates_shape0;
    const double *rule_rates; int64_t rule_rates_shape0;
    bool squared;
} RecordCosts;

typedef struct {
    int32_t *record; int64_t record_shape0;
    int32_t *type; int64_t type_shape0;
    int32_t *side; int64_t side_shape0;
    bool *narrows; int64_t narrows_shape0;
    double *growth; int64_t growth_shape0; int64_t growth_shape1;
    int32_t *size; int64_t size_shape0;
    int32_t *shown; int64_t shown_shape0; int64_t shown_shape1;
    int32_t *ends; int64_t ends_shape0; int64_t ends_shape1; int64_t ends_shape2;
    int32_t *counts; int64_t counts_shape0; int64_t counts_shape1;
    int32_t *distinct; int64_t distinct_shape0; int64_t distinct_shape1;
    int32_t *on_rule; int64_t on_rule_shape0; int64_t on_rule_shape1; int64_t on_rule_shape2;
    double *moments; int64_t moments_shape0; int64_t moments_shape1; int64_t moments_shape2;
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
    int64_t tried;
} Proposed;

typedef struct {
    const int64_t *offsets; int64_t offsets_shape0;
    const int64_t *missing; int64_t missing_shape0;
    int64_t *present; int64_t present_shape0;
    const int64_t *columns; int64_t columns_shape0;
    const int32_t *cell; int64_t cell_shape0; int64_t cell_shape1;
    const int32_t *group; int64_t group_shape0;
    const int32_t *value; int64_t value_shape0;
    int32_t *counts; int64_t counts_shape0;
    const int64_t *starts; int64_t starts_shape0;
    int64_t *size; int64_t size_shape0;
    int64_t *chosen; int64_t chosen_shape0;
    int32_t *within; int64_t within_shape0;
    int64_t *keys; int64_t keys_shape0;
    int64_t *order; int64_t order_shape0;
} Contingency;

typedef struct {
    int32_t *node; int64_t node_shape0;
    double *bound; int64_t bound_shape0;
    double *best; int64_t best_shape0;
    int32_t *found; int64_t found_shape0;
    double *away; int64_t away_shape0;
    int64_t *count; int64_t count_shape0;
} NearestSearch;

typedef struct {
    const int32_t *order; int64_t order_shape0;
    const int32_t *row; int64_t row_shape0;
    const int32_t *position; int64_t position_shape0;
    const int32_t *records; int64_t records_shape0;
    const int32_t *end; int64_t end_shape0;
    int32_t *left; int64_t left_shape0;
    int32_t *members; int64_t members_shape0;
    int32_t *labels; int64_t labels_shape0;
    int64_t *state; int64_t state_shape0;
} Growth;

typedef struct {
    int64_t decided;
    int64_t kind;
    double away;
} Grown;

typedef struct {
    const double *place; int64_t place_shape0; int64_t place_shape1;
    const int64_t *value; int64_t value_shape0; int64_t value_shape1;
    double *total; int64_t total_shape0; int64_t total_shape1;
    int64_t *terms; int64_t terms_shape0; int64_t terms_shape1;
    bool *blank; int64_t blank_shape0; int64_t blank_shape1;
    double *category; int64_t category_shape0; int64_t category_shape1; int64_t category_shape2;
} LeftoverDistances;

typedef struct {
    const Attributes *attributes;
    const int32_t *values; int64_t values_shape0; int64_t values_shape1;
    const int32_t *counts; int64_t counts_shape0;
} PricedRows;

typedef struct {
    int32_t *order; int64_t order_shape0;
    bool *begins; int64_t begins_shape0;
    int64_t *stack; int64_t stack_shape0; int64_t stack_shape1;
    double *extents; int64_t extents_shape0;
    int64_t *event; int64_t event_shape0;
} OpenGroups;

typedef struct {
    int32_t *low; int64_t low_shape0; int64_t low_shape1;
    int32_t *high; int64_t high_shape0; int64_t high_shape1;
    int32_t *close_low; int64_t close_low_shape0;
    int32_t *close_high; int64_t close_high_shape0;
    uint64_t *words; int64_t words_shape0; int64_t words_shape1;
    bool *present; int64_t present_shape0; int64_t present_shape1;
    int32_t *side_of; int64_t side_of_shape0;
    double *scores; int64_t scores_shape0;
    int32_t *members; int64_t members_shape0;
    int32_t *others; int64_t others_shape0;
    int32_t *widened_first; int64_t widened_first_shape0;
    int32_t *taken; int64_t taken_shape0;
    int32_t *on_second; int64_t on_second_shape0;
    int32_t *passed; int64_t passed_shape0;
    int32_t *ahead; int64_t ahead_shape0;
} SplitScratch;

typedef struct {
    int64_t k;
    int64_t rounds;
    bool per_record;
    int64_t large;
    bool close;
} SplitSettings;

typedef struct {
    int32_t *rows; int64_t rows_shape0; int64_t rows_shape1; int64_t rows_shape2;
    int32_t *heads; int64_t heads_shape0;
    int32_t *values; int64_t values_shape0;
} RowLinks;

typedef struct {
    const double *values; int64_t values_shape0; int64_t values_shape1;
    const int32_t *begins; int64_t begins_shape0;
    const double *stand_in; int64_t stand_in_shape0;
    double rounding;
} SignedSums;

typedef struct {
    int32_t *branches; int64_t branches_shape0; int64_t branches_shape1;
    int32_t *reach; int64_t reach_shape0; int64_t reach_shape1; int64_t reach_shape2;
    uint64_t *words; int64_t words_shape0; int64_t words_shape1;
    int32_t *items; int64_t items_shape0;
    int32_t *leaf_of; int64_t leaf_of_shape0;
    const RowLinks *links;
    const SignedSums *sums;
    double *sums_reach; int64_t sums_reach_shape0; int64_t sums_reach_shape1; int64_t sums_reach_shape2;
    int32_t *stack; int64_t stack_shape0;
    double *bounds; int64_t bounds_shape0;
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
    const double *values; int64_t values_shape0; int64_t values_shape1;
    const double *costs; int64_t costs_shape0; int64_t costs_shape1;
    double *losses; int64_t losses_shape0; int64_t losses_shape1;
    double *left; int64_t left_shape0; int64_t left_shape1;
} LevelWorths;

typedef struct {
    uint8_t *levels; int64_t levels_shape0; int64_t levels_shape1;
    double *shares; int64_t shares_shape0;
    int32_t *barring; int64_t barring_shape0;
} KnownStrings;

typedef struct {
    double worth;
    double most;
    double share;
    int64_t barring;
} BoxBound;

typedef struct {
    const int64_t *word; int64_t word_shape0;
    const uint64_t *shift; int64_t shift_shape0;
    const uint64_t *mask; int64_t mask_shape0;
    const uint64_t *root; int64_t root_shape0;
    const uint64_t *guards; int64_t guards_shape0;
} CodeFields;

typedef struct {
    uint64_t *codes; int64_t codes_shape0; int64_t codes_shape1;
    double *values; int64_t values_shape0;
} SortedStrings;

typedef struct {
    int64_t end;
    int64_t moved;
} TakenStrings;

#pragma GCC visibility push(default)

int64_t kn_box_tree_divide_rows(const TreeGrowth *growth);
void kn_box_tree_fit_boxes(const BoxTree *tree);
void kn_box_tree_take(const BoxTree *tree, int64_t position, int64_t next_record);
void kn_cluster_centre_fill_words(const BoxTree *tree, const Centre *centre);
void kn_frequency_class_everywhere(const ClassCounter *counter, const RecordGroups *groups, int64_t member, const int64_t *lowest, int64_t lowest_shape0, const int64_t *sizes, int64_t sizes_shape0, int32_t *agree, int64_t agree_shape0, int32_t *grid, int64_t grid_shape0);
void kn_frequency_collect_classes(const ClassCounter *counter, const RecordGroups *groups, int32_t *listed, int64_t listed_shape0, int64_t listed_shape1, int32_t *numbers, int64_t numbers_shape0);
CountedClasses kn_frequency_count_classes(const ClassCounter *counter, const RecordGroups *groups, const int64_t *levels, int64_t levels_shape0, int64_t most, bool stop);
GrownClusters kn_k_member_advance(const MemberSearch *search, const MemberGrowth *growth, int32_t *chosen, int64_t chosen_shape0);
FoundRow kn_k_member_find_cheapest(const MemberSearch *search, const MemberClusters *clusters, int64_t c);
FoundRow kn_k_member_find_furthest(const MemberSearch *search, int64_t origin);
Joined kn_k_member_join_cheapest(const MemberSearch *search, const MemberClusters *clusters, int64_t position);
int64_t kn_level_cubes_fill_cells(const uint64_t *tuples, int64_t tuples_shape0, int64_t tuples_shape1, const int32_t *sizes, int64_t sizes_shape0, const int32_t *rows, int64_t rows_shape0, const int64_t *attributes, int64_t attributes_shape0, const int64_t *levels, int64_t levels_shape0, const TupleLayout *layout, int64_t parts, int64_t k, const CubeRoom *room, int32_t *part_of, int64_t part_of_shape0, int32_t *keys, int64_t keys_shape0);
WalkedBox kn_level_cubes_walk_box(uint8_t *grid, int64_t grid_shape0, const LevelLattice *lattice, const BoxWalk *walk, const CubeRoom *room, int64_t k, int64_t allowed, int64_t patience, int64_t *tested, int64_t tested_shape0);
int64_t kn_merging_advance(const MergeState *state, const PartnerTree *tree, const ClusterList *listed, int64_t turn, int64_t k, int64_t decisions);
Partner kn_merging_cheapest_partner(const MergeState *state, const PartnerTree *tree, int64_t a);
void kn_merging_costs_with(const MergeState *state, int64_t a, double *costs, int64_t costs_shape0);
void kn_merging_hide_cells(const MergeState *state, const bool *hidden, int64_t hidden_shape0, int64_t hidden_shape1);
void kn_merging_merge_into(const MergeState *state, const int32_t *into, int64_t into_shape0);
int64_t kn_merging_next_small(const BoxClusters *clusters, const ClusterList *listed, int64_t turn, int64_t k);
double kn_merging_power(double x, double y);
void kn_merging_union_extents(const MergeState *state, int64_t a, int64_t b, int64_t side, double *wide, int64_t wide_shape0, bool *hidden, int64_t hidden_shape0);
void kn_mondrian_measure(const Axes *axes, const Parts *parts, const int64_t *levels, int64_t levels_shape0);
void kn_mondrian_propose(const Parts *parts, const PartScratch *scratch, int64_t first, int64_t depth, int64_t k, int64_t where);
Leaves kn_partner_tree_divide_into_leaves(const Attributes *attributes, const double *boxes, int64_t boxes_shape0, int64_t boxes_shape1, int64_t boxes_shape2, int64_t columns, const double *scale, int64_t scale_shape0, int32_t *order, int64_t order_shape0, int32_t *branches, int64_t branches_shape0, int64_t branches_shape1);
void kn_partner_tree_fill_nodes(const Attributes *attributes, const BoxClusters *clusters, const PartnerTree *tree);
void kn_partner_tree_refresh(const Attributes *attributes, const BoxClusters *clusters, const PartnerTree *tree, int64_t c);
void kn_refining_carry_out(const RefinedClasses *classes, const Proposals *proposals, int64_t p, int64_t partner, int64_t batch);
void kn_refining_look_along(const Attributes *attributes, const double *rates, int64_t rates_shape0, const int32_t *rows, int64_t rows_shape0, int64_t rows_shape1, const int32_t *order, int64_t order_shape0, int64_t reach, int32_t *near, int64_t near_shape0, int64_t near_shape1, double *away, int64_t away_shape0, int64_t away_shape1);
Proposed kn_refining_propose(const RecordCosts *costs, const RefinedClasses *classes, const TwoSides *sides, const Proposals *proposals, const RefineLimits *limits, int64_t begin, int64_t end, int64_t batch);
Grown kn_similarity_advance(const BoxTree *tree, const Contingency *table, const Centre *centre, const NearestSearch *search, const Growth *growth, int64_t k, bool spatial, int64_t decisions);
int64_t kn_similarity_measure_leftovers(const BoxTree *tree, const Contingency *table, const Centre *centre, const Growth *growth, const LeftoverDistances *leftovers, int64_t k, bool spatial, int64_t cluster);
void kn_splitting_measure_groups(const PricedRows *table, const OpenGroups *groups, const SplitScratch *scratch, int64_t depth);
Splits kn_splitting_split_groups(const PricedRows *table, const OpenGroups *groups, const SplitSettings *settings, const SplitScratch *scratch, const GroupTrees *trees, int64_t level, const double *draws, int64_t draws_shape0, int64_t depth, int64_t decisions);
void kn_splitting_tree_fill_nodes(const PricedRows *table, const GroupTree *tree);
void kn_splitting_tree_link_rows(const PricedRows *table, const int32_t *members, int64_t members_shape0, const RowLinks *links);
BoxBound kn_string_boxes_bound_box(const LevelWorths *worths, const KnownStrings *strings, int64_t count, uint8_t *low, int64_t low_shape0, const uint8_t *high, int64_t high_shape0, double share, double mark);
int64_t kn_strings_drop_dominated(const CodeFields *fields, const SortedStrings *strings, int64_t start, int64_t tied, int64_t end, const uint64_t *best, int64_t best_shape0, int64_t best_shape1, const double *best_values, int64_t best_values_shape0, const int64_t *best_roots, int64_t best_roots_shape0);
int64_t kn_strings_drop_lonely(const CodeFields *fields, const SortedStrings *strings, int64_t start, int64_t end, const int64_t *places, int64_t places_shape0, const int32_t *sizes, int64_t sizes_shape0, int64_t k);
int64_t kn_strings_drop_specific(const CodeFields *fields, const SortedStrings *strings, int64_t start, int64_t end, const uint64_t *code, int64_t code_shape0);
TakenStrings kn_strings_take_general(const CodeFields *fields, const SortedStrings *strings, int64_t start, int64_t end, const uint64_t *code, int64_t code_shape0, uint64_t *taken, int64_t taken_shape0, int64_t taken_shape1);

#pragma GCC visibility pop

#endif
