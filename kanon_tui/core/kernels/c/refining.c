/* Batches of proposals to improve a clustering; `refining.py` says how they are found. */
#include "kernel.h"
#include "two_classes.h"

/* Write the records of a class as one side, from a place on; return the end. */
static int64_t gather(const RefinedClasses *classes, const TwoSides *sides, int64_t c, int32_t s,
                      int64_t begin) {
    for (int32_t record = classes->head[c]; record != NO_RECORD;
         record = classes->following[record]) {
        sides->record[begin] = record;
        sides->type[begin] = classes->type_of[record];
        sides->side[begin] = s;
        begin++;
    }
    return begin;
}

/* Write the records of a class, and of another one unless that is new; return their number. */
static int64_t gather_both(const RefinedClasses *classes, const TwoSides *sides, int64_t a,
                           int64_t b) {
    const int64_t records = gather(classes, sides, a, 0, 0);
    return b >= 0 ? gather(classes, sides, b, 1, records) : records;
}

static void copy(int32_t *target, const int32_t *source, int64_t count) {
    memcpy(target, source, (size_t)count * sizeof *target);
}

/* Fill in the classes that hold the nearest records of a class, and their votes; return the number
 * of classes. */
static int64_t count_votes(const RefinedClasses *classes, const Proposals *proposals, int64_t a,
                           const RefineLimits *limits) {
    int32_t *partner = proposals->partner, *slot = proposals->slot;
    double *votes = proposals->votes;
    int64_t found = 0;
    for (int32_t record = classes->head[a]; record != NO_RECORD;
         record = classes->following[record]) {
        const int32_t *near = classes->near + record * classes->near_shape1;
        for (int64_t j = 0; j < classes->near_shape1; j++) {
            const int32_t b = near[j] < 0 ? (int32_t)a : classes->of[near[j]];
            if (b == a || classes->block[b] != classes->block[a]) {
                continue;
            }
            if (slot[b] < 0) {
                if (found == proposals->partner_shape0 ||
                    classes->size[a] + classes->size[b] > limits->records) {
                    continue;
                }
                slot[b] = (int32_t)found;
                partner[found] = b;
                votes[found] = 0.0;
                found++;
            }
            votes[slot[b]] += 1.0 / (double)(1 + j);
        }
    }
    for (int64_t i = 0; i < found; i++) {
        slot[partner[i]] = -1;
    }
    return found;
}

/* Fill in the classes of the nearest records, most votes first; return their number. */
static int64_t near_classes(const RefinedClasses *classes, const Proposals *proposals, int64_t a,
                            const RefineLimits *limits) {
    int32_t *partner = proposals->partner;
    double *votes = proposals->votes;
    const int64_t found = count_votes(classes, proposals, a, limits);
    const int64_t wanted = min_i64(found, limits->partners);
    for (int64_t i = 0; i < wanted; i++) {
        int64_t best = i;
        for (int64_t j = i + 1; j < found; j++) {
            if (votes[j] > votes[best] + TIE ||
                (votes[j] > votes[best] - TIE && partner[j] < partner[best])) {
                best = j;
            }
        }
        const int32_t class = partner[i];
        const double vote = votes[i];
        partner[i] = partner[best];
        votes[i] = votes[best];
        partner[best] = class;
        votes[best] = vote;
    }
    return wanted;
}

/* Add or subtract the cost of the first side, attribute by attribute and rule by rule. */
static void measure(const RecordCosts *costs, const TwoSides *sides, int64_t records,
                    const Proposals *proposals, int64_t p, double sign) {
    double *extents = proposals->extents + p * proposals->extents_shape1;
    double *broken = proposals->broken + p * proposals->broken_shape1;
    fill_sides(costs, sides, records);
    for (int64_t x = 0; x < costs->rates_shape0; x++) {
        extents[x] += sign * shown_extent(costs, sides, 0, x, HIDDEN_CELL, HIDDEN_CELL);
    }
    for (int64_t r = 0; r < costs->rule_rates_shape0; r++) {
        const int32_t *on_rule = on_rule_of(sides, 0, r);
        broken[r] += on_rule[0] > 0 && on_rule[1] > 0 ? sign * sides->size[0] : 0.0;
    }
}

/* Divide one class of 2k records or more in two; return the fall of the cost. */
static double divide(const RecordCosts *costs, const TwoSides *sides, int64_t records, int64_t k) {
    fill_sides(costs, sides, records);
    const double before = class_cost(costs, sides, 0);
    if (before < TIE || !seed_sides(costs, sides, records, k)) {
        return 0.0;
    }
    return before - improve_sides(costs, sides, records, k);
}

/* Redistribute the records of two classes, and write the sides to `kept`; return the fall of the
 * cost. */
