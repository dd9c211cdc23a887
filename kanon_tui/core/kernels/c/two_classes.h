/* Distribute the records of two classes anew, so that together they cost less; `refining.py`
 * says what a class costs.
 *
 * Every term of a cost is >= 0, so a sum is abandoned as soon as it is too high.
 */
#ifndef KANON_TWO_CLASSES_H
#define KANON_TWO_CLASSES_H

#include "boxes.h"
#include "kernel.h"

/* The side of a record that has none yet. */
#define UNDECIDED 2
/* Two classes swap records only up to this number together, or up to 4k if that is more. */
#define SWAPPED 256

KN_INLINE int32_t *ends_of(const TwoSides *sides, int64_t s, int64_t x) {
    return sides->ends + (s * sides->ends_shape1 + x) * 4;
}

KN_INLINE int32_t *counts_of(const TwoSides *sides, int64_t s) {
    return sides->counts + s * sides->counts_shape1;
}

KN_INLINE int32_t *on_rule_of(const TwoSides *sides, int64_t s, int64_t r) {
    return sides->on_rule + (s * sides->on_rule_shape1 + r) * 2;
}

/* Return the sum of a side's places along a number, and that of their squares. */
KN_INLINE double *moments_of(const TwoSides *sides, int64_t s, int64_t x) {
    return sides->moments + (s * sides->moments_shape1 + x) * 2;
}

KN_INLINE bool is_squared(const RecordCosts *costs, int64_t x) {
    return costs->squared && fact(costs->attributes, x, KIND) == LINE;
}

/* Add the place of a value to the moments of a side, or with -1 subtract it. */
KN_INLINE void add_place(const RecordCosts *costs, double *moments, int64_t x, int32_t value,
                         double sign) {
    const double place = costs->attributes->line[fact(costs->attributes, x, START) + value];
    moments[0] += sign * place;
    moments[1] += sign * place * place;
}

KN_INLINE int32_t value_at(const RecordCosts *costs, int64_t type, int64_t x) {
    return costs->values[type * costs->values_shape1 + x];
}

KN_INLINE int32_t rule_side(const RecordCosts *costs, int64_t type, int64_t r) {
    return costs->rule_sides[type * costs->rule_sides_shape1 + r];
}

/* Return (records shown · extent) of a side along an attribute, without one value and with another;
 * or the squared differences from the mean. */
KN_INLINE double shown_extent(const RecordCosts *costs, const TwoSides *sides, int64_t s, int64_t x,
                              int32_t old, int32_t new) {
    const Attributes *attributes = costs->attributes;
    const int64_t at = s * sides->shown_shape1 + x;
    const int64_t shown = sides->shown[at] - (old >= 0) + (new >= 0);
    if (is_squared(costs, x)) {
        const double *now = moments_of(sides, s, x);
        double moments[2] = {now[0], now[1]};
        if (old >= 0) {
            add_place(costs, moments, x, old, -1.0);
        }
        if (new >= 0) {
            add_place(costs, moments, x, new, 1.0);
        }
        return shown > 0 ? max_f64(moments[1] - moments[0] * moments[0] / (double)shown, 0.0) : 0.0;
    }
    if (fact(attributes, x, KIND) == SET) {
        const int32_t *counts = counts_of(sides, s) + fact(attributes, x, START);
        int64_t count = sides->distinct[at];
        count -= old >= 0 && counts[old] == 1;
        count += new >= 0 && counts[new] == (old == new);
        return (double)shown * set_extent(attributes, x, count);
    }
    const int32_t *ends = ends_of(sides, s, x);
    int32_t low = old == ends[LOWEST] ? ends[SECOND_LOWEST] : ends[LOWEST];
    int32_t high = old == ends[HIGHEST] ? ends[SECOND_HIGHEST] : ends[HIGHEST];
    if (new >= 0) {
        low = KN_MIN(low, new);
        high = KN_MAX(high, new);
    }
    return (double)shown * extent(attributes, x, low, high);
}

/* Return `base` plus the cost of a side without a record of one type and with one of another; inf
 * if that is not below the limit. */
