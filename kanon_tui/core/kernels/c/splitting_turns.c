/* Let the rows of a large group widen the boxes of two seeds in their order, visiting few.
 *
 * Boxes only grow. A row that the box of the first side has covered when its turn comes goes there
 * and changes nothing; one that only the box of the second side covers goes there, and changes
 * nothing either. So rows that follow one another are passed over together when one box covers
 * them all. What is left are the rows that widen a box, of which there are few, and those that one
 * box covers and the other does not, where neighbours go different ways.
 *
 * Numbers may be so close that a box hardly grows, by no more than a tie. The first side takes such
 * a row even where the box of the second covers it. So before a node is passed over for the second
 * side, the next row that is hardly outside the first box is looked for in the tree of near rows,
 * which finds most nodes inside it or too far off.
 *
 * Values of a long set, one with more than 64 values, are most of them rare, and each is new to
 * both boxes once. Every such row would widen a box and have to be visited, in every split. But a
 * new value costs both boxes the same, once they have two. So where nodes are covered but for what
 * is new, their rows go to the first side if it covers them; and to the second if it does, unless
 * the box of the first covers a row with something new, which is looked for as well. The side that
 * takes them becomes the host of new values (`splitting_boxes.h`). For values that one box alone
 * has, the next row with each is known from its links; a node with such a row is not covered by the
 * other.
 */
#include "splitting_sides.h"

/* The most values of one side alone that are tracked. */
#define MOST_ALONE 64
/* The fewest rows for which a side becomes the host, or a search is made. */
#define MANY_ROWS 64
/* A box that takes a row hardly grows: by a tie or less, as far as rounding can tell. */
#define HARDLY (TIE + 1e-12)

/* A value that the box of the other side alone has: the next row with it, and its attribute. */
typedef struct {
    int64_t row, x;
} Alone;

/* The state of long sets and of close numbers while rows are taken in order. */
typedef struct {
    Alone alone[2][MOST_ALONE]; /* per side */
    int64_t known[2];           /* per side how many these are, -1: too many */
    int64_t widened;            /* how many rows had widened the first box when this was found: */
    bool close;                 /* some number is outside by a tie or less */
    int64_t soon;               /* next row that the first side may take from the second's box */
} Account;

/* Record a value that the other side alone has, and the next row with it, if there is one. */
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

/* Record the new values of a row that a side takes, and the values that the other side lacks. */
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

