/*
 * change.h: what Write, Edit and MultiEdit share: looking at the file that is to change, holding it against what the
 * model has seen, storing the new bytes under the condition that nothing changed meanwhile, and showing the difference.
 */
#ifndef TOOLS_CHANGE_H
#define TOOLS_CHANGE_H

#include "base/pieces.h"
#include "text/edit.h"
#include "tools/file_state.h"

#include <helve/tool.h>

enum { CHANGE_SIZE_MAX = 1 << 30 };

/* One file under change. Release with change_release. */
struct change {
    struct hv_context *context;
    struct hv_str path, key;
    bool exists, in_place;    /* in_place: the new bytes were written over the old ones, it is the same inode still */
    struct hv_file_stat stat; /* when it exists */
    struct hv_buf bytes;      /* its bytes, as far as they were loaded */
    struct encoding encoding;
    struct hv_buf text; /* of a file that is edited by its text (change_take_text): the same as UTF-8 */
    bool returns_alone; /* '\r' alone ends its lines; in text they end in '\n' */
};

/*
 * Look at path and load its bytes. A missing file is no error (exists stays false). HV_EUNSUPPORTED for anything but a
 * regular file, HV_ETOOBIG over CHANGE_SIZE_MAX. Blocks. To be released in every case.
 */
enum hv_code change_load(struct change *change, struct hv_context *context, struct hv_str path,
                         struct hv_error *err) HV_MUST_CHECK;
void change_release(struct change *change);

/* Fill change->text with the file's text, where it is in an encoding that is changed by way of UTF-8 (whole: in any but
 * UTF-8), or its lines end in '\r' alone. False for others, and for bytes that would not come back the same from there.
 */
bool change_take_text(struct change *change, bool whole) HV_MUST_CHECK;
/* Append text as the bytes of the file, its mark first. */
enum hv_code change_encode(const struct change *change, struct hv_str text, struct hv_buf *bytes,
                           struct hv_error *err) HV_MUST_CHECK;

/* Write content; fails when the file is no longer what change_load saw. *after is the file's new metadata. */
enum hv_code change_store(struct change *change, struct pieces content, struct hv_file_stat *after,
                          struct hv_error *err) HV_MUST_CHECK;

/* HV_EUNSUPPORTED for what Read shows as a picture or by pages: no text of it was seen, and none can be put into it. */
enum hv_code change_check_kind(const struct change *change, struct hv_error *err) HV_MUST_CHECK;

/* change_check_kind; then the file, which exists, was read as far as is needed, and is unchanged since:
 * file_state_check. Of a binary file, which Read does not show, it says so rather than ask for a Read. */
enum hv_code change_check_read(const struct change *change, enum file_need need, struct hv_error *err) HV_MUST_CHECK;

/* What change_store looks at before it writes: the new content of settings files must be good. path is where it goes.
 */
enum hv_code change_check(struct hv_context *context, struct hv_str path, struct pieces content,
                          struct hv_error *err) HV_MUST_CHECK;

/* new_text, which takes the place of text that the file has, must not stand for what it leaves out (text/elision.h):
 * HV_EINVAL names the line. Lines of old_text are the file's own, and files that are new may hold what they like. what:
 * the field that new_text came in, for the message. */
enum hv_code change_check_elision(const struct change *change, struct hv_str old_text, struct hv_str new_text,
                                  const char *what, struct hv_error *err) HV_MUST_CHECK;

/* Tell whether the file had to be written in place, by what it was and is: for change_show_diff. */
void change_set_written(struct change *change, const struct hv_file_stat *after);
/* Add the unified diff to the result, for the model and for people, and a summary ("+3 -1"). Notes come first: that the
 * file was written in place, and why. */
void change_show_diff(struct change *change, struct hv_str new_bytes, struct hv_result *result);
/* The same for a difference that is known, of texts in this encoding. */
void change_show_lines(struct change *change, const struct diff *diff, enum encoding_kind encoding,
                       struct hv_result *result);

/* For hv_tool.preview: append the diff to new_bytes, short, with long lines cut. */
void change_add_preview(struct change *change, struct hv_str new_bytes, struct hv_buf *out);
void change_preview_lines(const struct diff *lines, enum encoding_kind encoding, struct hv_buf *out);
/* The same for edits; where they fail, why. Nothing where the file cannot be looked at: the call will say so. */
void change_preview_edits(struct hv_context *context, struct hv_str path, const struct edit_request *requests,
                          size_t count, bool single, struct hv_buf *out);

/* For hv_tool.foresee: a fault when the file was not read in this session (in the same words of one that is not there)
 * or was changed since, and a result that is an error where the edits change nothing in it. */
enum hv_code change_foresee_edits(struct hv_context *context, struct hv_str path, const struct edit_request *requests,
                                  size_t count, bool single, struct hv_result *result,
                                  struct hv_error *err) HV_MUST_CHECK;

/* The whole of Edit (single) and MultiEdit: load, check, compute, store, answer. */
enum hv_code change_by_edits(struct hv_context *context, struct hv_str path, const struct edit_request *requests,
                             size_t count, bool single, struct hv_result *result, struct hv_error *err) HV_MUST_CHECK;

#endif
