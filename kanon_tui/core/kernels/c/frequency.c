/* Counting the classes of a generalisation string; `frequency.py` says how.
 *
 * The keys of a block of groups are computed first, then their slots: short loops let the processor
 * run ahead, and no branch depends on whether a class is new, which it could not predict. Keys may
 * wrap around, so they are unsigned.
 */
#include "kernel.h"

#define LARGEST_KEY (INT64_C(1) << 62)
/* Odd, near 2**64 / golden ratio: spreads keys over slots. */
#define SPREAD UINT64_C(0x9E3779B97F4A7C15)
/* Groups ahead for which the memory of a slot is prefetched. */
#define AHEAD 12
/* The largest number of chunks that one pass looks up. */
#define MOST_TOGETHER 6

typedef struct {
    int64_t product; /* of the radices */
    bool wide;       /* the product exceeds 63 bits: equal keys may be different labels */
} KeySpace;

typedef struct {
    int64_t count;
    uint64_t down; /* right shift of a spread key: its upper bits are its slot */
} Places;

typedef struct {
    int64_t classes; /* number of new classes */
    int64_t group;   /* group of the first class beyond the limit; -1 if there is none */
} Placed;

KN_INLINE uint64_t field_of(const TupleLayout *layout, const uint64_t *tuple, int64_t a) {
    return (tuple[layout->word[a]] >> layout->shift[a]) & layout->mask[a];
}

KN_INLINE int64_t at_level(const int64_t *table, const TupleLayout *layout, int64_t a,
                           int64_t level) {
    return table[a * layout->start_shape1 + level];
}

/* Fill in the start of the labels of every attribute, and its place value. Beyond 63 bits place
 * values are large odd numbers that wrap around. */
static KeySpace place_values(const int64_t *levels, const TupleLayout *layout,
                             const KeyScratch *scratch) {
    KeySpace space = {.product = 1, .wide = false};
    for (int64_t a = 0; a < layout->word_shape0; a++) {
        const int64_t count = at_level(layout->radix, layout, a, levels[a]);
        scratch->first[a] = at_level(layout->start, layout, a, levels[a]);
        scratch->stride[a] = 0;
        if (count > 1) {
            scratch->stride[a] = (uint64_t)space.product;
            space.wide = space.wide || space.product > LARGEST_KEY / count;
            space.product = space.wide ? (int64_t)(((uint64_t)space.product | 1) * SPREAD)
                                       : space.product * count;
        }
    }
    return space;
}

/* Return the largest size of a table of keys, which grows with the number of groups. */
static uint64_t most_keys(int64_t groups) {
    uint64_t keys = 2;
    while (keys < KEYS_PER_CHUNK && (int64_t)(16 * keys) < groups) {
        keys *= 2;
    }
    return keys;
}

/* Divide the attributes into chunks; return the number of chunks. */
static int64_t divide_into_chunks(const TupleLayout *layout, const KeyScratch *scratch,
                                  int64_t groups) {
    const uint64_t keys = most_keys(groups);
    int64_t chunks = 0, length = 0;
    for (int64_t a = 0; a < layout->word_shape0; a++) {
        const uint64_t mask = layout->mask[a], shift = layout->shift[a];
        const int64_t last = chunks - 1;
        scratch->chunk_of[a] = -1;
        if (scratch->stride[a] == 0 || mask == 0) { /* a single label or value */
            continue;
        }
        if (last >= 0 && scratch->chunk_stride[last] == 0 &&
            scratch->chunk_word[last] == layout->word[a]) {
            const uint64_t narrow = scratch->chunk_mask[last];
            const uint64_t wider = (mask << (shift - scratch->chunk_shift[last])) | narrow;
            if (wider < keys) {
                length += (int64_t)(wider - narrow);
                scratch->chunk_mask[last] = wider;
                scratch->chunk_of[a] = last;
                continue;
            }
        }
        scratch->chunk_word[chunks] = layout->word[a];
        scratch->chunk_shift[chunks] = shift;
        scratch->chunk_mask[chunks] = mask;
        if (mask < keys) {
            scratch->chunk_of[a] = chunks;
            scratch->chunk_first[chunks] = length;
            scratch->chunk_stride[chunks] = 0;
            length += (int64_t)mask + 1;
        } else {
            scratch->chunk_first[chunks] = scratch->first[a];
            scratch->chunk_stride[chunks] = scratch->stride[a];
        }
        chunks++;
    }
    return chunks;
}

