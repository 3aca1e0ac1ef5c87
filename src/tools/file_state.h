/*
 * file_state.h: what the model has seen of each file in this session. Read and the editing tools record it; Write and
 * Edit demand that what they change was seen and still is what was seen. Files are keyed by their resolved paths, the
 * least recently used of more than FILE_STATE_MAX are forgotten (and must then be read again). Every function may be
 * called from any worker; the state has its own lock and blocks for no longer than a look-up.
 */
#ifndef TOOLS_FILE_STATE_H
#define TOOLS_FILE_STATE_H

#include "text/diff.h"

#include <helve/tool.h>

enum { FILE_STATE_MAX = 1000, FILE_RANGES_MAX = 256, FILE_REQUESTS_MAX = 8 };

/* What one Read has shown of a file. */
struct file_view {
    struct hv_file_stat stat; /* of the descriptor that was read */
    bool is_whole;            /* all bytes of the file were read: size and hash (hv_str_hash) are theirs */
    uint64_t size, hash;
    size_t first, last;    /* lines shown, from 1; last 0: none (an empty file, an offset past the end) */
    size_t total;          /* lines of the file; 0: empty or not known */
    int64_t offset, limit; /* the request, to know it again; 0: not given */
};

/* path with links resolved, the key of all functions below; path itself where that fails. In the call's arena. */
struct hv_str file_state_key(struct hv_context *context, struct hv_str path);

/* Remember what was shown, beside what was shown of the same bytes before. */
void file_state_note_read(struct hv_context *context, struct hv_str key, const struct file_view *view);
/* The same request was answered before, and the file still is as stat says it was then. */
bool file_state_already_shown(struct hv_context *context, struct hv_str key, const struct file_view *view);
/* The same by the bytes of the whole file; when they are the same its present stat is remembered. */
bool file_state_same_shown(struct hv_context *context, struct hv_str key, const struct file_view *view);

/* How much of a file must have been seen. */
enum file_need { FILE_NEED_SEEN, FILE_NEED_WHOLE };
/*
 * The file was read before (all of it, where need says so), and its bytes are still those: a newer mtime over the same
 * bytes is fine. bytes are the file's present ones. HV_EINVAL: not read; HV_ECONFLICT: changed since.
 */
enum hv_code file_state_check(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat,
                              struct hv_str bytes, enum file_need need, struct hv_error *err) HV_MUST_CHECK;
/* As file_state_check of a file that was never read: the fault in its words. */
enum hv_code file_state_fail_unread(struct hv_str key, struct hv_error *err);
/* All lines that the changes touch were shown: HV_EINVAL names those that were not. */
enum hv_code file_state_check_lines(struct hv_context *context, struct hv_str key, const struct diff *changes,
                                    struct hv_error *err) HV_MUST_CHECK;

/* The model wrote all of it: it knows every byte. hash: of the bytes (hv_str_hash), here and below. */
void file_state_note_written(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat,
                             uint64_t hash);
/* The model changed parts of a file: what was seen moves along; what was put in counts as seen. */
void file_state_note_edited(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat,
                            uint64_t hash, const struct diff *changes);

#endif