static double share_out(const RecordCosts *costs, const TwoSides *sides, int64_t records, int64_t k,
                        int32_t *kept) {
    fill_sides(costs, sides, records);
    const double before = class_cost(costs, sides, 0) + class_cost(costs, sides, 1);
    if (before < TIE) {
        return 0.0;
    }
    double best = improve_sides(costs, sides, records, k);
    copy(kept, sides->side, records);
    if (best > TIE && seed_sides(costs, sides, records, k)) {
        const double seeded = improve_sides(costs, sides, records, k);
        if (seeded < best - TIE) {
            best = seeded;
            copy(kept, sides->side, records);
        }
    }
    return before - best;
}

/* Return whether a change of a class with another one failed since the class last changed. */
static bool was_refused(const RefinedClasses *classes, int64_t a, int64_t b) {
    bool refused = false;
    for (int64_t i = 0; i < classes->refused_shape1; i++) {
        refused |= classes->refused[a * classes->refused_shape1 + i] == b;
    }
    return refused;
}

/* Count a class as one side, with those of the first `own` records that join it. */
static void fill_joined(const RecordCosts *costs, const RefinedClasses *classes,
                        const TwoSides *sides, const int32_t *into, int64_t own, int32_t b) {
    for (int64_t i = 0; i < own; i++) {
        sides->side[i] = into[i] == b ? 0 : UNDECIDED;
    }
    fill_sides(costs, sides, gather(classes, sides, b, 0, own));
}

/* Let each record of a class join the class of a near record to which it adds least, and write
 * these classes to `into`; return the fall of the cost. */
static double dissolve(const RecordCosts *costs, const RefinedClasses *classes,
                       const TwoSides *sides, int64_t most, int64_t a, int64_t batch,
                       int32_t *into) {
    const int64_t own = gather(classes, sides, a, 0, 0);
    fill_sides(costs, sides, own);
    double saved = class_cost(costs, sides, 0);
    for (int64_t i = 0; i < own; i++) {
        into[i] = NOBODY;
    }
    for (int64_t i = 0; i < own && saved > TIE; i++) {
        const int32_t *near = classes->near + sides->record[i] * classes->near_shape1;
        double least = INFINITY;
        int32_t found = NOBODY, before = NOBODY;
        for (int64_t j = 0; j < classes->near_shape1; j++) {
            const int32_t b = near[j] < 0 ? (int32_t)a : classes->of[near[j]];
            if (b == a || b == before || classes->busy[b] == batch ||
                classes->block[b] != classes->block[a] || own + classes->size[b] > most) {
                continue;
            }
            fill_joined(costs, classes, sides, into, own, b);
            const double more =
                cost_with(costs, sides, 0, sides->type[i]) - class_cost(costs, sides, 0);
            if (more < least - TIE) {
                least = more;
                found = b;
            }
            before = b;
        }
        into[i] = found;
        saved -= least;
    }
    return saved;
}

typedef struct {
    int64_t other; /* the other class; NEW_CLASS, DISSOLVED or NOBODY */
    double saved;
    int64_t work;
    int64_t tried; /* changes */
} BestChange;

/* Find the best change of a class, and write the sides of the records to `kept`, those of the class
 * itself first. */
static BestChange best_change(const RecordCosts *costs, const RefinedClasses *classes,
                              const TwoSides *sides, const Proposals *proposals,
                              const RefineLimits *limits, int64_t a, int64_t batch) {
    BestChange best = {NOBODY, TIE, 0, 0};
    if (classes->size[a] >= 2 * limits->k && classes->changed[a] > classes->tried[a] &&
        !was_refused(classes, a, NEW_CLASS)) {
        const int64_t records = gather(classes, sides, a, 0, 0);
        const double saved = divide(costs, sides, records, limits->k);
        best.work += records * records;
        best.tried++;
        if (saved > best.saved) {
            copy(proposals->kept, sides->side, records);
            return (BestChange){NEW_CLASS, saved, best.work, best.tried};
        }
    }
    bool complete = true;
    const int64_t partners = near_classes(classes, proposals, a, limits);
    for (int64_t i = 0; i < partners; i++) {
        const int64_t b = proposals->partner[i];
        if (max_i64(classes->changed[a], classes->changed[b]) <= classes->tried[a]) {
            continue;
        }
        if (classes->busy[b] == batch) {
            complete = false;
            continue;
        }
        if (was_refused(classes, a, b)) {
            continue;
        }
        const int64_t records = gather_both(classes, sides, a, b);
        best.work += records * records;
        best.tried++;
        const double saved = share_out(costs, sides, records, limits->k, proposals->tested);
        if (saved > best.saved + TIE) {
            best.saved = saved;
            best.other = b;
            copy(proposals->kept, proposals->tested, records);
        }
    }
    if (best.other == NOBODY && complete) {
        classes->tried[a] = batch;
        if (best.tried > 0 && !was_refused(classes, a, DISSOLVED)) {
            best.saved =
                dissolve(costs, classes, sides, limits->records, a, batch, proposals->kept);
            best.other = best.saved > TIE ? DISSOLVED : NOBODY;
        }
    }
    return best;
}

/* Write the records of a proposal with their new classes; of the two ways to name two classes, take
 * the one in which fewer records change. */
