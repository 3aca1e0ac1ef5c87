/*
 * parts.h: how fuzz targets with several inputs cut the bytes they get: at the byte 0x1e (the record separator of
 * ASCII), which editors of seeds can type. Each part is a copy with a red zone behind it.
 */
#ifndef FUZZ_PARTS_H
#define FUZZ_PARTS_H

#include <helve/str.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            abort();                                                                                                   \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline struct hv_str fuzz_copy(struct hv_arena *arena, struct hv_str part)
{
    char *copy = hv_arena_alloc(arena, part.len);
    if (part.len)
        memcpy(copy, part.ptr, part.len);
    return hv_str_of(copy, part.len);
}

/* The next part of *rest; the empty text when there is none. */
static inline struct hv_str fuzz_part(struct hv_arena *arena, struct hv_str *rest)
{
    struct hv_str part = HV_STR("");
    (void)hv_str_split(rest, '\x1e', &part);
    return fuzz_copy(arena, part);
}

#endif
