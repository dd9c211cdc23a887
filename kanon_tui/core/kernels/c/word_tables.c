/* Distinct words and the order in which they were first met: an open hash table.
 *
 * A slot is two words, a key and its place counted from one (0: the slot is free).
 */
#include "kernel.h"

/* Odd; two rounds spread every bit of a word over all others. */
#define MIX UINT64_C(0xD6E8FEB86659FD93)
/* So many words ahead the memory of a slot is asked for: it is there when it is needed. */
#define AHEAD 16

KN_INLINE uint64_t mixed(uint64_t word) {
    word ^= word >> 32;
    word *= MIX;
    word ^= word >> 32;
    word *= MIX;
    return word ^ (word >> 32);
}

/* Return the slot, as an index of its key, where a word is or would be put. */
KN_INLINE uint64_t slot_of(uint64_t word, const uint64_t *slots, uint64_t mask) {
    uint64_t slot = mixed(word) & mask;
    while (slots[2 * slot + 1] != 0 && slots[2 * slot] != word) {
        slot = (slot + 1) & mask;
    }
    return 2 * slot;
}

KN_INLINE void fetch_ahead(const uint64_t *words, int64_t i, int64_t size, const uint64_t *slots,
                           uint64_t mask) {
    if (i + AHEAD < size) {
        __builtin_prefetch(&slots[2 * (mixed(words[i + AHEAD]) & mask)]);
    }
}

AddedWords kn_word_tables_add_words(const uint64_t *words, int64_t words_shape0, int64_t begin,
                                    uint64_t *slots, int64_t slots_shape0, uint64_t *keys,
                                    int64_t keys_shape0, int64_t count, int32_t *places,
                                    int64_t places_shape0) {
    (void)places_shape0;
    const uint64_t mask = (uint64_t)slots_shape0 / 2 - 1;
    for (int64_t i = begin; i < words_shape0; i++) {
        fetch_ahead(words, i, words_shape0, slots, mask);
        const uint64_t slot = slot_of(words[i], slots, mask);
        if (slots[slot + 1] == 0) {
            if (count == keys_shape0) {
                return (AddedWords){.done = i, .known = count};
            }
            keys[count++] = words[i];
            slots[slot] = words[i];
            slots[slot + 1] = (uint64_t)count;
        }
        places[i] = (int32_t)slots[slot + 1] - 1;
    }
    return (AddedWords){.done = words_shape0, .known = count};
}

void kn_word_tables_fill_slots(const uint64_t *keys, int64_t keys_shape0, uint64_t *slots,
                               int64_t slots_shape0) {
    const uint64_t mask = (uint64_t)slots_shape0 / 2 - 1;
    for (int64_t place = 0; place < keys_shape0; place++) {
        fetch_ahead(keys, place, keys_shape0, slots, mask);
        const uint64_t slot = slot_of(keys[place], slots, mask);
        slots[slot] = keys[place];
        slots[slot + 1] = (uint64_t)place + 1;
    }
}

void kn_word_tables_find_words(const uint64_t *words, int64_t words_shape0, const uint64_t *slots,
                               int64_t slots_shape0, int32_t *places, int64_t places_shape0) {
    (void)places_shape0;
    const uint64_t mask = (uint64_t)slots_shape0 / 2 - 1;
    for (int64_t i = 0; i < words_shape0; i++) {
        fetch_ahead(words, i, words_shape0, slots, mask);
        places[i] = (int32_t)slots[slot_of(words[i], slots, mask) + 1] - 1;
    }
}
