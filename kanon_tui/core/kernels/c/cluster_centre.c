#include "cluster_centre.h"
#include "sorting.h"

void count_record(const Contingency *table, int64_t row, int32_t by) {
    const int32_t *cells = table->cell + row * table->cell_shape1;
    const int64_t values = table->offsets[table->offsets_shape0 - 1];
    for (int64_t c = 0; c < table->cell_shape1; c++) {
        const int32_t cell = cells[c];
        if (cell < 0) {
            continue;
        }
        const int32_t group = table->group[cell];
        const int32_t counted = table->counts[cell] += by;
        table->size[group] += by;
        if (cell < values && cell != table->missing[group] && counted == (by > 0 ? 1 : 0)) {
            table->present[group] += by;
        }
    }
}

/* Return the cell of a row in the first context of an attribute that has k records left. */
static int64_t conditioned_cell(const Contingency *table, int64_t row, int64_t y, int64_t k) {
    const int32_t *cells = table->cell + row * table->cell_shape1;
    const int64_t whole = table->columns[y + 1] - 1;
    int64_t c = table->columns[y];
    while (c < whole && (cells[c] < 0 || table->size[table->group[cells[c]]] < k)) {
        c++;
    }
    return cells[c];
}

/* A key for sorting is a difference of counts, and below it a value. */
#define KEY_SHIFT 32
#define VALUE_OF_KEY 0xffffffff
/* So many keys are compared, more are counted. */
#define FEW_KEYS 64
#define BITS_AT_A_TIME 11

/* Sort keys, which rise in their values, by their counts alone, some bits at a time; return them
 * in one of the two arrays. */
static const int64_t *sort_by_counts(int64_t *keys, int64_t *spare, int64_t size, int64_t most) {
    for (int64_t shift = KEY_SHIFT; most > 0; shift += BITS_AT_A_TIME, most >>= BITS_AT_A_TIME) {
        int32_t starts[1 << BITS_AT_A_TIME];
        const int64_t mask = (1 << BITS_AT_A_TIME) - 1, used = min_i64(most, mask) + 1;
        memset(starts, 0, (size_t)used * sizeof *starts);
        for (int64_t i = 0; i < size; i++) {
            starts[keys[i] >> shift & mask]++;
        }
        for (int32_t i = 0, start = 0; i < used; i++) {
            const int32_t count = starts[i];
            starts[i] = start;
            start += count;
        }
        for (int64_t i = 0; i < size; i++) {
            spare[starts[keys[i] >> shift & mask]++] = keys[i];
        }
        int64_t *const sorted = spare;
        spare = keys;
        keys = sorted;
    }
    return keys;
}

/* Find the other values of an attribute, the most similar to that of a cell first: their counts in
 * its group differ least. Return them below their keys, and their number. */
static const int64_t *order_by_similarity(const Contingency *table, int64_t y, int64_t own_cell,
                                          int64_t *found) {
    const int64_t offset = table->offsets[y], width = table->offsets[y + 1] - offset;
    const int64_t missing = table->missing[y] - offset, group = table->group[own_cell];
    const int64_t own = table->value[own_cell], own_count = table->counts[own_cell];
    const int32_t *left = table->counts + offset, *within = left;
    int64_t size = 0, most = 0;
    if (group != y) { /* not all records */
        memset(table->within, 0, (size_t)width * sizeof *table->within);
        for (int64_t cell = table->starts[group]; cell < table->starts[group + 1]; cell++) {
            table->within[table->value[cell]] = table->counts[cell];
        }
        within = table->within;
    }
    for (int64_t value = 0; value < width; value++) {
        if (left[value] > 0 && value != own && value != missing) {
            const int64_t differs = abs_i64(within[value] - own_count);
            table->keys[size++] = differs << KEY_SHIFT | value;
            most = max_i64(most, differs);
        }
    }
    *found = size;
    if (size > FEW_KEYS) {
        return sort_by_counts(table->keys, table->order, size, most);
    }
    sort_i64(table->keys, size);
    return table->keys;
}

