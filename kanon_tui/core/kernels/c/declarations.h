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
#define CLUSTERS_LEFT 2
#define COUNTED_RANKS 64
#define COUNTED_RANKS_PER_ROW 4
#define CUT 1
#define EMPHASIS 6
#define FAILS 1
#define FIRST 5
#define FOLLOWING 0
#define HEAD 2
#define HIDE 3
#define HIGH 1
#define IMPORTANCE 8
#define KEYS_PER_BLOCK 1024
#define KEYS_PER_CHUNK 4096
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
#define NOT_BEGUN -2
#define OFTEN 9
#define PASSES 2
#define PLACE 1
#define PLACES_PER_CELL 8
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
#define UNKNOWN 0
#define VALUES 4
#define WEIGHT 4
#define WHOLE 5
#define WORD_BITS 64

typedef struct {
    const int64_t *word;
    int64_t word_shape0;
    const uint64_t *shift;
    int64_t shift_shape0;
    const uint64_t *mask;
    int64_t mask_shape0;
    const int64_t *start;
    int64_t start_shape0;
    int64_t start_shape1;
    const int64_t *radix;
    int64_t radix_shape0;
    int64_t radix_shape1;
    const int32_t *labels;
    int64_t labels_shape0;
} TupleLayout;

typedef struct {
    int32_t *of;
    int64_t of_shape0;
    int32_t *sizes;
    int64_t sizes_shape0;
    uint64_t *keys;
    int64_t keys_shape0;
    int32_t *groups;
    int64_t groups_shape0;
} ClassSlots;

typedef struct {
    int64_t *first;
    int64_t first_shape0;
    uint64_t *stride;
    int64_t stride_shape0;
    int64_t *chunk_of;
    int64_t chunk_of_shape0;
    int64_t *chunk_word;
    int64_t chunk_word_shape0;
    uint64_t *chunk_shift;
    int64_t chunk_shift_shape0;
    uint64_t *chunk_mask;
    int64_t chunk_mask_shape0;
    int64_t *chunk_first;
    int64_t chunk_first_shape0;
    uint64_t *chunk_stride;
    int64_t chunk_stride_shape0;
    uint64_t *tables;
    int64_t tables_shape0;
    int64_t tables_shape1;
    uint64_t *keys;
    int64_t keys_shape0;
} KeyScratch;

typedef struct {
    const TupleLayout *layout;
    const ClassSlots *slots;
    const KeyScratch *scratch;
    int64_t k;
} ClassCounter;

typedef struct {
    const int32_t *members;
    int64_t members_shape0;
    const uint64_t *tuples;
    int64_t tuples_shape0;
    int64_t tuples_shape1;
    const int32_t *sizes;
    int64_t sizes_shape0;
} RecordGroups;

typedef struct {
    int64_t classes;
    int64_t small;
    int64_t smallest;
    int64_t group;
} CountedClasses;

typedef struct {
    int32_t *numbers;
    int64_t numbers_shape0;
    int64_t *begin;
    int64_t begin_shape0;
    int32_t *keys;
    int64_t keys_shape0;
    int32_t *sizes;
    int64_t sizes_shape0;
    int32_t *targets;
    int64_t targets_shape0;
    int32_t *records;
    int64_t records_shape0;
    int32_t *touched;
    int64_t touched_shape0;
    int32_t *columns;
    int64_t columns_shape0;
    int32_t *totals;
    int64_t totals_shape0;
    int32_t *small;
    int64_t small_shape0;
    int32_t *chosen;
    int64_t chosen_shape0;
    int64_t *sorted_labels;
    int64_t sorted_labels_shape0;
    int64_t *first_label;
    int64_t first_label_shape0;
} CubeRoom;

typedef struct {
    const int64_t *sizes;
    int64_t sizes_shape0;
    const int64_t *places;
    int64_t places_shape0;
    const int64_t *radix;
    int64_t radix_shape0;
    int64_t radix_shape1;
    const int64_t *start;
    int64_t start_shape0;
    int64_t start_shape1;
    const int32_t *parents;
    int64_t parents_shape0;
} LevelLattice;

typedef struct {
    int64_t *at;
    int64_t at_shape0;
    int64_t *levels;
    int64_t levels_shape0;
    int64_t levels_shape1;
    int64_t *begins;
    int64_t begins_shape0;
    int64_t *sums;
    int64_t sums_shape0;
    int64_t *parts;
    int64_t parts_shape0;
    int64_t *rows;
    int64_t rows_shape0;
    int64_t *strides;
    int64_t strides_shape0;
    int64_t *lost;
    int64_t lost_shape0;
    int64_t *turn;
    int64_t turn_shape0;
    int64_t *lowest;
    int64_t lowest_shape0;
    int64_t *general;
    int64_t general_shape0;
    int64_t *corner;
    int64_t corner_shape0;
    int64_t *marking;
    int64_t marking_shape0;
} BoxWalk;

