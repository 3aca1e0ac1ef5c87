/*
 * commit.h: the one place where the file tools change files. Write, Edit, MultiEdit, ApplyPatch and NotebookEdit come
 * through here and nothing of them writes beside it, so that whatever must happen before a file changes, or be known of
 * it afterwards, has one place to stand.
 */
#ifndef TOOLS_COMMIT_H
#define TOOLS_COMMIT_H

#include "base/pieces.h"

#include <helve/tool.h>

/*
 * Make all changes or none; each change's `after` is set. A single file is written atomically by itself, several go
 * through the host's journal. Codes are those of hv_host.write and hv_host.change_files; HV_EUNSUPPORTED where the
 * host cannot change several at once. Blocks.
 */
enum hv_code commit_changes(struct hv_context *context, struct hv_file_change *changes, size_t count,
                            struct hv_error *err) HV_MUST_CHECK;

/* The same for one file, of content that lies in pieces. */
enum hv_code commit_pieces(struct hv_context *context, struct hv_str path, struct pieces content,
                           struct hv_write_options *options, struct hv_file_stat *after,
                           struct hv_error *err) HV_MUST_CHECK;

#endif
