/* commit.c: see commit.h. */
#include "tools/commit.h"

#include "base/cleanup.h"

enum hv_code commit_pieces(struct hv_context *context, struct hv_str path, struct pieces content,
                           struct hv_write_options *options, struct hv_file_stat *after, struct hv_error *err)
{
    const struct hv_host *host = context->host;
    options->journal = context->changes_directory;
    if (content.count == 1)
        return host->write(host, path, content.items[0], options, after, err);
    if (host->write_pieces)
        return host->write_pieces(host, path, content.items, content.count, options, after, err);
    CLEANUP_BUF struct hv_buf whole = {.max = SIZE_MAX / 2};
    if (!pieces_join(content, &whole))
        return hv_fail(err, HV_ETOOBIG, "The new content of %.*s is too large", HV_STR_ARG(path));
    return host->write(host, path, hv_buf_str(&whole), options, after, err);
}

enum hv_code commit_changes(struct hv_context *context, struct hv_file_change *changes, size_t count,
                            struct hv_error *err)
{
    const struct hv_host *host = context->host;
    if (count == 1 && changes->bytes.ptr)
        return commit_pieces(context, changes->path, (struct pieces){&changes->bytes, 1}, &changes->options,
                             &changes->after, err);
    if (!host->change_files)
        return hv_fail(err, HV_EUNSUPPORTED, "Several files cannot be changed at once here; use Edit for each");
    return host->change_files(host, changes, count, context->changes_directory, err);
}
