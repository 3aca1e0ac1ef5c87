/* commit.c: see commit.h. */
#include "tools/commit.h"

#include "base/cleanup.h"

/* What the files were is kept by now. */
static void announce(void *context)
{
    const struct hv_services *services = ((struct hv_context *)context)->services;
    if (services->before_change)
        services->before_change(context);
}

enum hv_code commit_pieces(struct hv_context *context, struct hv_str path, struct pieces content,
                           struct hv_write_options *options, struct hv_file_stat *after, struct hv_error *err)
{
    const struct hv_host *host = context->host;
    options->journal = context->changes_directory;
    options->announce = announce;
    options->announced_to = context;
    if (host->write_pieces)
        return host->write_pieces(host, path, content.items, content.count, options, after, err);
    announce(context);
    if (content.count == 1)
        return host->write(host, path, content.items[0], options, after, err);
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
    announce(context);
    return host->change_files(host, changes, count, context->changes_directory, err);
}
