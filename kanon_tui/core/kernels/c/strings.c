/* Pruning a list of strings: one pass over packed codes, in place.
 *
 * A kept string moves down behind the strings kept before. A string that is not kept is moved as
 * well and overwritten by the next one, so that no pass branches on the outcome of a test, which
 * the processor could not predict.
 */
#include "kernel.h"

KN_INLINE uint64_t field_of(const CodeFields *fields, const uint64_t *code, int64_t a) {
    return (code[fields->word[a]] >> fields->shift[a]) & fields->mask[a];
}

/* Return whether no level of `low` is above that of `high`. */
KN_INLINE bool nowhere_above(const CodeFields *fields, const uint64_t *low, const uint64_t *high) {
    uint64_t above = 0;
    for (int64_t w = 0; w < fields->guards_shape0; w++) {
        const uint64_t guards = fields->guards[w];
        above |= (((high[w] | guards) - low[w]) & guards) ^ guards;
    }
    return above == 0;
}

KN_INLINE void copy_code(uint64_t *to, const uint64_t *from, int64_t words) {
    for (int64_t w = 0; w < words; w++) {
        to[w] = from[w];
    }
}

KN_INLINE void move_down(const SortedStrings *strings, int64_t from, int64_t to) {
    const int64_t words = strings->codes_shape1;
    copy_code(strings->codes + to * words, strings->codes + from * words, words);
    strings->values[to] = strings->values[from];
}

int64_t kn_strings_drop_specific(const CodeFields *fields, const SortedStrings *strings,
                                 int64_t start, int64_t end, const uint64_t *code,
                                 int64_t code_shape0) {
    int64_t kept = start;
    for (int64_t i = start; i < end; i++) {
        const bool specific = nowhere_above(fields, strings->codes + i * code_shape0, code);
        move_down(strings, i, kept);
        kept += !specific;
    }
    return kept;
}

TakenStrings kn_strings_take_general(const CodeFields *fields, const SortedStrings *strings,
                                     int64_t start, int64_t end, const uint64_t *code,
                                     int64_t code_shape0, uint64_t *taken, int64_t taken_shape0,
                                     int64_t taken_shape1) {
    (void)taken_shape0;
    int64_t kept = start, moved = 0;
    for (int64_t i = start; i < end; i++) {
        const uint64_t *own = strings->codes + i * code_shape0;
        const bool general = nowhere_above(fields, code, own);
        copy_code(taken + moved * taken_shape1, own, taken_shape1);
        move_down(strings, i, kept);
        moved += general;
        kept += !general;
    }
    return (TakenStrings){.end = kept, .moved = moved};
}

/* Return whether a code is at most another one; the first word is the most significant. */
static bool at_most(const uint64_t *code, const uint64_t *other, int64_t words) {
    for (int64_t w = 0; w < words; w++) {
        if (code[w] != other[w]) {
            return code[w] < other[w];
        }
    }
    return true;
}

int64_t kn_strings_drop_dominated(const CodeFields *fields, const SortedStrings *strings,
                                  int64_t start, int64_t tied, int64_t end, const uint64_t *best,
                                  int64_t best_shape0, int64_t best_shape1,
                                  const double *best_values, int64_t best_values_shape0,
                                  const int64_t *best_roots, int64_t best_roots_shape0) {
    (void)best_values_shape0, (void)best_roots_shape0;
    int64_t kept = start;
    for (int64_t i = start; i < end; i++) {
        const uint64_t *own = strings->codes + i * best_shape1;
        bool lost = false;
        if (i < tied) {
            int64_t roots = 0;
            for (int64_t a = 0; a < fields->word_shape0; a++) {
                roots += field_of(fields, own, a) == fields->root[a];
            }
            for (int64_t b = 0; b < best_shape0 && !lost; b++) {
                lost =
                    !(best_values[b] < strings->values[i]) &&
                    (best_roots[b] < roots ||
                     (best_roots[b] == roots && at_most(best + b * best_shape1, own, best_shape1)));
            }
        }
        move_down(strings, i, kept);
        kept += !lost;
    }
    return kept;
}

int64_t kn_strings_drop_lonely(const CodeFields *fields, const SortedStrings *strings,
                               int64_t start, int64_t end, const int64_t *places,
                               int64_t places_shape0, const int32_t *sizes, int64_t sizes_shape0,
                               int64_t k) {
    (void)sizes_shape0;
    const int64_t words = strings->codes_shape1;
    int64_t kept = start;
    for (int64_t i = start; i < end; i++) {
        const uint64_t *own = strings->codes + i * words;
        int64_t point = 0;
        for (int64_t a = 0; a < places_shape0; a++) {
            point += (int64_t)field_of(fields, own, a) * places[a];
        }
        move_down(strings, i, kept);
        kept += sizes[point] >= k;
    }
    return kept;
}
