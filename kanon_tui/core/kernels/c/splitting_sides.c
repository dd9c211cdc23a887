/* List the rows of one side of a large group, and make sure that both sides have k records. */
#include "sorting.h"
#include "splitting_search.h"
#include "splitting_sides.h"

/* The two ways to list a side take turns, node by node. */
typedef struct {
    int64_t turns_depth; /* nodes on the stack of the tree of turns */
    int64_t at;          /* next of the nodes passed over */
    int64_t replayed;    /* rows that have widened REPLAY again */
    int64_t near_depth;
    int64_t inside; /* rows found inside the first box, in `members` */
} Listing;

/* Look at one node passed over for rows of the second side; return false when all are done. */
static bool list_second(Division *division, Listing *listing) {
    const GroupTree *turns = division->trees->turns;
    const SplitScratch *scratch = division->scratch;
    const SideBoxes *boxes = &division->boxes;
    if (listing->turns_depth == 0) {
        if (listing->at == division->passed) {
            return false;
        }
        while (listing->replayed < scratch->ahead[listing->at]) {
            widen(boxes, REPLAY, scratch->widened_first[listing->replayed++]);
        }
        turns->stack[0] = scratch->passed[listing->at++];
        listing->turns_depth = 1;
    }
    const int64_t node = turns->stack[--listing->turns_depth];
    if (branch(turns, node, ALIVE) == 0 ||
        (!has_long_sets(turns) && covers_node(boxes, turns, REPLAY, node))) {
        return true;
    }
    if (branch(turns, node, CHILD) >= 0) {
        listing->turns_depth = push_children(turns, node, listing->turns_depth);
        return true;
    }
    for (int64_t i = branch(turns, node, BEGIN); i < branch(turns, node, END); i++) {
        const int64_t row = turns->items[i];
        if (row >= 0 && row != division->second && !covers_row(boxes, REPLAY, row)) {
            scratch->on_second[division->on_second++] = (int32_t)row;
        }
    }
    return true;
}

/* Look at one node for rows inside the first box. */
static void list_inside(const Division *division, Listing *listing) {
    const GroupTree *near = division->trees->near;
    const SideBoxes *boxes = &division->boxes;
    const int64_t node = near->stack[--listing->near_depth];
    if (branch(near, node, ALIVE) == 0 || misses_node(boxes, near, FIRST_BOX, node)) {
        return;
    }
    if (branch(near, node, CHILD) >= 0) {
        listing->near_depth = push_children(near, node, listing->near_depth);
        return;
    }
    for (int64_t i = branch(near, node, BEGIN); i < branch(near, node, END); i++) {
        const int64_t row = near->items[i];
        if (row >= 0 && row != division->second && covers_row(boxes, FIRST_BOX, row)) {
            division->scratch->members[listing->inside++] = (int32_t)row;
        }
    }
}

/* Keep those of the rows inside the first box that it covered when their turn came; return how
 * many. Nodes passed over are not needed any more. */
static int64_t keep_in_time(const Division *division, int64_t inside) {
    const SplitScratch *scratch = division->scratch;
    int64_t kept = 0, replayed = 1;
    sort_i32(scratch->members, inside);
    for (int64_t i = 0; i < inside; i++) {
        const int32_t row = scratch->members[i];
        while (replayed < division->widened_first && scratch->widened_first[replayed] <= row) {
            widen(&division->boxes, REPLAY_FIRST, scratch->widened_first[replayed++]);
        }
        if (covers_row(&division->boxes, REPLAY_FIRST, row)) {
            scratch->members[kept++] = row;
        }
    }
    return kept;
}

/* List the rows of the side that is found sooner, but never the side with most rows. */
static void list_a_side(Division *division) {
    const SplitScratch *scratch = division->scratch;
    const GroupTrees *trees = division->trees;
    Listing listing = {.replayed = 1, .near_depth = 1};
    bool second = false;
    trees->near->stack[0] = 0;
    while (listing.near_depth > 0 && !second) {
        if (list_second(division, &listing)) {
            list_inside(division, &listing);
        } else {
            second = true;
        }
    }
    division->side = second ? SECOND_BOX : FIRST_BOX;
    division->listed = second ? scratch->on_second : scratch->members;
    division->listed_count = second ? division->on_second : keep_in_time(division, listing.inside);
    if (2 * division->listed_count > branch(trees->turns, 0, ALIVE)) {
        sort_i32(division->listed, division->listed_count);
        division->listed_count =
            write_rows(trees->turns, division->listed, division->listed_count, scratch->others);
        division->listed = scratch->others;
        division->side = 1 - division->side;
    }
}

/* Let a side with fewer than k records take rows from the other; return whether that is possible.
 * The rows of the side that is listed are flagged. */
static bool fill_poor_side(Division *division, int64_t k) {
    const SplitScratch *scratch = division->scratch;
    int64_t *sizes = division->sizes;
    const int64_t poor = sizes[FIRST_BOX] < sizes[SECOND_BOX] ? FIRST_BOX : SECOND_BOX;
    const int64_t own = poor == division->side;
    while (sizes[poor] < k) {
        RowSearch search = {
            .table = division->table,
            .tree = division->trees->near,
            .boxes = &division->boxes,
            .of = poor,
            .side_of = scratch->side_of,
            .own = own,
            .spare = sizes[1 - poor] - k,
        };
        const int64_t row = cheapest_row(&search);
        if (row == NOTHING) {
            return false;
        }
        scratch->side_of[row] = (int32_t)own;
        if (own) {
            division->listed[division->listed_count++] = (int32_t)row;
        }
        widen(&division->boxes, poor, row);
        scratch->taken[division->taken++] = (int32_t)row;
        sizes[poor] += division->table->counts[row];
        sizes[1 - poor] -= division->table->counts[row];
    }
    return true;
}

bool sides_by_trees(Division *division, int64_t k, int64_t size) {
    const SplitScratch *scratch = division->scratch;
    division->boxes =
        new_boxes(division->table, scratch, SIDE_BOXES, division->trees->near->links->heads);
    for (int64_t box = 0; box < SIDE_BOXES; box++) {
        begin_box(&division->boxes, box, box == SECOND_BOX ? division->second : division->first);
    }
    scratch->taken[0] = scratch->widened_first[0] = (int32_t)division->first;
    scratch->taken[1] = scratch->on_second[0] = (int32_t)division->second;
    division->taken = 2;
    division->widened_first = division->on_second = 1;
    division->passed = 0;
    take_turns(division);
    list_a_side(division);
    int64_t *listed_size = &division->sizes[division->side];
    *listed_size = 0;
    for (int64_t i = 0; i < division->listed_count; i++) {
        scratch->side_of[division->listed[i]] = 1;
        *listed_size += division->table->counts[division->listed[i]];
    }
    division->sizes[1 - division->side] = size - *listed_size;
    const bool enough = fill_poor_side(division, k);
    forget(&division->boxes, scratch->taken, division->taken);
    sort_i32(division->listed, division->listed_count);
    int64_t left = 0;
    for (int64_t i = 0; i < division->listed_count; i++) { /* some were given to the other side */
        const int32_t row = division->listed[i];
        division->listed[left] = row;
        left += scratch->side_of[row];
        scratch->side_of[row] = 0;
    }
    division->listed_count = left;
    return enough;
}
