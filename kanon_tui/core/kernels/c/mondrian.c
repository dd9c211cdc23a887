/* Mondrian: measure a part of the table, find its cut, divide it, repeat.
 *
 * The table of ranks is reordered in place, so that every part is a run of consecutive rows and
 * all passes read memory in order. Open parts wait on a stack, the lower side of a cut on top.
 */
#include "kernel.h"
#include "sorting.h"
#include "ties.h"

/* Rows that stay in the fastest cache. */
#define BLOCK 512

/* A level of the stack: start, end; per attribute LOW, HIGH, DISTINCT; last the records. */
#define LOW_RANK(part, x) (part)[2 + 3 * (x)]
#define HIGH_RANK(part, x) (part)[3 + 3 * (x)]
#define DISTINCT(part, x) (part)[4 + 3 * (x)]
#define RECORDS(part, attributes) (part)[2 + 3 * (attributes)]

typedef struct {
    int64_t attribute; /* -1: none */
    int64_t size;      /* records of the lower side */
    int64_t rank;      /* highest rank of the lower side */
    int64_t equal;     /* rows at that rank that go to the lower side */
} Cut;

/* `seen` is stamped with a new number each time, so it is never cleared. Each attribute goes
 * through a few rows at a time, which stay in the cache for the next attribute. */
static void measure_ranks(const Axes *axes, const Parts *parts, int64_t start, int64_t end,
                          int64_t level) {
    const int64_t attributes = parts->table_shape1;
    const int32_t *table = parts->table;
    int64_t *part = parts->stack + level * parts->stack_shape1;
    const int32_t stamp = ++parts->seen[parts->seen_shape0 - 1];
    int64_t records = 0;
    for (int64_t i = start; i < end; i++) {
        records += parts->copies[i];
    }
    part[0] = start;
    part[1] = end;
    RECORDS(part, attributes) = records;
    for (int64_t x = 0; x < attributes; x++) {
        LOW_RANK(part, x) = HIGH_RANK(part, x) = table[start * attributes + x];
        DISTINCT(part, x) = 0;
    }
    for (int64_t begin = start; begin < end; begin += BLOCK) {
        const int64_t stop = min_i64(begin + BLOCK, end);
        for (int64_t x = 0; x < attributes; x++) {
            int32_t *seen = parts->seen + axes->offsets[x];
            int32_t low = (int32_t)LOW_RANK(part, x), high = (int32_t)HIGH_RANK(part, x);
            int64_t distinct = DISTINCT(part, x);
            for (int64_t i = begin; i < stop; i++) {
                const int32_t rank = table[i * attributes + x];
                low = rank < low ? rank : low;
                high = rank > high ? rank : high;
                distinct += seen[rank] != stamp;
                seen[rank] = stamp;
            }
            LOW_RANK(part, x) = low;
            HIGH_RANK(part, x) = high;
            DISTINCT(part, x) = distinct;
        }
    }
}

/* Return the normalised width of a part along an attribute, 0 to 1. */
static double width_of(const Axes *axes, const int64_t *part, int64_t x) {
    const int64_t low = LOW_RANK(part, x), high = HIGH_RANK(part, x);
    const int64_t begin = axes->offsets[x], end = axes->offsets[x + 1];
    if (low == high) {
        return 0.0;
    }
    if (!axes->ordered[x]) {
        return (double)(DISTINCT(part, x) - 1) / (double)(end - begin - 1);
    }
    const double width = axes->places[begin + high] - axes->places[begin + low];
    return isnan(width) ? 1.0 : width; /* a missing value has the highest rank and no place */
}

/* Return the share of an attribute's values under the lowest common label of two ranks. */
static double label_cover(const Axes *axes, int64_t low, int64_t high) {
    const int64_t levels = axes->levels_shape1;
    for (int64_t level = 0; level < levels; level++) {
        const int32_t label = axes->levels[low * levels + level];
        if (label >= 0 && label == axes->levels[high * levels + level]) {
            return axes->covers[low * levels + level];
        }
    }
    return 1.0;
}

/* Return the cost of publishing a part as one class: its NCP times its records. */
static double loss_of(const Axes *axes, const int64_t *part) {
    const int64_t attributes = axes->weights_shape0;
    double total = 0.0;
    for (int64_t x = 0; x < attributes; x++) {
        const int64_t begin = axes->offsets[x];
        if (LOW_RANK(part, x) == HIGH_RANK(part, x)) {
            continue;
        }
        double cost;
        if (axes->ordered[x]) {
            cost = width_of(axes, part, x);
        } else if (axes->levels[begin * axes->levels_shape1] < 0) { /* a set is published */
            cost = (double)DISTINCT(part, x) / (double)(axes->offsets[x + 1] - begin);
        } else { /* ranks follow the tree: the ancestor of the ends is that of all */
            cost = label_cover(axes, begin + LOW_RANK(part, x), begin + HIGH_RANK(part, x));
        }
        total += axes->weights[x] * cost;
    }
    return total * (double)RECORDS(part, attributes);
}

