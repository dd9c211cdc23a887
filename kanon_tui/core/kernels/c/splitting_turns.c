/* Let the rows of a large group widen the boxes of two seeds in their order, visiting few.
 *
 * Boxes only grow. A row that the box of the first side has covered when its turn comes goes there
 * and changes nothing; one that only the box of the second side covers goes there, and changes
 * nothing either. So rows that follow one another are passed over together when one box covers
 * them all. What is left are the rows that widen a box, of which there are few, and those that one
 * box covers and the other does not, where neighbours go different ways.
 *
 * Values of a long set, one with more than 64 values, are most of them rare, and each is new to
 * both boxes once. Every such row would widen a box and have to be visited, in every split. But a
 * new value costs both boxes the same, once they have two. So where nodes are covered but for what
 * is new, their rows go to the first side if it covers them; and to the second if it does, unless
 * the box of the first covers a row with something new, which is looked for in the tree of near
 * rows. The side that takes them becomes the host of new values (`splitting_boxes.h`). For values
 * that one box alone has, the next row with each is known from its links; a node with such a row is
 * not covered by the other.
 */
#include "splitting_sides.h"

/* Of more values no account is kept. */
#define MOST_ALONE 64
/* A side becomes the host for no fewer rows, and nobody searches for fewer. */
#define MANY_ROWS 64

/* A value that the box of the other side alone has: the next row with it, and its attribute. */
typedef struct {
    int64_t row, x;
} Alone;

/* What is known of long sets while rows have their turns. */
typedef struct {
    Alone alone[2][MOST_ALONE]; /* per side */
    int64_t known[2];           /* per side how many these are, -1: too many */
    int64_t soon;               /* next row that brings the first side something new … */
    int64_t soon_widened;       /* … and how many rows had widened its box when that was found */
} Account;

/* Note that a side has not what the other has; the next row with it, if there is one. */
static void note_alone(Account *account, int64_t side, int64_t row, int64_t x) {
    const int64_t known = account->known[side];
    if (row < 0 || known < 0) {
        return;
    }
    if (known == MOST_ALONE) {
        account->known[side] = -1;
        return;
    }
    account->alone[side][known] = (Alone){row, x};
    account->known[side]++;
}

/* Note what is new with a row that a side takes, and what its other one has not. */
static void note_new(const Division *division, Account *account, int64_t side, int64_t row) {
    const SideBoxes *boxes = &division->boxes;
    const RowLinks *links = division->trees->turns->links;
    const int32_t *values = row_values(division->table, row);
    for (int64_t x = 0; x < boxes->width; x++) {
        const int64_t chain = fact(boxes->attributes, x, CHAIN);
        if (chain < 0) {
            continue;
        }
        const int64_t flag = flag_of(boxes->attributes, x, values[x]);
        if (links->heads[flag] == row + 1 && !*present_flag(boxes, 1 - side, flag)) {
            note_alone(account, 1 - side, *linked_row(links, row, chain, LATER), x);
        }
    }
}

/* Write down what is known when the boxes have their seeds. */
static void begin_account(const Division *division, Account *account) {
    const SideBoxes *boxes = &division->boxes;
    const int64_t seeds[2] = {division->first, division->second};
    account->known[0] = account->known[1] = 0;
    account->soon = account->soon_widened = -1;
    for (int64_t x = 0; x < boxes->width; x++) {
        if (!is_long(boxes->attributes, x)) {
            continue;
        }
        for (int64_t side = 0; side < 2; side++) {
            const int64_t value = row_values(division->table, seeds[1 - side])[x];
            const int64_t flag = flag_of(boxes->attributes, x, value);
            if (!*present_flag(boxes, side, flag)) {
                note_alone(account, side, division->trees->turns->links->heads[flag] - 1, x);
            }
        }
    }
}

/* Return whether a row of a node has a value that only the box of the other side has. */
static bool alone_in_node(const Division *division, Account *account, int64_t side, int64_t node) {
    const SideBoxes *boxes = &division->boxes;
    const GroupTree *turns = division->trees->turns;
    int64_t i = 0;
    while (i < account->known[side]) {
        Alone *alone = &account->alone[side][i];
        const int64_t x = alone->x, chain = fact(boxes->attributes, x, CHAIN);
        int64_t row = alone->row;
        const int64_t value = row_values(division->table, row)[x];
        const bool shared = *present_flag(boxes, side, flag_of(boxes->attributes, x, value));
        while (row >= 0 && branch(turns, turns->leaf_of[row], BEGIN) < branch(turns, node, BEGIN)) {
            row = *linked_row(turns->links, row, chain, LATER);
        }
        if (shared || row < 0) {
            account->known[side]--;
            *alone = account->alone[side][account->known[side]];
            continue;
        }
        alone->row = row;
        if (branch(turns, turns->leaf_of[row], BEGIN) < branch(turns, node, END)) {
            return true;
        }
        i++;
    }
    return account->known[side] < 0;
}

/* Return whether the first box covers a row but for what is new, and something is. */
static bool new_to_first(const SideBoxes *boxes, int64_t row) {
    const int32_t *values = row_values(boxes->table, row);
    bool found = false;
    for (int64_t x = 0; x < boxes->width; x++) {
        if (!is_set(boxes->attributes, x)) {
            if (values[x] < boxes->low[x] || values[x] > boxes->high[x]) {
                return false;
            }
            continue;
        }
        const int64_t flag = flag_of(boxes->attributes, x, values[x]);
        if (!*present_flag(boxes, FIRST_BOX, flag)) {
            if (!is_long(boxes->attributes, x) || boxes->heads[flag] != row + 1) {
                return false;
            }
            found = true;
        }
    }
    return found;
}