/* Add an attribute to the table of its chunk. */
static void fill_table(const TupleLayout *layout, const KeyScratch *scratch, const int32_t *labels,
                       int64_t a) {
    const int64_t c = scratch->chunk_of[a];
    uint64_t *table = scratch->tables + scratch->chunk_first[c];
    const int64_t size = INT64_C(1) << (layout->shift[a] - scratch->chunk_shift[c]);
    const int64_t below = (int64_t)scratch->chunk_mask[c] & (size - 1); /* bits filled in so far */
    int64_t values = 0;
    for (int64_t level = 0; level < layout->radix_shape1; level++) {
        values = max_i64(values, at_level(layout->radix, layout, a, level));
    }
    if (size == 1) {
        table[0] = 0;
    }
    for (int64_t value = values - 1; value >= 0; value--) { /* the others copy those of 0 */
        const uint64_t part = (uint64_t)labels[scratch->first[a] + value] * scratch->stride[a];
        for (int64_t i = 0; i <= below; i++) {
            table[value * size + i] = table[i] + part;
        }
    }
}

/* Make chunks with tables of these labels; return the number of chunks. */
static int64_t make_chunks(const TupleLayout *layout, const KeyScratch *scratch,
                           const int32_t *labels, int64_t groups) {
    const int64_t chunks = divide_into_chunks(layout, scratch, groups);
    for (int64_t a = 0; a < layout->word_shape0; a++) {
        if (scratch->chunk_of[a] >= 0) {
            fill_table(layout, scratch, labels, a);
        }
    }
    return chunks;
}

/* Add the parts of some chunks of one word to keys. Callers pass a constant number of chunks, so
 * that the compiler unrolls the inner loop. */
KN_INLINE void add_parts(const uint64_t *fields, int64_t size, int64_t words, int64_t c,
                         int64_t chunks, const KeyScratch *scratch) {
    uint64_t *restrict keys = scratch->keys;
    const uint64_t *tables[MOST_TOGETHER];
    uint64_t shifts[MOST_TOGETHER], masks[MOST_TOGETHER];
    for (int64_t i = 0; i < chunks; i++) {
        tables[i] = scratch->tables + scratch->chunk_first[c + i];
        shifts[i] = scratch->chunk_shift[c + i];
        masks[i] = scratch->chunk_mask[c + i];
    }
    for (int64_t t = 0; t < size; t++) {
        const uint64_t word = fields[t * words];
        uint64_t key = keys[t];
#pragma GCC unroll 6
        for (int64_t i = 0; i < chunks; i++) {
            key += tables[i][(word >> shifts[i]) & masks[i]];
        }
        keys[t] = key;
    }
}

/* Add the part of an attribute that is too wide for a table. */
static void add_wide(const uint64_t *fields, int64_t size, int64_t words, int64_t c,
                     const int32_t *labels, const KeyScratch *scratch) {
    const uint64_t shift = scratch->chunk_shift[c], mask = scratch->chunk_mask[c];
    const uint64_t stride = scratch->chunk_stride[c];
    const int32_t *restrict own = labels + scratch->chunk_first[c];
    uint64_t *restrict keys = scratch->keys;
    for (int64_t t = 0; t < size; t++) {
        keys[t] += (uint64_t)own[(fields[t * words] >> shift) & mask] * stride;
    }
}

