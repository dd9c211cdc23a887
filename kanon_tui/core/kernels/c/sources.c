/* Return the digest of the sources the library was made from, so that a stale one is refused. */
#include "kernel.h"

__attribute__((visibility("default"))) const char *kn_sources(void);

const char *kn_sources(void) {
    return KN_SOURCES;
}
