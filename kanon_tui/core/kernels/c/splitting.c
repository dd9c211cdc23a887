/* Split a group of rows in two around a far-apart pair, and each part again.
 *
 * A group without trees is split by looking at every row: a round of the walk to the pair and the
 * sides cost O(rows · attributes) each. A side left with fewer than k records then takes rows from
 * the other one by one, which may be k times as much. Large groups have trees, which give the same
 * sides and are kept by the larger of the two.
 */
#include "splitting_search.h"
#include "splitting_sides.h"
#include "ties.h"

/* The rows that a split with trees is counted as. */
#define ROWS_PER_TREE_SPLIT 1000

/* A level of the stack of open groups. */
enum { GROUP_BEGIN, GROUP_END, GROUP_RECORDS, GROUP_COLUMNS };

/* The two sides of a group that is divided by looking at every row. */
typedef struct {
    SideBoxes boxes;
    const int32_t *members;
    int64_t size; /* members */
    bool per_record;
    int64_t sizes[2]; /* records */
    double extents[2];
} Scan;

/* Return the extent of the box around some distinct rows. */
static double extent_of_rows(const PricedRows *table, const SplitScratch *scratch,
                             const int32_t *members, int64_t size) {
    const SideBoxes boxes = new_boxes(table, scratch, 1, NULL);
    double total = 0.0;
    begin_box(&boxes, 0, members[0]);
    for (int64_t i = 1; i < size; i++) {
        widen(&boxes, 0, members[i]);
    }
    for (int64_t x = 0; x < boxes.width; x++) {
        total += is_set(table->attributes, x)
                     ? set_extent(table->attributes, x, boxes.high[x])
                     : extent(table->attributes, x, boxes.low[x], boxes.high[x]);
    }
    forget(&boxes, members, size);
    return total;
}

/* Set the records and the extent of a group on the stack from its rows. */
static void measure_group(const PricedRows *table, const OpenGroups *groups,
                          const SplitScratch *scratch, int64_t level) {
    int64_t *group = groups->stack + level * GROUP_COLUMNS, records = 0;
    const int32_t *members = groups->order + group[GROUP_BEGIN];
    const int64_t size = group[GROUP_END] - group[GROUP_BEGIN];
    for (int64_t i = 0; i < size; i++) {
        records += table->counts[members[i]];
    }
    group[GROUP_RECORDS] = records;
    groups->extents[level] = extent_of_rows(table, scratch, members, size);
}

void kn_splitting_measure_groups(const PricedRows *table, const OpenGroups *groups,
                                 const SplitScratch *scratch, int64_t depth) {
    for (int64_t level = 0; level < depth; level++) {
        measure_group(table, groups, scratch, level);
    }
}

/* Walk from a row to the one furthest from it, and on; rows are places among the members. */
static FarPair far_pair_by_scan(const PricedRows *table, const SplitScratch *scratch, int64_t size,
                                int64_t start, int64_t rounds) {
    const int32_t *members = scratch->members;
    double *distances = scratch->scores;
    int64_t here = start, there = start;
    for (int64_t round = 0; round < rounds; round++) {
        here = there;
        for (int64_t i = 0; i < size; i++) {
            distances[i] = apart(table, members[here], members[i]);
        }
        there = first_of_largest(distances, size);
    }
    return (FarPair){min_i64(here, there), max_i64(here, there), distances[there]};
}

/* Return the cost of growing the box of a side to take some more records. */
KN_INLINE double growth_cost(const Scan *scan, int64_t side, double grows, int64_t count) {
    if (!scan->per_record) {
        return grows;
    }
    const double size = (double)scan->sizes[side], more = (double)(scan->sizes[side] + count);
    return more * (scan->extents[side] + grows) - size * scan->extents[side];
}

/* Give every row to the seed whose box grows less. */
static void give_rows(Scan *scan, const FarPair *seeds, int32_t *side_of) {
    const PricedRows *table = scan->boxes.table;
    const int64_t places[2] = {seeds->first, seeds->second};
    for (int64_t side = 0; side < 2; side++) {
        const int32_t row = scan->members[places[side]];
        begin_box(&scan->boxes, side, row);
        scan->sizes[side] = table->counts[row];
        side_of[row] = (int32_t)side;
    }
    for (int64_t i = 0; i < scan->size; i++) {
        if (i == seeds->first || i == seeds->second) {
            continue;
        }
        const int32_t row = scan->members[i];
        const int64_t count = table->counts[row];
        const double one = box_growth(&scan->boxes, FIRST_BOX, row);
        const double other = box_growth(&scan->boxes, SECOND_BOX, row);
        const double cost_one = growth_cost(scan, FIRST_BOX, one, count);
        const double cost_other = growth_cost(scan, SECOND_BOX, other, count);
        const int64_t to = cost_one <= cost_other + TIE ? FIRST_BOX : SECOND_BOX;
        widen(&scan->boxes, to, row);
        scan->extents[to] += to == FIRST_BOX ? one : other;
        scan->sizes[to] += count;
        side_of[row] = (int32_t)to;
    }
}

