/* Bounding boxes of strings; `string_boxes.py` says how. */
#include "kernel.h"

#define GUARDS UINT64_C(0x8080808080808080)

/* Return whether no level of `low` is above that of `high`; a level is below 128. */
KN_INLINE bool nowhere_above(const uint8_t *low, const uint8_t *high, int64_t bytes) {
    uint64_t above = 0;
    for (int64_t at = 0; at < bytes; at += LEVELS_PER_WORD) {
        uint64_t one, other;
        memcpy(&one, low + at, sizeof one);
        memcpy(&other, high + at, sizeof other);
        above |= ~((other | GUARDS) - one) & GUARDS;
    }
    return above == 0;
}

/* Return the highest worth of an attribute between two levels, with a share suppressed. */
static double most_worth(const LevelWorths *worths, int64_t a, int64_t from, int64_t to,
                         double share) {
    const double *values = worths->values + a * worths->values_shape1;
    const double *costs = worths->costs + a * worths->values_shape1;
    double most = values[to] - share * costs[to];
    for (int64_t level = from; level < to; level++) {
        most = max_f64(most, values[level] - share * costs[level]);
    }
    return most;
}

static double most_worth_of_box(const LevelWorths *worths, const uint8_t *low, const uint8_t *high,
                                double share) {
    double total = 0;
    for (int64_t a = 0; a < worths->values_shape0; a++) {
        total += most_worth(worths, a, low[a], high[a], share);
    }
    return total;
}

/* Raise the lowest levels by the strings that leave one way around them, and list those that leave
 * several. Return their number, or -1 if nothing is left of the box. */
static int64_t find_barring(const LevelWorths *worths, const KnownStrings *known, int64_t count,
                            uint8_t *low, const uint8_t *high, double *share, double mark) {
    const int64_t bytes = known->levels_shape1;
    int64_t found;
    bool narrowed;
    do {
        found = 0, narrowed = false;
        for (int64_t i = 0; i < count; i++) {
            const uint8_t *string = known->levels + i * bytes;
            if (!nowhere_above(low, string, bytes)) {
                continue;
            }
            int64_t ways = 0, way = 0;
            for (int64_t a = 0; a < worths->values_shape0; a++) {
                way = string[a] < high[a] ? a : way;
                ways += string[a] < high[a];
            }
            const double own = max_f64(*share, known->shares[i]);
            if (own <= 1 && most_worth_of_box(worths, low, high, own) > mark) {
                *share = ways == 0 ? own : *share;
            } else if (ways == 0) {
                return -1;
            } else if (ways == 1) {
                low[way] = string[way] + 1;
                narrowed = true;
            } else {
                known->barring[found++] = (int32_t)i;
            }
        }
    } while (narrowed);
    return found;
}

/* Return the least loss of the box over the ways around a string. */
static double least_loss(const LevelWorths *worths, const double *losses, const uint8_t *string,
                         const uint8_t *high) {
    double least = INFINITY;
    for (int64_t a = 0; a < worths->values_shape0; a++) {
        for (int64_t level = string[a] + 1; level <= high[a]; level++) {
            least = min_f64(least, losses[a * worths->values_shape1 + level]);
        }
    }
    return least;
}

BoxBound kn_string_boxes_bound_box(const LevelWorths *worths, const KnownStrings *strings,
                                   int64_t count, uint8_t *low, int64_t low_shape0,
                                   const uint8_t *high, int64_t high_shape0, double share,
                                   double mark) {
    (void)low_shape0, (void)high_shape0;
    const int64_t levels = worths->values_shape1, size = worths->values_shape0 * levels;
    BoxBound bound = {.worth = -INFINITY, .barring = -1};
    const int64_t found = find_barring(worths, strings, count, low, high, &share, mark);
    bound.most = most_worth_of_box(worths, low, high, share);
    bound.share = share;
    if (found < 0 || bound.most <= mark) {
        return bound;
    }
    for (int64_t a = 0; a < worths->values_shape0; a++) {
        const double all = most_worth(worths, a, low[a], high[a], share);
        for (int64_t level = low[a]; level <= high[a]; level++) {
            worths->losses[a * levels + level] = all - most_worth(worths, a, level, high[a], share);
        }
    }
    memcpy(worths->left, worths->losses, (size_t)size * sizeof *worths->left);
    double most = -1, certain = 0;
    for (int64_t j = 0; j < found; j++) {
        const uint8_t *string = strings->levels + strings->barring[j] * strings->levels_shape1;
        const double least = least_loss(worths, worths->losses, string, high);
        if (least > most) {
            most = least;
            bound.barring = strings->barring[j];
        }
    }
    for (int64_t j = -1; j < found && found > 0; j++) {
        const int64_t i = j < 0 ? bound.barring : strings->barring[j];
        const uint8_t *string = strings->levels + i * strings->levels_shape1;
        const double least = least_loss(worths, worths->left, string, high);
        certain += max_f64(least, 0);
        for (int64_t a = 0; a < worths->values_shape0 && least > 0; a++) {
            for (int64_t level = string[a] + 1; level <= high[a]; level++) {
                worths->left[a * levels + level] -= least; /* every way around loses this */
            }
        }
    }
    bound.worth = bound.most - certain;
    return bound;
}