static double added_cost(const RecordCosts *costs, const TwoSides *sides, int64_t s, int64_t leaves,
                         int64_t joins, double base, double limit) {
    double total = 0.0;
    for (int64_t x = 0; x < costs->rates_shape0; x++) {
        const int32_t old = leaves >= 0 ? value_at(costs, leaves, x) : HIDDEN_CELL;
        const int32_t new = joins >= 0 ? value_at(costs, joins, x) : HIDDEN_CELL;
        total += costs->rates[x] * shown_extent(costs, sides, s, x, old, new);
        if (base + total >= limit) {
            return INFINITY;
        }
    }
    const int64_t size = sides->size[s] - (leaves >= 0) + (joins >= 0);
    for (int64_t r = 0; r < costs->rule_rates_shape0; r++) {
        const int32_t *now = on_rule_of(sides, s, r);
        const int32_t old = leaves >= 0 ? rule_side(costs, leaves, r) : 0;
        const int32_t new = joins >= 0 ? rule_side(costs, joins, r) : 0;
        if (now[0] - (old == 1) + (new == 1) > 0 && now[1] - (old == 2) + (new == 2) > 0) {
            total += costs->rule_rates[r] * (double)size;
        }
    }
    return base + total;
}

/* Return the cost of a side. */
KN_INLINE double class_cost(const RecordCosts *costs, const TwoSides *sides, int64_t s) {
    return added_cost(costs, sides, s, NO_RECORD, NO_RECORD, 0.0, INFINITY);
}

/* Return the cost of a side with one more record of a type. */
KN_INLINE double cost_with(const RecordCosts *costs, const TwoSides *sides, int64_t s,
                           int64_t type) {
    return added_cost(costs, sides, s, NO_RECORD, type, 0.0, INFINITY);
}

static inline void add_value(const TwoSides *sides, int64_t s, int64_t x, int32_t value) {
    int32_t *ends = ends_of(sides, s, x);
    if (value < ends[LOWEST]) {
        ends[SECOND_LOWEST] = ends[LOWEST];
        ends[LOWEST] = value;
    } else if (value < ends[SECOND_LOWEST]) {
        ends[SECOND_LOWEST] = value;
    }
    if (value > ends[HIGHEST]) {
        ends[SECOND_HIGHEST] = ends[HIGHEST];
        ends[HIGHEST] = value;
    } else if (value > ends[SECOND_HIGHEST]) {
        ends[SECOND_HIGHEST] = value;
    }
}

/* Add a record to a side. */
static void add_record(const RecordCosts *costs, const TwoSides *sides, int64_t s, int64_t type) {
    sides->size[s]++;
    for (int64_t x = 0; x < costs->rates_shape0; x++) {
        const int32_t value = value_at(costs, type, x);
        if (value < 0) {
            continue;
        }
        sides->shown[s * sides->shown_shape1 + x]++;
        if (fact(costs->attributes, x, KIND) == SET) {
            int32_t *counted = counts_of(sides, s) + fact(costs->attributes, x, START) + value;
            sides->distinct[s * sides->distinct_shape1 + x] += *counted == 0;
            (*counted)++;
        } else if (is_squared(costs, x)) {
            add_place(costs, moments_of(sides, s, x), x, value, 1.0);
        } else {
            add_value(sides, s, x, value);
        }
    }
    for (int64_t r = 0; r < costs->rule_rates_shape0; r++) {
        const int32_t which = rule_side(costs, type, r);
        if (which > 0) {
            on_rule_of(sides, s, r)[which - 1]++;
        }
    }
}