/* Return the number of consecutive chunks, at most six, that have tables and are in one word. */
static int64_t chunks_together(const KeyScratch *scratch, int64_t c, int64_t chunks) {
    int64_t together = 0;
    while (together < MOST_TOGETHER && c + together < chunks &&
           scratch->chunk_stride[c + together] == 0 &&
           scratch->chunk_word[c + together] == scratch->chunk_word[c]) {
        together++;
    }
    return together;
}

/* Fill in the keys of some tuples, a few chunks at a time. */
static void find_keys(const uint64_t *tuples, int64_t size, int64_t words, int64_t chunks,
                      const int32_t *labels, const KeyScratch *scratch) {
    memset(scratch->keys, 0, (size_t)size * sizeof *scratch->keys);
    for (int64_t c = 0; c < chunks;) {
        const uint64_t *fields = tuples + scratch->chunk_word[c];
        const int64_t together = chunks_together(scratch, c, chunks);
        switch (together) {
        case 0:
            add_wide(fields, size, words, c, labels, scratch);
            break;
        case 1:
            add_parts(fields, size, words, c, 1, scratch);
            break;
        case 2:
            add_parts(fields, size, words, c, 2, scratch);
            break;
        case 3:
            add_parts(fields, size, words, c, 3, scratch);
            break;
        case 4:
            add_parts(fields, size, words, c, 4, scratch);
            break;
        case 5:
            add_parts(fields, size, words, c, 5, scratch);
            break;
        default:
            add_parts(fields, size, words, c, 6, scratch);
        }
        c += max_i64(together, 1);
    }
}

/* Return whether two groups have the same labels. */
static bool same_labels(const ClassCounter *counter, const RecordGroups *groups, int64_t one,
                        int64_t other) {
    const TupleLayout *layout = counter->layout;
    const int64_t words = groups->tuples_shape1;
    for (int64_t a = 0; a < layout->word_shape0; a++) {
        const int32_t *labels = layout->labels + counter->scratch->first[a];
        if (labels[field_of(layout, groups->tuples + one * words, a)] !=
            labels[field_of(layout, groups->tuples + other * words, a)]) {
            return false;
        }
    }
    return true;
}

/* Clear the slots that at most `room` classes need. */
static Places clear_slots(const ClassSlots *slots, int64_t room, int64_t product, bool direct) {
    Places places = {.count = 16, .down = 60};
    while (places.count < 2 * room) {
        places.count *= 2;
        places.down--;
    }
    if (direct) {
        places.count = product;
    }
    memset(slots->sizes, 0, (size_t)places.count * sizeof *slots->sizes);
    return places;
}

/* Place groups whose keys are slots. */
static Placed place_directly(const uint64_t *keys, const int32_t *sizes, int64_t size, int64_t most,
                             int32_t *slot_of, int32_t *slot_sizes) {
    Placed placed = {.classes = 0, .group = -1};
    for (int64_t g = 0; g < size; g++) {
        const uint64_t slot = keys[g];
        const int32_t before = slot_sizes[slot];
        slot_sizes[slot] = before + sizes[g];
        slot_of[g] = (int32_t)slot;
        placed.classes += before == 0;
        if (placed.classes > most && placed.group < 0) {
            placed.group = g;
        }
    }
    return placed;
}

/* Place groups whose keys are hashed. A free slot has no records. Where keys are `wide`, groups
 * with the same key may differ. */
