/* memory.c: allocation that never returns NULL, and arenas. See helve/str.h. */
#include "base/poison.h"
#include "base/str_inline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ASAN
enum { RED_ZONE = 16 };
#else
enum { RED_ZONE = 0 };
#endif

static void report_and_abort(size_t size)
{
    fprintf(stderr, "helve: out of memory (%zu bytes wanted)\n", size);
    abort();
}

static void (*out_of_memory)(size_t size) = report_and_abort;

void hv_set_out_of_memory(void (*handler)(size_t size))
{
    out_of_memory = handler ? handler : report_and_abort;
}

__attribute__((noreturn)) static void fail(size_t size)
{
    out_of_memory(size);
    abort();
}

void *hv_malloc(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory)
        fail(size);
    return memory;
}

void *hv_calloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory)
        fail(size);
    return memory;
}

void *hv_realloc(void *memory, size_t size)
{
    memory = realloc(memory, size ? size : 1);
    if (!memory)
        fail(size);
    return memory;
}

char *hv_strdup(const char *nul_terminated)
{
    size_t size = strlen(nul_terminated) + 1;
    return memcpy(hv_malloc(size), nul_terminated, size);
}

/* ---- arenas ------------------------------------------------------------------------------------------ */

enum { FIRST_BLOCK = 4096 - 64, LARGEST_BLOCK = 256 * 1024, ALIGNMENT = ARENA_ALIGNMENT };

struct hv_arena_block {
    struct hv_arena_block *older;
    size_t size;
    _Alignas(ALIGNMENT) char bytes[];
};

struct hv_arena_cleanup {
    struct hv_arena_cleanup *older;
    void (*function)(void *data);
    void *data;
};

void hv_arena_init(struct hv_arena *arena)
{
    *arena = (struct hv_arena){0};
}

static void run_cleanups(struct hv_arena *arena)
{
    while (arena->cleanups) {
        struct hv_arena_cleanup *cleanup = arena->cleanups;
        arena->cleanups = cleanup->older;
        cleanup->function(cleanup->data);
    }
}

static void free_block(struct hv_arena_block *block)
{
    ASAN_UNPOISON_MEMORY_REGION(block->bytes, block->size);
    free(block);
}

void hv_arena_release(struct hv_arena *arena)
{
    run_cleanups(arena);
    while (arena->blocks) {
        struct hv_arena_block *block = arena->blocks;
        arena->blocks = block->older;
        free_block(block);
    }
    hv_arena_init(arena);
}

static void use_block(struct hv_arena *arena, struct hv_arena_block *block)
{
    arena->next = block->bytes;
    arena->end = block->bytes + block->size;
    ASAN_POISON_MEMORY_REGION(block->bytes, block->size);
}

void hv_arena_reset(struct hv_arena *arena)
{
    run_cleanups(arena);
    struct hv_arena_block *kept = NULL;
    while (arena->blocks) {
        struct hv_arena_block *block = arena->blocks;
        arena->blocks = block->older;
        if (!kept && block->size <= LARGEST_BLOCK)
            kept = block;
        else
            free_block(block);
    }
    hv_arena_init(arena);
    if (kept) {
        kept->older = NULL;
        arena->blocks = kept;
        use_block(arena, kept);
    }
}

static struct hv_arena_block *new_block(size_t size)
{
    struct hv_arena_block *block = hv_malloc(sizeof *block + size);
    block->size = size;
    return block;
}

void *arena_alloc_slowly(struct hv_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2)
        fail(size);
    size_t want = (size + RED_ZONE + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (want == 0)
        want = ALIGNMENT;
    arena->used += want;
    if ((size_t)(arena->end - arena->next) < want) {
        size_t block_size = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK;
        if (block_size < FIRST_BLOCK)
            block_size = FIRST_BLOCK;
        if (block_size > LARGEST_BLOCK)
            block_size = LARGEST_BLOCK;
        if (want > block_size / 4) {
            /* A block of its own, linked behind the newest so that the free part of that one stays in use. */
            struct hv_arena_block *own = new_block(want);
            if (arena->blocks) {
                own->older = arena->blocks->older;
                arena->blocks->older = own;
            } else {
                own->older = NULL;
                arena->blocks = own;
                arena->next = arena->end = own->bytes + want;
            }
            ASAN_POISON_MEMORY_REGION(own->bytes, want);
            ASAN_UNPOISON_MEMORY_REGION(own->bytes, size);
            return own->bytes;
        }
        struct hv_arena_block *block = new_block(block_size);
        block->older = arena->blocks;
        arena->blocks = block;
        use_block(arena, block);
    }
    char *memory = arena->next;
    arena->next += want;
    ASAN_UNPOISON_MEMORY_REGION(memory, size);
    return memory;
}

void *hv_arena_alloc(struct hv_arena *arena, size_t size)
{
    return arena_alloc_slowly(arena, size);
}

void *hv_arena_zalloc(struct hv_arena *arena, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total))
        fail(SIZE_MAX);
    return memset(hv_arena_alloc(arena, total), 0, total);
}

struct hv_str hv_arena_str(struct hv_arena *arena, struct hv_str s)
{
    if (!s.ptr)
        return s;
    return (struct hv_str){hv_arena_cstr(arena, s), s.len};
}

char *hv_arena_cstr(struct hv_arena *arena, struct hv_str s)
{
    char *copy = hv_arena_alloc(arena, s.len + 1);
    if (s.len)
        memcpy(copy, s.ptr, s.len);
    copy[s.len] = '\0';
    return copy;
}

struct hv_str hv_arena_vformat(struct hv_arena *arena, const char *format, va_list arguments)
{
    char brief[256]; /* most texts fit: then they are made once, not twice */
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(brief, sizeof brief, format, again);
    va_end(again);
    if (length < 0)
        return HV_STR("");
    char *text = hv_arena_alloc(arena, (size_t)length + 1);
    if ((size_t)length < sizeof brief)
        memcpy(text, brief, (size_t)length + 1);
    else
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return (struct hv_str){text, (size_t)length};
}

struct hv_str hv_arena_format(struct hv_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct hv_str text = hv_arena_vformat(arena, format, arguments);
    va_end(arguments);
    return text;
}

struct hv_str hv_arena_join(struct hv_arena *arena, struct hv_str a, struct hv_str b)
{
    char *joined = hv_arena_alloc(arena, a.len + b.len + 1);
    if (a.len)
        memcpy(joined, a.ptr, a.len);
    if (b.len)
        memcpy(joined + a.len, b.ptr, b.len);
    joined[a.len + b.len] = '\0';
    return (struct hv_str){joined, a.len + b.len};
}

void hv_arena_on_release(struct hv_arena *arena, void (*function)(void *data), void *data)
{
    struct hv_arena_cleanup *cleanup = hv_arena_new(arena, struct hv_arena_cleanup);
    *cleanup = (struct hv_arena_cleanup){arena->cleanups, function, data};
    arena->cleanups = cleanup;
}