/* Let a side with fewer than k records take rows from the other; return whether that is
 * possible. */
static bool fill_poor_side(Scan *scan, int64_t k, int32_t *side_of, double *gains) {
    const PricedRows *table = scan->boxes.table;
    const int64_t poor = scan->sizes[0] < scan->sizes[1] ? 0 : 1, rich = 1 - poor;
    while (scan->sizes[poor] < k) {
        for (int64_t i = 0; i < scan->size; i++) {
            const int32_t row = scan->members[i];
            const int64_t count = table->counts[row];
            gains[i] = -INFINITY;
            if (side_of[row] == rich && scan->sizes[rich] - count >= k) {
                const double grows = box_growth(&scan->boxes, poor, row);
                gains[i] = -growth_cost(scan, poor, grows, count);
            }
        }
        const int64_t best = first_of_largest(gains, scan->size);
        if (gains[best] == -INFINITY) {
            return false;
        }
        const int32_t row = scan->members[best];
        side_of[row] = (int32_t)poor;
        scan->extents[poor] += box_growth(&scan->boxes, poor, row);
        widen(&scan->boxes, poor, row);
        scan->sizes[poor] += table->counts[row];
        scan->sizes[rich] -= table->counts[row];
    }
    return true;
}

/* Write the rows of the first side and then the others; return how many the first has. There is
 * no branch, because no processor could predict it. */
static int64_t divide(const SplitScratch *scratch, int64_t size, int32_t *order) {
    int64_t middle = 0, others = 0;
    for (int64_t i = 0; i < size; i++) {
        const int32_t row = scratch->members[i], side = scratch->side_of[row];
        order[middle] = scratch->others[others] = row;
        others += side;
        middle += 1 - side;
    }
    for (int64_t i = 0; i < others; i++) {
        order[middle + i] = scratch->others[i];
        scratch->side_of[scratch->others[i]] = 0;
    }
    return middle;
}

/* Replace the group on top of the stack by its two sides, the first on top. */
static void part_group(const OpenGroups *groups, int64_t depth, int64_t middle, int64_t seed,
                       int64_t other_seed) {
    int64_t *second = groups->stack + (depth - 1) * GROUP_COLUMNS;
    int64_t *first = second + GROUP_COLUMNS;
    groups->event[0] = SPLIT;
    groups->event[2] = middle;
    groups->event[4] = seed;
    groups->event[5] = other_seed;
    first[GROUP_BEGIN] = second[GROUP_BEGIN];
    first[GROUP_END] = second[GROUP_BEGIN] = middle;
}

/* Split the group on top of the stack by looking at every row, if that is possible. */
static bool split_by_scan(const PricedRows *table, const OpenGroups *groups,
                          const SplitSettings *settings, const SplitScratch *scratch, int64_t depth,
                          double draw) {
    const int64_t *group = groups->stack + (depth - 1) * GROUP_COLUMNS;
    const int64_t begin = group[GROUP_BEGIN], size = group[GROUP_END] - begin;
    memcpy(scratch->members, groups->order + begin, (size_t)size * sizeof *scratch->members);
    const FarPair pair =
        far_pair_by_scan(table, scratch, size, (int64_t)(draw * (double)size), settings->rounds);
    if (pair.distance <= TIE) {
        return false;
    }
    Scan scan = {
        .boxes = new_boxes(table, scratch, 2, NULL),
        .members = scratch->members,
        .size = size,
        .per_record = settings->per_record,
    };
    give_rows(&scan, &pair, scratch->side_of);
    const bool enough = fill_poor_side(&scan, settings->k, scratch->side_of, scratch->scores);
    forget(&scan.boxes, scratch->members, size);
    if (!enough) {
        for (int64_t i = 0; i < size; i++) {
            scratch->side_of[scratch->members[i]] = 0;
        }
        return false;
    }
    part_group(groups, depth, begin + divide(scratch, size, groups->order + begin),
               scratch->members[pair.first], scratch->members[pair.second]);
    measure_group(table, groups, scratch, depth);
    measure_group(table, groups, scratch, depth - 1);
    return true;
}

/* Walk from a row to the one furthest from it, and on. */
static FarPair far_pair_by_tree(Division *division, int64_t start, int64_t rounds) {
    int64_t before, here = start, there = start;
    for (int64_t round = 0; round < rounds; round++) {
        before = here;
        here = there;
        RowSearch search = {.table = division->table, .tree = division->trees->near, .of = here};
        there = furthest_row(&search, before);
        division->looked_at += search.looked_at;
    }
    const double distance = rounds > 0 ? apart(division->table, here, there) : 0.0;
    return (FarPair){min_i64(here, there), max_i64(here, there), distance};
}