KN_INLINE Placed place_hashed(const ClassCounter *counter, const RecordGroups *groups,
                              int64_t begin, int64_t size, int64_t most, uint64_t down, bool wide) {
    Placed placed = {.classes = 0, .group = -1};
    const uint64_t last = (UINT64_C(1) << (64 - down)) - 1;
    const uint64_t *keys = counter->scratch->keys;
    const int32_t *sizes = groups->sizes + begin;
    uint64_t *slot_keys = counter->slots->keys;
    int32_t *slot_sizes = counter->slots->sizes, *slot_of = counter->slots->of + begin;
    int32_t *slot_groups = counter->slots->groups;
    for (int64_t g = 0; g < size; g++) {
        const uint64_t key = keys[g];
        uint64_t slot = (key * SPREAD) >> down;
        const uint64_t ahead = (keys[min_i64(g + AHEAD, size - 1)] * SPREAD) >> down;
        __builtin_prefetch(&slot_keys[ahead]);
        __builtin_prefetch(&slot_sizes[ahead]);
        for (;; slot = (slot + 1) & last) {
            const bool taken = slot_sizes[slot] != 0;
            const uint64_t other = (slot_keys[slot] ^ key) & -(uint64_t)taken; /* no branch */
            if (other == 0 &&
                !(wide && taken && !same_labels(counter, groups, begin + g, slot_groups[slot]))) {
                break;
            }
        }
        placed.classes += slot_sizes[slot] == 0;
        slot_keys[slot] = key;
        if (wide) {
            slot_groups[slot] = (int32_t)(begin + g);
        }
        slot_sizes[slot] += sizes[g];
        slot_of[g] = (int32_t)slot;
        if (placed.classes > most && placed.group < 0) {
            placed.group = g;
        }
    }
    return placed;
}

/* Fill in the smallest class, once all groups have their slots. */
static void add_smallest(const ClassSlots *slots, int64_t places, int64_t groups, int64_t k,
                         CountedClasses *counted) {
    const int32_t *sizes = slots->sizes, limit = (int32_t)min_i64(k, INT32_MAX);
    int64_t small = 0;
    uint32_t least = UINT32_MAX; /* one less than the smallest, which a free slot never is */
    for (int64_t place = 0; place < places; place++) {
        const int32_t size = sizes[place];
        small += size & -(size < limit);
        least = KN_MIN(least, (uint32_t)size - 1);
    }
    const int32_t smallest = (int32_t)(least + 1);
    int64_t group = 0;
    while (group < groups && sizes[slots->of[group]] != smallest) {
        group++;
    }
    counted->small = small;
    counted->smallest = smallest;
    counted->group = counted->group < 0 ? group : counted->group;
}

CountedClasses kn_frequency_count_classes(const ClassCounter *counter, const RecordGroups *groups,
                                          const int64_t *levels, int64_t levels_shape0,
                                          int64_t most, bool stop) {
    (void)levels_shape0;
    const TupleLayout *layout = counter->layout;
    const ClassSlots *slots = counter->slots;
    const KeyScratch *scratch = counter->scratch;
    const int64_t count = groups->tuples_shape0, words = groups->tuples_shape1;
    const KeySpace space = place_values(levels, layout, scratch);
    const int64_t chunks = make_chunks(layout, scratch, layout->labels, count);
    const bool direct =
        !space.wide && space.product <= min_i64(4 * count + 64, slots->sizes_shape0);
    const int64_t room = stop ? min_i64(count, most + KEYS_PER_BLOCK) : count;
    const Places places = clear_slots(slots, room, space.product, direct);
    CountedClasses counted = {.classes = 0, .group = -1};
    for (int64_t begin = 0; begin < count; begin += KEYS_PER_BLOCK) {
        const int64_t size = min_i64(KEYS_PER_BLOCK, count - begin);
        const int64_t left = most - counted.classes;
        find_keys(groups->tuples + begin * words, size, words, chunks, layout->labels, scratch);
        Placed placed;
        if (direct) {
            placed = place_directly(scratch->keys, groups->sizes + begin, size, left,
                                    slots->of + begin, slots->sizes);
        } else if (space.wide) {
            placed = place_hashed(counter, groups, begin, size, left, places.down, true);
        } else {
            placed = place_hashed(counter, groups, begin, size, left, places.down, false);
        }
        counted.classes += placed.classes;
        if (counted.group < 0 && placed.group >= 0) {
            counted.group = begin + placed.group;
            if (stop) {
                counted.classes = most + 1;
                return counted;
            }
        }
    }
    add_smallest(slots, places.count, count, counter->k, &counted);
    return counted;
}

