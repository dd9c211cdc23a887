/* Tells from which sources the library was made, so that a stale one is refused. */
#include "kernel.h"

__attribute__((visibility("default"))) const char *kn_sources(void);

const char *kn_sources(void) {
    return KN_SOURCES;
}
