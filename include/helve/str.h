/*
 * str.h: bytes. Views (hv_str), arenas (hv_arena) and growing buffers with a maximum (hv_buf).
 *
 * Three schemes of memory, told apart by the signature:
 *   a function that takes an hv_arena returns what lives as long as that arena;
 *   a struct with init/release owns its contents and is used in place; NULL and half-built are accepted;
 *   a struct with ref/unref is immutable and shared between threads.
 * A failing small inner allocation calls the handler set by hv_set_out_of_memory (default: a message and
 * abort); sizes that come from outside are checked against a limit before anything is allocated.
 */
#ifndef HELVE_STR_H
#define HELVE_STR_H

#include <helve/error.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- views ------------------------------------------------------------------------------------------- */

/* A view of bytes; owns nothing; not NUL-terminated. {NULL, 0} is "absent"; {"", 0} is "empty". */
struct hv_str {
    const char *ptr;
    size_t len;
};

/* A view of a string literal. */
#define HV_STR(literal) ((struct hv_str){("" literal), sizeof(literal) - 1})
/* For printf's "%.*s". */
#define HV_STR_ARG(s) ((int)((s).len > 0x7fffffff ? 0x7fffffff : (s).len)), ((s).ptr ? (s).ptr : "")

HV_API struct hv_str hv_str_from(const char *nul_terminated); /* NULL gives the absent view */
HV_API struct hv_str hv_str_of(const char *ptr, size_t len);
HV_API bool hv_str_eq(struct hv_str a, struct hv_str b); /* bytes equal; absent equals empty */
HV_API bool hv_str_is(struct hv_str a, const char *nul_terminated);
HV_API bool hv_str_eq_nocase(struct hv_str a, struct hv_str b); /* ASCII letters only */
HV_API int hv_str_compare(struct hv_str a, struct hv_str b);    /* as memcmp, the shorter first */
HV_API bool hv_str_starts(struct hv_str s, struct hv_str prefix);
HV_API bool hv_str_ends(struct hv_str s, struct hv_str suffix);
/* Offset of the first occurrence of needle at or after from, or SIZE_MAX. An empty needle is found at from. */
HV_API size_t hv_str_find(struct hv_str s, struct hv_str needle, size_t from);
HV_API size_t hv_str_find_byte(struct hv_str s, char byte, size_t from);
HV_API size_t hv_str_rfind_byte(struct hv_str s, char byte); /* last occurrence or SIZE_MAX */
/* The part [from, to), both clamped to the length. */
HV_API struct hv_str hv_str_slice(struct hv_str s, size_t from, size_t to);
/* Without ASCII blanks, tabs, CR and LF at both ends. */
HV_API struct hv_str hv_str_trim(struct hv_str s);
/* Take the next part of *rest up to separator (not included); false when nothing is left. */
HV_API bool hv_str_split(struct hv_str *rest, char separator, struct hv_str *part);
/* Decimal integer, whole string, with optional '-'. False on anything else or overflow. */
HV_API bool hv_str_to_int64(struct hv_str s, int64_t *value);
/* 64-bit hash for tables; not for security; stable within one process. */
HV_API uint64_t hv_str_hash(struct hv_str s);

/* ---- arenas ------------------------------------------------------------------------------------------ */

/*
 * An arena gives memory that all dies together. One owning thread at a time; ownership moves with its call
 * through a locked queue. Blocks grow from a small first one; a request over a quarter of a block gets a block
 * of its own. Under AddressSanitizer each allocation is followed by a poisoned red zone, and reset poisons all.
 */
struct hv_arena {
    struct hv_arena_block *blocks;     /* newest first */
    char *next, *end;                  /* free part of the newest block */
    struct hv_arena_cleanup *cleanups; /* newest first */
    size_t used;                       /* bytes handed out since the last reset */
};

/* A zeroed struct is a valid, empty arena; hv_arena_init sets it to that. Allocates nothing. */
HV_API void hv_arena_init(struct hv_arena *arena);
/* Run the cleanups, newest first, and free everything. The arena is empty afterwards and may be used again. */
HV_API void hv_arena_release(struct hv_arena *arena);
/* As release, but keep one block for the next use. */
HV_API void hv_arena_reset(struct hv_arena *arena);
/* size bytes, aligned for any type, not cleared. size 0 gives a valid pointer. Never NULL. */
HV_API void *hv_arena_alloc(struct hv_arena *arena, size_t size) __attribute__((malloc, returns_nonnull));
/* count × size bytes, cleared; aborts through the handler when the product overflows. */
HV_API void *hv_arena_zalloc(struct hv_arena *arena, size_t count, size_t size)
    __attribute__((malloc, returns_nonnull));