static void measure_part(const Axes *axes, const Parts *parts, int64_t start, int64_t end,
                         int64_t level) {
    measure_ranks(axes, parts, start, end, level);
    const int64_t *part = parts->stack + level * parts->stack_shape1;
    parts->losses[level] = loss_of(axes, part);
    for (int64_t x = 0; x < parts->widths_shape1; x++) {
        parts->widths[level * parts->widths_shape1 + x] = width_of(axes, part, x);
    }
    memset(parts->proposals + level * PROPOSAL_COLUMNS, 0, PROPOSAL_COLUMNS * sizeof(int64_t));
}

void kn_mondrian_measure(const Axes *axes, const Parts *parts, const int64_t *levels,
                         int64_t levels_shape0) {
    for (int64_t i = 0; i < levels_shape0; i++) {
        const int64_t *part = parts->stack + levels[i] * parts->stack_shape1;
        measure_part(axes, parts, part[0], part[1], levels[i]);
    }
}

/* Write the ranks of the column in rising order to `keys` and their records to `counts`; return the
 * number of ranks. Counting costs O(rows + span); for sparse ranks sorting is cheaper. */
static int64_t find_ranks(const PartScratch *scratch, const int64_t *copies, int64_t rows,
                          int64_t low, int64_t high) {
    const int32_t *column = scratch->column;
    int64_t *counts = scratch->counts, *keys = scratch->keys, found = 0;
    if (high - low <= COUNTED_RANKS_PER_ROW * rows + COUNTED_RANKS) {
        memset(counts, 0, (size_t)(high - low + 1) * sizeof *counts);
        for (int64_t i = 0; i < rows; i++) {
            counts[column[i] - low] += copies[i];
        }
        for (int64_t step = 0; step <= high - low; step++) {
            keys[found] = low + step;
            counts[found] = counts[step];
            found += counts[step] > 0;
        }
        return found;
    }
    for (int64_t i = 0; i < rows; i++) { /* numbers of rank and place together */
        keys[i] = ((int64_t)column[i] << 32) | i;
    }
    sort_i64(keys, rows);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t place = keys[i] & 0xFFFFFFFF, rank = column[place];
        if (found == 0 || keys[found - 1] != rank) {
            counts[found] = 0;
            keys[found++] = rank;
        }
        counts[found - 1] += copies[place];
    }
    return found;
}

/* Return whether a cut comes after the last one of a proposal: it is further from the median, or as
 * far and higher. */
KN_INLINE bool comes_after(const int64_t *proposal, int64_t off, int64_t rank) {
    return proposal[REFUSED] == 0 || off > proposal[LAST_OFF] ||
           (off == proposal[LAST_OFF] && rank > proposal[CUT_RANK]);
}

/* Find the allowable cut nearest the median among those after the last one proposed; `size` is 0 if
 * there is none. */
static Cut strict_cut(const PartScratch *scratch, int64_t ranks, int64_t size, int64_t k,
                      const int64_t *last) {
    Cut best = {.size = 0, .rank = -1};
    int64_t best_off = size + 1, left = scratch->counts[0];
    for (int64_t i = 0; i + 1 < ranks && size - left >= k; left += scratch->counts[++i]) {
        const int64_t off = abs_i64(2 * left - size), rank = scratch->keys[i];
        if (left >= k && off < best_off && comes_after(last, off, rank)) {
            best = (Cut){.size = left, .rank = rank};
            best_off = off;
        }
    }
    return best;
}

typedef struct {
    int64_t rank;  /* of the record in the middle */
    int64_t below; /* records below that rank */
    int64_t upto;  /* records below or at it */
} Middle;

/* Find the rank of the record in the middle, counted from 1. */
static Middle find_middle(const PartScratch *scratch, int64_t middle) {
    Middle found = {.upto = 0};
    for (int64_t i = 0; found.upto < middle; i++) {
        found = (Middle){scratch->keys[i], found.upto, found.upto + scratch->counts[i]};
    }
    return found;
}

/* Move the rows below the cut's rank, and the first `equal` rows at it, to the front, in order.
 * Return the begin of the others. */