/* Clear the counts of both sides, for the values that occur here. */
static void clear_sides(const RecordCosts *costs, const TwoSides *sides, int64_t records) {
    const int64_t attributes = costs->rates_shape0;
    for (int64_t s = 0; s < 2; s++) {
        sides->size[s] = 0;
        for (int64_t x = 0; x < attributes; x++) {
            int32_t *ends = ends_of(sides, s, x);
            ends[LOWEST] = ends[SECOND_LOWEST] = NOTHING;
            ends[HIGHEST] = ends[SECOND_HIGHEST] = -1;
            sides->shown[s * attributes + x] = 0;
            sides->distinct[s * attributes + x] = 0;
            moments_of(sides, s, x)[0] = moments_of(sides, s, x)[1] = 0.0;
        }
        for (int64_t r = 0; r < costs->rule_rates_shape0; r++) {
            on_rule_of(sides, s, r)[0] = on_rule_of(sides, s, r)[1] = 0;
        }
    }
    for (int64_t x = 0; x < attributes; x++) {
        const int64_t start = fact(costs->attributes, x, START);
        for (int64_t i = 0; fact(costs->attributes, x, KIND) == SET && i < records; i++) {
            const int32_t value = value_at(costs, sides->type[i], x);
            if (value >= 0) {
                counts_of(sides, 0)[start + value] = 0;
                counts_of(sides, 1)[start + value] = 0;
            }
        }
    }
}

/* Count both sides from the sides of their records. */
static void fill_sides(const RecordCosts *costs, const TwoSides *sides, int64_t records) {
    clear_sides(costs, sides, records);
    for (int64_t i = 0; i < records; i++) {
        if (sides->side[i] != UNDECIDED) {
            add_record(costs, sides, sides->side[i], sides->type[i]);
        }
    }
}

/* Return the record furthest from a record, the first of equals. */
static int64_t furthest(const RecordCosts *costs, const TwoSides *sides, int64_t records,
                        int64_t origin) {
    const int64_t width = costs->values_shape1;
    const int32_t *from = costs->values + sides->type[origin] * width;
    double best = TIE;
    int64_t found = origin;
    for (int64_t i = 0; i < records; i++) {
        const double away = pair_cost(costs->attributes, costs->rates,
                                      costs->values + sides->type[i] * width, from);
        if (away > best + TIE) {
            best = away;
            found = i;
        }
    }
    return found;
}

/* Write the cost that each record without a side would add to a side. */
static void measure_growth(const RecordCosts *costs, const TwoSides *sides, int64_t s,
                           int64_t records) {
    double *growth = sides->growth + s * sides->growth_shape1;
    const double now = class_cost(costs, sides, s);
    for (int64_t i = 0; i < records; i++) {
        if (sides->side[i] == UNDECIDED) {
            growth[i] = cost_with(costs, sides, s, sides->type[i]) - now;
        }
    }
}

/* Add the cheapest record to a side below k; return this side. */
static int64_t join_cheapest(const RecordCosts *costs, const TwoSides *sides, int64_t records,
                             int64_t k) {
    double least = INFINITY;
    int64_t chosen = 0, into = 0;
    for (int64_t s = 0; s < 2; s++) {
        const double *growth = sides->growth + s * sides->growth_shape1;
        for (int64_t i = 0; sides->size[s] < k && i < records; i++) {
            if (sides->side[i] == UNDECIDED && growth[i] < least - TIE) {
                least = growth[i];
                chosen = i;
                into = s;
            }
        }
    }
    sides->side[chosen] = (int32_t)into;
    add_record(costs, sides, into, sides->type[chosen]);
    return into;
}

/* Divide the records around two that are far apart; return false if all are alike.
 *
 * While a side has fewer than k records, the record that adds least to such a side joins it. The
 * others follow in order, each joining the side to which it adds less. */
static bool seed_sides(const RecordCosts *costs, const TwoSides *sides, int64_t records,
                       int64_t k) {
    const int64_t one = furthest(costs, sides, records, 0);
    const int64_t other = furthest(costs, sides, records, one);
    int32_t *side = sides->side;
    if (one == other) {
        return false;
    }
    for (int64_t i = 0; i < records; i++) {
        side[i] = UNDECIDED;
    }
    side[min_i64(one, other)] = 0;
    side[max_i64(one, other)] = 1;
    fill_sides(costs, sides, records);
    measure_growth(costs, sides, 0, records);
    measure_growth(costs, sides, 1, records);
    while (KN_MIN(sides->size[0], sides->size[1]) < k) {
        measure_growth(costs, sides, join_cheapest(costs, sides, records, k), records);
    }
    double now[2] = {class_cost(costs, sides, 0), class_cost(costs, sides, 1)};
    for (int64_t i = 0; i < records; i++) {
        if (side[i] == UNDECIDED) {
            const int64_t type = sides->type[i];
            const double first = cost_with(costs, sides, 0, type) - now[0];
            const double second = cost_with(costs, sides, 1, type) - now[1];
            side[i] = second < first - TIE;
            add_record(costs, sides, side[i], type);
            now[side[i]] = class_cost(costs, sides, side[i]);
        }
    }
    return true;
}

