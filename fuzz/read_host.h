/*
 * read_host.h: the tool Read over one file that a fuzz target makes up: a host that has just this file, whatever it is
 * asked for, and whose programs (the decoders of foreign formats) print what the target says.
 */
#ifndef FUZZ_READ_HOST_H
#define FUZZ_READ_HOST_H

#include "base/cleanup.h"
#include "parts.h"

#include <helve/tool.h>

extern const struct hv_tool tool_read;

struct fuzz_file {
    struct hv_context context; /* first: services find the file through it */
    struct hv_host host;
    struct hv_str bytes;
    struct hv_str printed; /* what programs print; each in turn takes what is in front of the next 0x1e */
    int exit_code;         /* theirs */
    struct hv_arena arena;
    void *states[8];
    const struct hv_state_key *keys[8];
};

static inline enum hv_code fuzz_stat(const struct hv_host *host, struct hv_str path, bool follow,
                                     struct hv_file_stat *out, struct hv_error *err)
{
    const struct fuzz_file *file = host->data;
    (void)path, (void)follow, (void)err;
    *out = (struct hv_file_stat){.kind = HV_FILE_REGULAR, .size = file->bytes.len, .inode = 1, .device = 1, .links = 1};
    return HV_OK;
}

static inline enum hv_code fuzz_resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path,
                                        struct hv_str *out, struct hv_error *err)
{
    (void)host, (void)err;
    *out = hv_arena_str(arena, path);
    return HV_OK;
}

static inline enum hv_code fuzz_read(const struct hv_host *host, struct hv_str path, uint64_t offset, size_t limit,
                                     struct hv_buf *buf, struct hv_file_stat *stat, struct hv_error *err)
{
    const struct fuzz_file *file = host->data;
    if (stat)
        (void)fuzz_stat(host, path, true, stat, err);
    size_t from = offset < file->bytes.len ? (size_t)offset : file->bytes.len;
    size_t left = file->bytes.len - from;
    hv_buf_add_str(buf, hv_str_slice(file->bytes, from, from + (left < limit ? left : limit)));
    return buf->failed ? hv_fail(err, HV_ETOOBIG, "too big") : HV_OK;
}

static inline enum hv_code fuzz_run(const struct hv_host *host, const struct hv_command *command, struct hv_exit *out,
                                    struct hv_error *err)
{
    struct fuzz_file *file = host->data;
    struct hv_str printed = HV_STR("");
    (void)err;
    (void)hv_str_split(&file->printed, '\x1e', &printed);
    *out = (struct hv_exit){.code = file->exit_code};
    if (command->on_output && printed.len && !command->on_output(command->user, HV_STDOUT, printed))
        *out = (struct hv_exit){.code = -1, .stopped = true};
    return HV_OK;
}

static inline uint64_t fuzz_monotonic_ns(const struct hv_host *host)
{
    (void)host;
    return 1;
}

static inline int64_t fuzz_wall_ns(const struct hv_host *host)
{
    (void)host;
    return INT64_C(1000000000000000000);
}

static inline void *fuzz_state(struct hv_context *context, const struct hv_state_key *key)
{
    struct fuzz_file *file = (struct fuzz_file *)context;
    size_t i = 0;
    while (file->keys[i] && file->keys[i] != key)
        i++;
    FUZZ_CHECK(i + 1 < sizeof file->keys / sizeof *file->keys);
    if (!file->keys[i]) {
        file->keys[i] = key;
        file->states[i] = hv_calloc(1, key->size);
        if (key->init)
            key->init(file->states[i]);
    }
    return file->states[i];
}

/* Read the file under this name, with these pages of it (absent: none asked for); what is shown must be sound. */
static inline void fuzz_read_file(struct fuzz_file *file, const char *name, struct hv_str pages)
{
    static const struct hv_services services = {.state = fuzz_state};
    /* As the fields of Read lie; its decoder has a target of its own. */
    struct {
        struct hv_str file_path;
        int64_t offset, limit;
        struct hv_str pages;
    } input = {.file_path = hv_str_from(name), .pages = pages};
    struct hv_result result = {0};
    struct hv_error err = {0};
    void *data = NULL;
    FUZZ_CHECK(tool_read.input_size == sizeof input);
    file->host = (struct hv_host){.data = file,
                                  .stat = fuzz_stat,
                                  .resolve = fuzz_resolve,
                                  .read = fuzz_read,
                                  .run = fuzz_run,
                                  .monotonic_ns = fuzz_monotonic_ns,
                                  .wall_ns = fuzz_wall_ns};
    file->context = (struct hv_context){.arena = &file->arena,
                                        .host = &file->host,
                                        .services = &services,
                                        .tool = &tool_read,
                                        .directory = HV_STR("/w"),
                                        .home = HV_STR("/h")};
    enum hv_code code = tool_read.call(&input, &file->context, &data, &result, &err);
    FUZZ_CHECK(code ? err.message[0] != '\0' : result.first != NULL);
    size_t shown = 0;
    for (const struct hv_content *block = result.first; block; block = block->next)
        for (size_t i = 0; i < block->text.len; i++)
            shown += (unsigned char)block->text.ptr[i]; /* every byte of it is there */
    (void)*(volatile size_t *)&shown;
    for (size_t i = 0; file->keys[i]; i++) {
        if (file->keys[i]->release)
            file->keys[i]->release(file->states[i]);
        free(file->states[i]);
    }
    hv_arena_release(&file->arena);
}

#endif