/* Set the state when the boxes have only their seeds. */
static void begin_account(const Division *division, Account *account) {
    const SideBoxes *boxes = &division->boxes;
    const int64_t seeds[2] = {division->first, division->second};
    account->known[0] = account->known[1] = 0;
    account->widened = -1;
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

/* Return how far a range can reach towards `end`, which is outside, if it hardly grows. */
static int64_t reach_towards(const Attributes *attributes, int64_t x, int64_t low, int64_t high,
                             int64_t end) {
    const double limit = extent(attributes, x, low, high) + HARDLY;
    const int64_t step = end < low ? -1 : 1;
    int64_t inside = end < low ? low : high, outside = end + step, next = inside + step;
    while (inside + step != outside) { /* mostly the next value is too far off */
        if (extent(attributes, x, min_i64(low, next), max_i64(high, next)) <= limit) {
            inside = next;
        } else {
            outside = next;
        }
        next = inside + (outside - inside) / 2;
    }
    return inside;
}

/* Find the ranges of numbers that the first box could cover by growing at most a tie; return
 * whether they are wider than its own. */
static bool find_close(const Division *division) {
    const SplitScratch *scratch = division->scratch;
    const SideBoxes *boxes = &division->boxes;
    const int32_t *reach = node_reach(division->trees->near, 0);
    bool more = false;
    for (int64_t x = 0; x < boxes->width; x++) {
        const int64_t low = boxes->low[x], high = boxes->high[x];
        int64_t close_low = low, close_high = high;
        if (fact(boxes->attributes, x, KIND) == LINE) {
            if (reach[2 * x + REACH_LOW] < low) {
                close_low = reach_towards(boxes->attributes, x, low, high, reach[2 * x]);
            }
            if (reach[2 * x + REACH_HIGH] > high) {
                close_high = reach_towards(boxes->attributes, x, low, high, reach[2 * x + 1]);
            }
        }
        scratch->close_low[x] = (int32_t)close_low;
        scratch->close_high[x] = (int32_t)close_high;
        more |= close_low < low || close_high > high;
    }
    return more;
}

/* Return whether the first side may take a row although the box of the second covers it but for
 * what is new: because the box of the first does so too and something is new, or because it hardly
 * grows. Then it may get values from other rows until the turn of this one comes. */
static bool may_go_first(const Division *division, int64_t row) {
    const SplitScratch *scratch = division->scratch;
    const SideBoxes *boxes = &division->boxes;
    const int32_t *values = row_values(boxes->table, row);
    bool close = false, is_new = false, later = false;
    for (int64_t x = 0; x < boxes->width; x++) {
        if (!is_set(boxes->attributes, x)) {
            if (values[x] < scratch->close_low[x] || values[x] > scratch->close_high[x]) {
                return false;
            }
            close |= values[x] < boxes->low[x] || values[x] > boxes->high[x];
            continue;
        }
        const int64_t flag = flag_of(boxes->attributes, x, values[x]);
        if (*present_flag(boxes, FIRST_BOX, flag)) {
            continue;
        }
        if (is_long(boxes->attributes, x) && boxes->heads[flag] == row + 1) {
            is_new = true;
        } else if (is_long(boxes->attributes, x) && !*present_flag(boxes, SECOND_BOX, flag)) {
            later = true;
        } else {
            return false;
        }
    }
    return close || (is_new && !later);
}

/* Return whether `may_go_first` may hold for a row of a node. */
static bool may_have_for_first(const Division *division, const GroupTree *near, int64_t node) {
    const SplitScratch *scratch = division->scratch;
    const SideBoxes *boxes = &division->boxes;
    const int32_t *reach = node_reach(near, node);
    const uint64_t fresh = has_long_sets(near) ? *fresh_sets(near, node) : 0;
    bool close = false, later = false;
    for (int64_t x = 0; x < boxes->width; x++) {
        if (is_set(boxes->attributes, x)) {
            const uint64_t word = node_words(near, node)[fact(boxes->attributes, x, BITS)];
            if ((word & box_word(boxes, FIRST_BOX, x)) != 0) {
                continue;
            }
            if (!is_long(boxes->attributes, x)) {
                return false;
            }
            later |= (fresh & value_bit(fact(boxes->attributes, x, CHAIN))) == 0;
            continue;
        }
        const int32_t lowest = reach[2 * x + REACH_LOW], highest = reach[2 * x + REACH_HIGH];
        const int32_t low = scratch->close_low[x], high = scratch->close_high[x];
        if (highest < low || lowest > high) {
            return false;
        }
        close |= low < boxes->low[x] && lowest < boxes->low[x];
        close |= high > boxes->high[x] && highest > boxes->high[x];
    }
    return close || (fresh != 0 && !later);
}

/* Return the next row for which `may_go_first` holds, NOTHING if there is none. */
static int64_t next_for_first(const Division *division, int64_t since) {
    const GroupTree *near = division->trees->near;
    int64_t found = NOTHING, depth = 1;
    near->stack[0] = 0;
    while (depth > 0) {
        const int64_t node = near->stack[--depth];
        if (branch(near, node, FIRST_PLACE) >= found || !may_have_for_first(division, near, node)) {
            continue;
        }
        if (branch(near, node, CHILD) >= 0) {
            depth = push_children(near, node, depth);
            continue;
        }
        for (int64_t i = branch(near, node, BEGIN); i < branch(near, node, END); i++) {
            const int64_t row = near->items[i];
            if (since <= row && row < found && may_go_first(division, row)) {
                found = row;
            }
        }
    }
    return found;
}

/* Return whether the first side takes no row of a node, which the box of the second covers but for
 * new values of these long sets. */
static bool none_for_first(const Division *division, Account *account, int64_t node,
                           uint64_t fresh) {
    const GroupTree *turns = division->trees->turns;
    const int64_t since = branch(turns, node, FIRST_PLACE);
    if (fresh == 0 && !division->close) {
        return true;
    }
    if (account->widened != division->widened_first) {
        account->widened = division->widened_first;
        account->soon = -1;
        account->close = find_close(division);
    }
    if (fresh == 0 && !account->close) {
        return true;
    }
    if (account->soon < since) {
        if (branch(turns, node, ALIVE) < MANY_ROWS) {
            return false;
        }
        account->soon = next_for_first(division, since);
    }
    return account->soon == NOTHING ||
           branch(turns, turns->leaf_of[account->soon], BEGIN) >= branch(turns, node, END);
}

/* Return whether new values of these long sets cost a side no more than the other: when it is the
 * host, or may become it, and has two values of each set. */
static bool takes_new(const Division *division, int64_t side, int64_t node, uint64_t fresh) {
    const SideBoxes *boxes = &division->boxes;
    if (boxes->host != side &&
        (boxes->host >= 0 || branch(division->trees->turns, node, ALIVE) < MANY_ROWS)) {
        return false;
    }
    for (int64_t x = 0; x < boxes->width; x++) {
        if (is_long(boxes->attributes, x) && boxes->high[side * boxes->width + x] < 2 &&
            (fresh & value_bit(fact(boxes->attributes, x, CHAIN))) != 0) {
            return false;
        }
    }
    return true;
}

/* Return whether a side takes every row of a node; the first side is asked first. */
static bool takes_all(Division *division, Account *account, int64_t side, int64_t node) {
    SideBoxes *boxes = &division->boxes;
    const GroupTree *turns = division->trees->turns;
    const bool long_sets = has_long_sets(turns);
    const uint64_t fresh = long_sets ? *fresh_sets(turns, node) : 0;
    if (!covers_node(boxes, turns, side, node) ||
        (long_sets && alone_in_node(division, account, side, node)) ||
        (fresh != 0 && !takes_new(division, side, node, fresh)) ||
        (side == SECOND_BOX && !none_for_first(division, account, node, fresh))) {
        return false;
    }
    if (fresh != 0) {
        boxes->host = side;
        account->known[1 - side] = -1;
        for (int64_t word = 0; word < boxes->columns; word++) {
            boxes->words[side * boxes->columns + word] |= node_words(turns, node)[word];
        }
    }
    return true;
}

/* Let a row whose turn has come widen a box, or go to the second side, or neither. */
static void take_turn(Division *division, Account *account, int64_t row) {
    const SplitScratch *scratch = division->scratch;
    division->looked_at++;
    if (covers_row(&division->boxes, FIRST_BOX, row)) {
        return;
    }
    const double one = box_growth(&division->boxes, FIRST_BOX, row);
    const double other = box_growth(&division->boxes, SECOND_BOX, row);
    const int64_t to = one <= other + TIE ? FIRST_BOX : SECOND_BOX;
    if (to == FIRST_BOX) {
        scratch->widened_first[division->widened_first++] = (int32_t)row;
    } else {
        scratch->on_second[division->on_second++] = (int32_t)row;
    }
    if (!covers_row(&division->boxes, to, row)) {
        widen(&division->boxes, to, row);
        scratch->taken[division->taken++] = (int32_t)row;
        note_new(division, account, to, row);
    }
}

void take_turns(Division *division) {
    const GroupTree *turns = division->trees->turns;
    Account account;
    begin_account(division, &account);
    division->boxes.turning = true;
    turns->stack[0] = 0;
    int64_t depth = 1;
    while (depth > 0) {
        const int64_t node = turns->stack[--depth];
        if (branch(turns, node, ALIVE) == 0 || takes_all(division, &account, FIRST_BOX, node)) {
            continue;
        }
        if (takes_all(division, &account, SECOND_BOX, node)) {
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
                take_turn(division, &account, row);
            }
        }
    }
    division->boxes.turning = false;
}