/* Return the next row that is new to the first box alone, NOTHING if there is none. */
static int64_t next_new_to_first(const SideBoxes *boxes, const GroupTree *near, int64_t since) {
    int64_t found = NOTHING, depth = 1;
    near->stack[0] = 0;
    while (depth > 0) {
        const int64_t node = near->stack[--depth];
        if (*fresh_sets(near, node) == 0 || branch(near, node, FIRST_PLACE) >= found ||
            misses_node(boxes, near, FIRST_BOX, node)) {
            continue;
        }
        if (branch(near, node, CHILD) >= 0) {
            depth = push_children(near, node, depth);
            continue;
        }
        for (int64_t i = branch(near, node, BEGIN); i < branch(near, node, END); i++) {
            const int64_t row = near->items[i];
            if (since <= row && row < found && new_to_first(boxes, row)) {
                found = row;
            }
        }
    }
    return found;
}

/* Return whether no row of a node is new to the first box alone. */
static bool none_for_first(const Division *division, Account *account, int64_t node) {
    const GroupTree *turns = division->trees->turns;
    const int64_t since = branch(turns, node, FIRST_PLACE), widened = division->widened_first;
    if (account->soon_widened != widened || account->soon < since) {
        if (branch(turns, node, ALIVE) < MANY_ROWS) {
            return false;
        }
        account->soon = next_new_to_first(&division->boxes, division->trees->near, since);
        account->soon_widened = widened;
    }
    return account->soon == NOTHING ||
           branch(turns, turns->leaf_of[account->soon], BEGIN) >= branch(turns, node, END);
}

/* Return whether a side takes every row of a node that its box covers but for long sets. */
static bool takes_all(Division *division, Account *account, int64_t side, int64_t node) {
    SideBoxes *boxes = &division->boxes;
    const GroupTree *turns = division->trees->turns;
    if (alone_in_node(division, account, side, node)) {
        return false;
    }
    const uint64_t fresh = *fresh_sets(turns, node);
    if (fresh == 0) {
        return true;
    }
    if (boxes->host != side && (boxes->host >= 0 || branch(turns, node, ALIVE) < MANY_ROWS)) {
        return false;
    }
    for (int64_t x = 0; x < boxes->width; x++) {
        if (is_long(boxes->attributes, x) && boxes->high[side * boxes->width + x] < 2 &&
            (fresh & value_bit(fact(boxes->attributes, x, CHAIN))) != 0) {
            return false;
        }
    }
    if (side == SECOND_BOX && !none_for_first(division, account, node)) {
        return false;
    }
    boxes->host = side;
    account->known[1 - side] = -1;
    for (int64_t word = 0; word < boxes->columns; word++) {
        boxes->words[side * boxes->columns + word] |= node_words(turns, node)[word];
    }
    return true;
}

/* Let a row whose turn has come widen a box, or go to the second side, or neither. */
static void take_turn(Division *division, Account *account, bool long_sets, int64_t row) {
    const SplitScratch *scratch = division->scratch;
    const double one = box_growth(&division->boxes, FIRST_BOX, row);
    division->looked_at++;
    if (one == 0.0) {
        return;
    }
    const double other = box_growth(&division->boxes, SECOND_BOX, row);
    const int64_t to = one <= other + TIE ? FIRST_BOX : SECOND_BOX;
    if (to == FIRST_BOX) {
        scratch->widened_first[division->widened_first++] = (int32_t)row;
    } else {
        scratch->on_second[division->on_second++] = (int32_t)row;
    }
    if (to == FIRST_BOX || other > 0.0) {
        widen(&division->boxes, to, row);
        scratch->taken[division->taken++] = (int32_t)row;
        if (long_sets) {
            note_new(division, account, to, row);
        }
    }
}

void take_turns(Division *division) {
    const GroupTree *turns = division->trees->turns;
    const bool long_sets = has_long_sets(turns);
    SideBoxes *boxes = &division->boxes;
    Account account;
    begin_account(division, &account);
    boxes->turning = true;
    turns->stack[0] = 0;
    int64_t depth = 1;
    while (depth > 0) {
        const int64_t node = turns->stack[--depth];
        if (branch(turns, node, ALIVE) == 0 ||
            (covers_node(boxes, turns, FIRST_BOX, node) &&
             (!long_sets || takes_all(division, &account, FIRST_BOX, node)))) {
            continue;
        }
        if (covers_node(boxes, turns, SECOND_BOX, node) &&
            (!long_sets || takes_all(division, &account, SECOND_BOX, node))) {
            division->scratch->passed[division->passed] = (int32_t)node;
            division->scratch->ahead[division->passed++] = (int32_t)division->widened_first;
            continue;
        }
        if (branch(turns, node, CHILD) >= 0) {
            depth = push_children(turns, node, depth);
            continue;
        }
        for (int64_t i = branch(turns, node, BEGIN); i < branch(turns, node, END); i++) {
            const int64_t row = turns->items[i];
            if (row >= 0 && row != division->second) {
                take_turn(division, &account, long_sets, row);
            }
        }
    }
    boxes->turning = false;
}