/* Keep the trees for a side unless it is small, or half of the rows they were made for have left
 * them; then write its run. Return whether they are kept. */
static bool keep_trees(const Division *division, const OpenGroups *groups,
                       const SplitSettings *settings, int64_t kept, int64_t records) {
    const GroupTrees *trees = division->trees;
    int64_t *group = groups->stack + kept * GROUP_COLUMNS;
    const int64_t rows = group[GROUP_END] - group[GROUP_BEGIN];
    if (rows < settings->large || records < 2 * settings->k ||
        2 * rows < trees->turns->items_shape0) {
        write_rows(trees->turns, division->listed, division->listed_count,
                   groups->order + group[GROUP_BEGIN]);
        measure_group(division->table, groups, division->scratch, kept);
        return false;
    }
    for (int64_t i = 0; i < division->listed_count; i++) {
        leave_trees(division->table, trees, division->listed[i]);
    }
    group[GROUP_RECORDS] = records;
    groups->extents[kept] = extent_of_tree(division->table->attributes, trees->near);
    return true;
}

/* Split the group on top of the stack with its trees, if that is possible. The trees go to the
 * side that was not listed; set `level` to its place on the stack, or to -1 without them. */
static bool split_by_trees(Division *division, const OpenGroups *groups,
                           const SplitSettings *settings, int64_t depth, double draw,
                           int64_t *level) {
    const int64_t *group = groups->stack + (depth - 1) * GROUP_COLUMNS;
    const int64_t begin = group[GROUP_BEGIN], end = group[GROUP_END], size = group[GROUP_RECORDS];
    const GroupTree *turns = division->trees->turns;
    const int64_t start = row_at_place(turns, (int64_t)(draw * (double)(end - begin)));
    const FarPair pair = far_pair_by_tree(division, start, settings->rounds);
    division->first = pair.first;
    division->second = pair.second;
    *level = -1;
    if (pair.distance <= TIE || !sides_by_trees(division, settings->k, size)) {
        write_rows(turns, NULL, 0, groups->order + begin);
        return false;
    }
    const int64_t few = division->listed_count;
    const bool first = division->side == FIRST_BOX;
    const int64_t listed = first ? depth : depth - 1, kept = first ? depth - 1 : depth;
    part_group(groups, depth, first ? begin + few : end - few, pair.first, pair.second);
    memcpy(groups->order + groups->stack[listed * GROUP_COLUMNS + GROUP_BEGIN], division->listed,
           (size_t)few * sizeof *groups->order);
    measure_group(division->table, groups, division->scratch, listed);
    const int64_t records = size - groups->stack[listed * GROUP_COLUMNS + GROUP_RECORDS];
    if (keep_trees(division, groups, settings, kept, records)) {
        *level = kept;
    }
    return true;
}

/* Return records · extent of a group on the stack. */
static double group_loss(const OpenGroups *groups, int64_t level) {
    return (double)groups->stack[level * GROUP_COLUMNS + GROUP_RECORDS] * groups->extents[level];
}

Splits kn_splitting_split_groups(const PricedRows *table, const OpenGroups *groups,
                                 const SplitSettings *settings, const SplitScratch *scratch,
                                 const GroupTrees *trees, int64_t level, const double *draws,
                                 int64_t draws_shape0, int64_t depth, int64_t decisions) {
    Splits made = {.depth = depth, .level = level};
    while (made.depth > 0 && made.decided < decisions && made.passed < SPLIT_ROWS_PER_CALL &&
           made.used < draws_shape0 && made.depth < groups->stack_shape0) {
        const int64_t top = made.depth - 1, *group = groups->stack + top * GROUP_COLUMNS;
        const int64_t begin = group[GROUP_BEGIN], end = group[GROUP_END];
        const bool splittable = group[GROUP_RECORDS] >= 2 * settings->k;
        const bool large = splittable && end - begin >= settings->large;
        if (large && made.level != top) {
            break;
        }
        made.decided++;
        const int64_t event[4] = {CLOSED, begin, end, end};
        memcpy(groups->event, event, sizeof event);
        double saved = group_loss(groups, top);
        bool split = false;
        if (large) {
            Division division = {
                .table = table, .trees = trees, .scratch = scratch, .close = settings->close};
            split = split_by_trees(&division, groups, settings, made.depth, draws[made.used++],
                                   &made.level);
            made.passed += ROWS_PER_TREE_SPLIT;
            made.looked_at += division.looked_at;
        } else if (splittable && end - begin > 1) {
            split = split_by_scan(table, groups, settings, scratch, made.depth, draws[made.used++]);
            made.passed += end - begin;
        }
        if (split) {
            saved -= group_loss(groups, top);
            saved -= group_loss(groups, top + 1);
            made.saved += saved;
            made.depth++;
            made.splits++;
        } else {
            groups->begins[begin] = true;
            made.depth--;
        }
    }
    return made;
}