/* Return whether a side may be narrower without a record; if not, swapping it gains nothing. */
static bool narrows_side(const RecordCosts *costs, const TwoSides *sides, int64_t s, int64_t type) {
    if (costs->squared) {
        return true; /* every swap changes the means */
    }
    for (int64_t x = 0; x < costs->rates_shape0; x++) {
        const int32_t value = value_at(costs, type, x);
        if (value < 0) {
            continue;
        }
        const int32_t *ends = ends_of(sides, s, x);
        if (fact(costs->attributes, x, KIND) == SET
                ? counts_of(sides, s)[fact(costs->attributes, x, START) + value] == 1
                : (value == ends[LOWEST] && value != ends[SECOND_LOWEST]) ||
                      (value == ends[HIGHEST] && value != ends[SECOND_HIGHEST])) {
            return true;
        }
    }
    for (int64_t r = 0; r < costs->rule_rates_shape0; r++) {
        const int32_t which = rule_side(costs, type, r);
        if (which > 0 && on_rule_of(sides, s, r)[which - 1] == 1) {
            return true;
        }
    }
    return false;
}

/* A record that moves to the other side, and the record that is swapped with it. */
typedef struct {
    double cost;     /* of both sides afterwards */
    int64_t moves;   /* -1: none */
    int64_t swapped; /* -1: none */
} Move;

/* Replace the best move by that of record i to the other side (with j >= 0 by the swap of i and j)
 * if that is better. */
static void try_move(const RecordCosts *costs, const TwoSides *sides, int64_t i, int64_t j,
                     Move *best) {
    const int64_t s = sides->side[i], one = sides->type[i];
    const int64_t other = j >= 0 ? sides->type[j] : NO_RECORD;
    const double limit = best->cost - TIE;
    double cost = added_cost(costs, sides, s, one, other, 0.0, limit);
    if (cost < limit) {
        cost = added_cost(costs, sides, 1 - s, other, one, cost, limit);
    }
    if (cost < limit) {
        *best = (Move){cost, i, j};
    }
}

/* Move and swap records, the best first, while the cost falls; return the final cost of both sides.
 */
static double improve_sides(const RecordCosts *costs, const TwoSides *sides, int64_t records,
                            int64_t k) {
    int32_t *side = sides->side;
    const bool swaps = records <= max_i64(SWAPPED, 4 * k);
    for (;;) {
        fill_sides(costs, sides, records);
        const double now = class_cost(costs, sides, 0) + class_cost(costs, sides, 1);
        if (!(now > TIE)) {
            return now;
        }
        Move best = {now, -1, -1};
        for (int64_t i = 0; swaps && i < records; i++) {
            sides->narrows[i] = narrows_side(costs, sides, side[i], sides->type[i]);
        }
        for (int64_t i = 0; i < records; i++) {
            if (sides->size[side[i]] > k) {
                try_move(costs, sides, i, -1, &best);
            }
            for (int64_t j = 0; swaps && side[i] == 0 && j < records; j++) {
                if (side[j] == 1 && sides->type[i] != sides->type[j] &&
                    (sides->narrows[i] || sides->narrows[j])) {
                    try_move(costs, sides, i, j, &best);
                }
            }
        }
        if (best.moves < 0) {
            return now;
        }
        side[best.moves] = 1 - side[best.moves];
        if (best.swapped >= 0) {
            side[best.swapped] = 1 - side[best.swapped];
        }
    }
}

#endif