#define hv_arena_new(arena, type) ((type *)hv_arena_zalloc((arena), 1, sizeof(type)))
#define hv_arena_array(arena, type, count) ((type *)hv_arena_zalloc((arena), (count), sizeof(type)))
/* A copy in the arena, with a NUL after it that is not counted. An absent view stays absent. */
HV_API struct hv_str hv_arena_str(struct hv_arena *arena, struct hv_str s);
/* The same as a C string; an absent view gives "". */
HV_API char *hv_arena_cstr(struct hv_arena *arena, struct hv_str s);
HV_API struct hv_str hv_arena_format(struct hv_arena *arena, const char *format, ...) HV_PRINTF(2, 3);
HV_API struct hv_str hv_arena_vformat(struct hv_arena *arena, const char *format, va_list arguments);
/* a followed by b. */
HV_API struct hv_str hv_arena_join(struct hv_arena *arena, struct hv_str a, struct hv_str b);
/* Run function(data) when the arena is released or reset: for descriptors, children, references. */
HV_API void hv_arena_on_release(struct hv_arena *arena, void (*function)(void *data), void *data);

/* ---- buffers ----------------------------------------------------------------------------------------- */

/*
 * A growing byte buffer with a maximum from birth. The first append that would pass the maximum sets `failed`
 * and changes nothing; later appends do nothing. So a producer appends freely and checks once at the end.
 * `data` is NUL-terminated after each append (the NUL is not counted); it is NULL while nothing was appended.
 */
struct hv_buf {
    char *data;
    size_t len, capacity, max;
    bool failed;
};

HV_API void hv_buf_init(struct hv_buf *buf, size_t max); /* allocates nothing */
HV_API void hv_buf_release(struct hv_buf *buf);          /* frees; the buffer keeps its maximum and is empty */
HV_API void hv_buf_clear(struct hv_buf *buf);            /* empty, memory kept, failed reset */
HV_API void hv_buf_add(struct hv_buf *buf, const void *bytes, size_t len);
HV_API void hv_buf_add_str(struct hv_buf *buf, struct hv_str s);
HV_API void hv_buf_add_cstr(struct hv_buf *buf, const char *nul_terminated);
HV_API void hv_buf_add_byte(struct hv_buf *buf, char byte);
HV_API void hv_buf_addf(struct hv_buf *buf, const char *format, ...) HV_PRINTF(2, 3);
HV_API void hv_buf_addv(struct hv_buf *buf, const char *format, va_list arguments);
/* Make room for len more bytes and return where they go, or NULL (and failed) over the maximum; commit after. */
HV_API char *hv_buf_reserve(struct hv_buf *buf, size_t len);
HV_API void hv_buf_commit(struct hv_buf *buf, size_t len);
/* Drop the first len bytes. */
HV_API void hv_buf_consume(struct hv_buf *buf, size_t len);
/* A view of the contents; valid until the next change. Never absent. */
HV_API struct hv_str hv_buf_str(const struct hv_buf *buf);
/* Move the contents out as malloc'd memory (caller frees with free) and leave the buffer empty. NULL if empty. */
HV_API char *hv_buf_take(struct hv_buf *buf, size_t *len);

/* ---- out of memory ----------------------------------------------------------------------------------- */

/* Set the function that is called when a small inner allocation fails; it must not return. Not thread-safe:
 * call it before any other function of helve. */
HV_API void hv_set_out_of_memory(void (*handler)(size_t size));
/* malloc, calloc, realloc that call the handler instead of returning NULL. Free with free. */
HV_API void *hv_malloc(size_t size) __attribute__((malloc, returns_nonnull));
HV_API void *hv_calloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
HV_API void *hv_realloc(void *memory, size_t size) __attribute__((returns_nonnull));
HV_API char *hv_strdup(const char *nul_terminated) __attribute__((malloc, returns_nonnull));

#endif