static void write_records(const TwoSides *sides, const Proposals *proposals, int64_t p,
                          int64_t records) {
    const int64_t begin = p > 0 ? proposals->ends[p - 1] : 0;
    const int32_t *pair = proposals->classes + 2 * p, *kept = proposals->kept;
    int64_t stay = 0;
    for (int64_t i = 0; i < records; i++) {
        stay += kept[i] == sides->side[i];
    }
    const bool flip = pair[1] >= 0 && 2 * stay < records;
    copy(proposals->record + begin, sides->record, records);
    for (int64_t i = 0; i < records; i++) {
        proposals->into[begin + i] = pair[1] == DISSOLVED ? kept[i] : pair[kept[i] != flip];
    }
    proposals->ends[p] = (int32_t)(begin + records);
}

/* Measure a class before and after a proposal, unless the batch has measured it already. */
static void measure_change(const RecordCosts *costs, const RefinedClasses *classes,
                           const TwoSides *sides, const Proposals *proposals, int64_t p,
                           int64_t begin, int32_t c, int64_t batch) {
    int64_t records = 0;
    if (c >= 0) {
        if (classes->busy[c] == batch) {
            return;
        }
        classes->busy[c] = batch;
        measure(costs, sides, gather(classes, sides, c, 0, 0), proposals, p, -1.0);
    }
    for (int64_t i = begin; i < proposals->ends[p]; i++) {
        if (proposals->into[i] == c) {
            sides->type[records] = classes->type_of[proposals->record[i]];
            sides->side[records++] = 0;
        }
    }
    if (proposals->classes[2 * p + 1] == DISSOLVED && c != proposals->classes[2 * p]) {
        records = gather(classes, sides, c, 0, records);
    }
    measure(costs, sides, records, proposals, p, 1.0);
}

/* Write the best change of a class as a proposal, with the changes of costs. */
static void take_down(const RecordCosts *costs, const RefinedClasses *classes,
                      const TwoSides *sides, const Proposals *proposals, int64_t p, int64_t a,
                      int64_t b, int64_t batch) {
    const int64_t begin = p > 0 ? proposals->ends[p - 1] : 0;
    const int64_t width = proposals->extents_shape1, rules = proposals->broken_shape1;
    memset(proposals->extents + p * width, 0, (size_t)width * sizeof(double));
    memset(proposals->broken + p * rules, 0, (size_t)rules * sizeof(double));
    proposals->classes[2 * p] = (int32_t)a;
    proposals->classes[2 * p + 1] = (int32_t)b;
    write_records(sides, proposals, p, gather_both(classes, sides, a, b));
    measure_change(costs, classes, sides, proposals, p, begin, (int32_t)a, batch);
    for (int64_t i = begin; b == DISSOLVED && i < proposals->ends[p]; i++) {
        measure_change(costs, classes, sides, proposals, p, begin, proposals->into[i], batch);
    }
    if (b != DISSOLVED) {
        measure_change(costs, classes, sides, proposals, p, begin, (int32_t)b, batch);
    }
}

Proposed kn_refining_propose(const RecordCosts *costs, const RefinedClasses *classes,
                             const TwoSides *sides, const Proposals *proposals,
                             const RefineLimits *limits, int64_t begin, int64_t end,
                             int64_t batch) {
    int64_t p = 0, work = 0, tried = 0, a = begin;
    for (; a < end && work < limits->work && p < proposals->ends_shape0; a++) {
        const int64_t filled = p > 0 ? proposals->ends[p - 1] : 0;
        if (filled + limits->records > proposals->record_shape0) {
            break;
        }
        const int64_t size = classes->size[a];
        if (size == 0 || size > limits->records || classes->busy[a] == batch) {
            continue;
        }
        const BestChange change = best_change(costs, classes, sides, proposals, limits, a, batch);
        work += change.work + size;
        tried += change.tried;
        if (change.other == NOBODY) {
            continue;
        }
        take_down(costs, classes, sides, proposals, p++, a, change.other, batch);
    }
    return (Proposed){p, a, tried};
}

void kn_refining_carry_out(const RefinedClasses *classes, const Proposals *proposals, int64_t p,
                           int64_t partner, int64_t batch) {
    const int64_t a = proposals->classes[2 * p];
    classes->size[a] = 0;
    classes->head[a] = NO_RECORD;
    if (partner >= 0) {
        classes->size[partner] = 0;
        classes->head[partner] = NO_RECORD;
        classes->block[partner] = classes->block[a];
    }
    const int64_t begin = p > 0 ? proposals->ends[p - 1] : 0;
    for (int64_t i = proposals->ends[p] - 1; i >= begin; i--) {
        const int32_t record = proposals->record[i];
        const int64_t c = proposals->into[i] >= 0 ? proposals->into[i] : partner;
        classes->of[record] = (int32_t)c;
        classes->following[record] = classes->head[c];
        classes->head[c] = record;
        classes->size[c]++;
        classes->changed[c] = batch + 1; /* changes tried in this batch did not see this one */
        for (int64_t j = 0; j < classes->refused_shape1; j++) {
            classes->refused[c * classes->refused_shape1 + j] = NOBODY;
        }
    }
}