static int64_t divide(const Parts *parts, const PartScratch *scratch, int64_t start, int64_t end,
                      const Cut *cut) {
    const int64_t attributes = parts->table_shape1;
    const size_t row_bytes = (size_t)attributes * sizeof *parts->table;
    int64_t left = start, right = 0, equal = cut->equal;
    for (int64_t i = start; i < end; i++) {
        const int32_t *row = parts->table + i * attributes;
        const int64_t value = row[cut->attribute];
        equal -= value == cut->rank;
        if (value < cut->rank || (value == cut->rank && equal >= 0)) {
            if (left != i) {
                memcpy(parts->table + left * attributes, row, row_bytes);
            }
            parts->rows[left] = parts->rows[i];
            parts->copies[left] = parts->copies[i];
            left++;
        } else {
            memcpy(scratch->table + right * attributes, row, row_bytes);
            scratch->rows[right] = parts->rows[i];
            scratch->copies[right] = parts->copies[i];
            right++;
        }
    }
    memcpy(parts->table + left * attributes, scratch->table, (size_t)right * row_bytes);
    memcpy(parts->rows + left, scratch->rows, (size_t)right * sizeof *parts->rows);
    memcpy(parts->copies + left, scratch->copies, (size_t)right * sizeof *parts->copies);
    return left;
}

/* Choose the next cut of a part that was not proposed yet, of the widest attribute that has one. */
static Cut choose_cut(const Parts *parts, const PartScratch *scratch, const int64_t *part,
                      const double *widths, int64_t k, int64_t where, int64_t *last) {
    const int64_t attributes = parts->table_shape1;
    const int64_t size = RECORDS(part, attributes), rows = part[1] - part[0];
    const int64_t *copies = parts->copies + part[0];
    const Cut none = {.attribute = -1};
    for (int64_t x = 0; x < attributes; x++) {
        parts->tried[x] = -1;
    }
    if (size < 2 * k) {
        return none;
    }
    memcpy(scratch->widths, widths, (size_t)attributes * sizeof *widths);
    for (int64_t turn = 0; turn < attributes; turn++) {
        const int64_t x = first_of_largest(scratch->widths, attributes);
        const int64_t low = LOW_RANK(part, x), high = HIGH_RANK(part, x);
        scratch->widths[x] = -1.0;
        if (low == high) {
            continue;
        }
        parts->tried[turn] = x;
        if (turn < last[GIVEN_UP] || (turn == last[GIVEN_UP] && last[REFUSED] == MOST_REFUSED)) {
            continue;
        }
        if (turn > last[GIVEN_UP]) {
            last[GIVEN_UP] = turn;
            last[REFUSED] = 0;
        }
        for (int64_t i = 0; i < rows; i++) {
            scratch->column[i] = parts->table[(part[0] + i) * attributes + x];
        }
        if (where != ALLOWABLE && last[REFUSED] > 0) {
            continue; /* its median was refused */
        }
        const int64_t ranks = find_ranks(scratch, copies, rows, low, high);
        if (where == RELAXED) {
            const Middle middle = find_middle(scratch, size / 2);
            return (Cut){x, size / 2, middle.rank, size / 2 - middle.below};
        }
        Cut cut;
        if (where == MEDIAN) { /* the lower side ends with the lower median */
            const Middle middle = find_middle(scratch, (size + 1) / 2);
            cut = (Cut){.size = middle.upto, .rank = middle.rank};
        } else {
            cut = strict_cut(scratch, ranks, size, k, last);
        }
        if (min_i64(cut.size, size - cut.size) >= k) {
            cut.attribute = x;
            cut.equal = cut.size;
            return cut;
        }
    }
    return none;
}

void kn_mondrian_propose(const Parts *parts, const PartScratch *scratch, int64_t first,
                         int64_t depth, int64_t k, int64_t where) {
    for (int64_t level = first; level < depth; level++) {
        const int64_t *part = parts->stack + level * parts->stack_shape1;
        int64_t *proposal = parts->proposals + level * PROPOSAL_COLUMNS;
        const double *widths = parts->widths + level * parts->widths_shape1;
        const Cut cut = choose_cut(parts, scratch, part, widths, k, where, proposal);
        proposal[CUT_ATTRIBUTE] = cut.attribute;
        if (cut.attribute >= 0) {
            proposal[CUT_RECORDS] = cut.size;
            proposal[CUT_RANK] = cut.rank;
            proposal[CUT_MIDDLE] = divide(parts, scratch, part[0], part[1], &cut);
            proposal[LAST_OFF] = abs_i64(2 * cut.size - RECORDS(part, parts->table_shape1));
        }
    }
}