void kn_frequency_collect_classes(const ClassCounter *counter, const RecordGroups *groups,
                                  int32_t *listed, int64_t listed_shape0, int64_t listed_shape1,
                                  int32_t *numbers, int64_t numbers_shape0) {
    (void)listed_shape0;
    const int32_t *restrict slot_of = counter->slots->of, *restrict members = groups->members;
    int32_t *restrict sizes = counter->slots->sizes;
    int32_t *restrict listed_sizes = listed + listed_shape1;
    int32_t classes = 0;
    for (int64_t g = 0; g < groups->members_shape0; g++) {
        const int32_t size = sizes[slot_of[g]];
        if (size > 0) {
            listed[classes] = members[g];
            listed_sizes[classes] = size;
            sizes[slot_of[g]] = -1 - classes++;
        }
        if (numbers_shape0 > 0) {
            numbers[g] = size > 0 ? classes - 1 : -1 - size;
        }
    }
}

/* Fill in, per label of the lowest levels, the number of levels above at which it agrees with a
 * tuple, and the place values of the grid. */
static void find_agreement(const uint64_t *tuple, const int64_t *lowest, const int64_t *sizes,
                           const TupleLayout *layout, const KeyScratch *scratch, int32_t *agree) {
    int64_t place = 1, length = 0;
    for (int64_t a = layout->word_shape0 - 1; a >= 0; a--) {
        const int64_t *start = layout->start + a * layout->start_shape1 + lowest[a];
        const int64_t mine = (int64_t)field_of(layout, tuple, a);
        const int64_t values = at_level(layout->radix, layout, a, lowest[a]);
        scratch->first[a] = length;
        scratch->stride[a] = sizes[a] > 1 ? (uint64_t)place : 0;
        place *= sizes[a];
        for (int64_t value = 0; value < values; value++) {
            int32_t level = 0;
            while (layout->labels[start[level] + value] != layout->labels[start[level] + mine]) {
                level++;
            }
            agree[length++] = level;
        }
    }
}

/* Turn the numbers along an attribute into cumulative sums. */
static void add_along(int32_t *grid, int64_t length, int64_t stride, int64_t size) {
    for (int64_t begin = 0; begin < length; begin += stride * size) {
        for (int64_t level = 1; level < size; level++) {
            int32_t *to = grid + begin + level * stride;
            const int32_t *from = to - stride;
            for (int64_t i = 0; i < stride; i++) {
                to[i] += from[i];
            }
        }
    }
}

void kn_frequency_class_everywhere(const ClassCounter *counter, const RecordGroups *groups,
                                   int64_t member, const int64_t *lowest, int64_t lowest_shape0,
                                   const int64_t *sizes, int64_t sizes_shape0, int32_t *agree,
                                   int64_t agree_shape0, int32_t *grid, int64_t grid_shape0) {
    (void)lowest_shape0, (void)agree_shape0;
    const TupleLayout *layout = counter->layout;
    const KeyScratch *scratch = counter->scratch;
    const int64_t count = groups->tuples_shape0, words = groups->tuples_shape1;
    find_agreement(groups->tuples + member * words, lowest, sizes, layout, scratch, agree);
    const int64_t chunks = make_chunks(layout, scratch, agree, count);
    memset(grid, 0, (size_t)grid_shape0 * sizeof *grid);
    for (int64_t begin = 0; begin < count; begin += KEYS_PER_BLOCK) {
        const int64_t size = min_i64(KEYS_PER_BLOCK, count - begin);
        find_keys(groups->tuples + begin * words, size, words, chunks, agree, scratch);
        for (int64_t t = 0; t < size; t++) {
            grid[scratch->keys[t]] += groups->sizes[begin + t];
        }
    }
    for (int64_t a = 0; a < sizes_shape0; a++) {
        if (scratch->stride[a] > 0) {
            add_along(grid, grid_shape0, (int64_t)scratch->stride[a], sizes[a]);
        }
    }
}
