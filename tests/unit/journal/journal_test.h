/* journal_test.h: what the journal's tests share: a scratch folder, events, a sequence of numbers that repeats. */
#ifndef JOURNAL_TEST_H
#define JOURNAL_TEST_H

#include "base/cleanup.h"
#include "journal/reader.h"
#include "journal/writer.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static char scratch_folder[64];

static inline int scratch_make(void **state)
{
    (void)state;
    snprintf(scratch_folder, sizeof scratch_folder, "/tmp/helve-journal-XXXXXX");
    return mkdtemp(scratch_folder) ? 0 : -1;
}

static inline int scratch_remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static inline int scratch_remove(void **state)
{
    (void)state;
    return nftw(scratch_folder, scratch_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The path of a file in the scratch folder; in arena. */
static inline struct hv_str scratch_path(struct hv_arena *arena, const char *name)
{
    return hv_arena_format(arena, "%s/%s", scratch_folder, name);
}

static inline struct hv_str read_whole(struct hv_arena *arena, struct hv_str path)
{
    CLEANUP_FD int fd = open(path.ptr, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    char *bytes = hv_arena_alloc(arena, (size_t)st.st_size + 1);
    assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
    return hv_str_of(bytes, (size_t)st.st_size);
}

static inline void write_whole(struct hv_str path, struct hv_str bytes)
{
    CLEANUP_FD int fd = open(path.ptr, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.ptr, bytes.len), bytes.len);
}

static inline struct journal_writer *open_writer(struct hv_str path)
{
    struct hv_error err;
    struct journal_writer *writer;
    if (journal_writer_open(&(struct journal_writer_options){.path = path}, &writer, &err) != HV_OK)
        fail_msg("%s", err.message);
    return writer;
}

/* Numbers that look random and are the same in every run. */
static inline uint32_t next_number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33);
}

static inline uint32_t below(uint64_t *seed, uint32_t limit)
{
    return next_number(seed) % limit;
}

#endif