/* Set the distance of every value from those of a row. */
static void measure(const Contingency *table, int64_t row, int64_t k, bool spatial,
                    const Centre *centre) {
    double below = 1.0, *distance = centre->distance; /* below: the smallest of the attribute */
    for (int64_t y = 0; y < table->missing_shape0; y++) {
        const int64_t *labels = centre->label + table->offsets[y];
        const int64_t own = table->cell[row * table->cell_shape1 + table->columns[y + 1] - 1];
        const bool ordered = table->present[y] > 2 && own != table->missing[y];
        for (int64_t label = centre->offsets[y]; label < centre->offsets[y + 1]; label++) {
            distance[label] = spatial && ordered ? 0.0 : 1.0;
        }
        if (table->missing[y] >= 0) {
            distance[centre->label[table->missing[y]]] = 1.0;
        }
        distance[centre->label[own]] = 0.0;
        table->chosen[y] = -1;
        if (!ordered) {
            below = 1.0;
            continue;
        }
        const int64_t cell = conditioned_cell(table, row, y, k);
        table->chosen[y] = table->group[cell];
        if (below == 0.0) { /* so are all */
            continue;
        }
        int64_t others;
        const int64_t *order = order_by_similarity(table, y, cell, &others);
        for (int64_t place = others - 1; place >= 0 && below > 0.0; place--) {
            double *away = &distance[labels[order[place] & VALUE_OF_KEY]];
            if (spatial) {
                below /= (double)others;
                *away = below;
            } else {
                *away = (double)(place + 1) / (double)others;
            }
        }
    }
}

KN_INLINE void set_bit(uint64_t *words, int64_t slot) {
    words[slot >> 6] |= (uint64_t)1 << (slot & 63);
}

void kn_cluster_centre_fill_words(const BoxTree *tree, const Centre *centre) {
    const int64_t columns = centre->words_shape1, categories = tree->labels_shape1;
    for (int64_t node = tree->start_shape0 - 1; node >= 0; node--) { /* children before parents */
        uint64_t *words = centre->words + node * columns;
        if (tree->child[node] >= 0) {
            const uint64_t *one = centre->words + tree->child[node] * columns;
            const uint64_t *other = one + columns;
            for (int64_t w = 0; w < columns; w++) {
                words[w] = one[w] | other[w];
            }
            continue;
        }
        for (int64_t i = tree->start[node]; i < tree->end[node]; i++) {
            for (int64_t y = 0; y < categories; y++) {
                set_bit(words, centre->slot[centre->offsets[y] + tree->labels[i * categories + y]]);
            }
        }
    }
}

void start_centre(const BoxTree *tree, int64_t position, const Contingency *table, int64_t row,
                  int64_t k, bool spatial, const Centre *centre) {
    const int64_t numbers = centre->place_shape0;
    measure(table, row, k, spatial, centre);
    for (int64_t x = 0; x < numbers; x++) {
        const double place = tree->places[position * tree->places_shape1 + x];
        const bool missing = isnan(place);
        centre->blank[x] = missing;
        centre->place[x] = place;
        centre->total[x] = missing ? 0.0 : place;
        centre->terms[x] = missing ? 0 : 1;
    }
    for (int64_t slot = 0; slot < centre->least_shape0; slot++) {
        centre->least[slot] = INFINITY;
    }
    memset(centre->zero, 0, (size_t)centre->zero_shape0 * sizeof *centre->zero);
    for (int64_t value = 0; value < centre->label_shape0; value++) {
        if (table->counts[value] > 0) {
            const int64_t label = centre->label[value], slot = centre->slot[label];
            const double away = centre->distance[label];
            centre->least[slot] = min_f64(centre->least[slot], away);
            if (away == 0.0) {
                set_bit(centre->zero, slot);
            }
        }
    }
}

void add_to_centre(const BoxTree *tree, int64_t position, const Centre *centre) {
    const int64_t numbers = centre->place_shape0, categories = centre->offsets_shape0 - 1;
    for (int64_t x = 0; x < numbers; x++) {
        const double place = tree->places[position * tree->places_shape1 + x];
        if (isnan(place)) {
            centre->blank[x] = true;
        } else {
            centre->total[x] += place;
            centre->terms[x]++;
            centre->place[x] = centre->total[x] / (double)centre->terms[x];
        }
    }
    for (int64_t y = 0; y < categories; y++) {
        const int64_t value = centre->offsets[y] + tree->labels[position * categories + y];
        const int64_t slot = centre->slot[value];
        centre->distance[value] = 0.0;
        centre->least[slot] = 0.0;
        set_bit(centre->zero, slot);
    }
}
