/* commit.c: see commit.h. */
#include "tools/commit.h"

enum hv_code commit_changes(struct hv_context *context, struct hv_file_change *changes, size_t count,
                            struct hv_error *err)
{
    const struct hv_host *host = context->host;
    if (count == 1 && changes->bytes.ptr) {
        changes->options.journal = context->changes_directory;
        return host->write(host, changes->path, changes->bytes, &changes->options, &changes->after, err);
    }
    if (!host->change_files)
        return hv_fail(err, HV_EUNSUPPORTED, "Several files cannot be changed at once here; use Edit for each");
    return host->change_files(host, changes, count, context->changes_directory, err);
}