typedef struct {
    int64_t tests;
    int64_t pruned;
    int64_t work;
    int64_t small;
} WalkedBox;

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
    const int64_t *word;
    int64_t word_shape0;
    const uint64_t *shift;
    int64_t shift_shape0;
    const uint64_t *mask;
    int64_t mask_shape0;
    const uint64_t *root;
    int64_t root_shape0;
    const uint64_t *guards;
    int64_t guards_shape0;
} CodeFields;

typedef struct {
    uint64_t *codes;
    int64_t codes_shape0;
    int64_t codes_shape1;
    double *values;
    int64_t values_shape0;
} SortedStrings;

typedef struct {
    int64_t end;
    int64_t moved;
} TakenStrings;

typedef struct {
    int64_t done;
    int64_t known;
} AddedWords;

#pragma GCC visibility push(default)

void kn_frequency_class_everywhere(const ClassCounter *counter, const RecordGroups *groups, int64_t member, const int64_t *lowest, int64_t lowest_shape0, const int64_t *sizes, int64_t sizes_shape0, int32_t *agree, int64_t agree_shape0, int32_t *grid, int64_t grid_shape0);
void kn_frequency_collect_classes(const ClassCounter *counter, const RecordGroups *groups, int32_t *found, int64_t found_shape0, int64_t found_shape1, int32_t *numbers, int64_t numbers_shape0);
CountedClasses kn_frequency_count_classes(const ClassCounter *counter, const RecordGroups *groups, const int64_t *levels, int64_t levels_shape0, int64_t most, bool stop);
int64_t kn_level_cubes_fill_cells(const uint64_t *tuples, int64_t tuples_shape0, int64_t tuples_shape1, const int32_t *sizes, int64_t sizes_shape0, const int32_t *rows, int64_t rows_shape0, const int64_t *attributes, int64_t attributes_shape0, const int64_t *levels, int64_t levels_shape0, const TupleLayout *layout, int64_t parts, int64_t k, const CubeRoom *room, int32_t *part_of, int64_t part_of_shape0, int32_t *keys, int64_t keys_shape0);
WalkedBox kn_level_cubes_walk_box(uint8_t *grid, int64_t grid_shape0, const LevelLattice *lattice, const BoxWalk *walk, const CubeRoom *room, int64_t k, int64_t allowed, int64_t patience, int64_t *tested, int64_t tested_shape0);
Advanced kn_mondrian_advance(const Axes *axes, const Parts *parts, const PartScratch *scratch, int64_t depth, int64_t decisions, int64_t k, int64_t where);
double kn_mondrian_loss(const Axes *axes, const int64_t *part, int64_t part_shape0);
void kn_mondrian_measure(const Axes *axes, const Parts *parts, int64_t start, int64_t end, int64_t level);
int64_t kn_strings_drop_dominated(const CodeFields *fields, const SortedStrings *strings, int64_t start, int64_t tied, int64_t end, const uint64_t *best, int64_t best_shape0, int64_t best_shape1, const double *best_values, int64_t best_values_shape0, const int64_t *best_roots, int64_t best_roots_shape0);
int64_t kn_strings_drop_lonely(const CodeFields *fields, const SortedStrings *strings, int64_t start, int64_t end, const int64_t *places, int64_t places_shape0, const int32_t *sizes, int64_t sizes_shape0, int64_t k);
int64_t kn_strings_drop_specific(const CodeFields *fields, const SortedStrings *strings, int64_t start, int64_t end, const uint64_t *code, int64_t code_shape0);
TakenStrings kn_strings_take_general(const CodeFields *fields, const SortedStrings *strings, int64_t start, int64_t end, const uint64_t *code, int64_t code_shape0, uint64_t *taken, int64_t taken_shape0, int64_t taken_shape1);
AddedWords kn_word_tables_add_words(const uint64_t *words, int64_t words_shape0, int64_t begin, uint64_t *slots, int64_t slots_shape0, uint64_t *keys, int64_t keys_shape0, int64_t count, int32_t *places, int64_t places_shape0);
void kn_word_tables_fill_slots(const uint64_t *keys, int64_t keys_shape0, uint64_t *slots, int64_t slots_shape0);
void kn_word_tables_find_words(const uint64_t *words, int64_t words_shape0, const uint64_t *slots, int64_t slots_shape0, int32_t *places, int64_t places_shape0);

#pragma GCC visibility pop

#endif
