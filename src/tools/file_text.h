/*
 * file_text.h: the whole text of a file, as UTF-8, with what reading found out about it; and those of a session that
 * were read last, so that another look at the same file costs neither reading nor decoding. A text is immutable once
 * it is decoded, and shared by counting references. Any worker thread.
 */
#ifndef TOOLS_FILE_TEXT_H
#define TOOLS_FILE_TEXT_H

#include "text/encoding.h"
#include "text/lines.h"

#include <helve/tool.h>

enum { FILE_TEXT_KEPT_MAX = 1 << 20 }; /* bytes of a file that is kept */

struct file_text {
    struct hv_file_stat stat; /* of the descriptor that was read, before reading */
    struct hv_str bytes;      /* of the file; this and text live as long as the reference */
    /* After file_text_decode: */
    struct encoding encoding;
    struct hv_str text;    /* without mark, valid UTF-8 */
    struct line_ends ends; /* where '\r' alone ends all lines, text has '\n' in its place */
    size_t lines;
    uint64_t hash; /* of bytes */
    bool damaged;  /* UTF-8 but for some bytes, which are U+FFFD in text */
};

/* The first `limit` bytes of a file (over max: HV_ETOOBIG), not decoded yet. Blocks. */
enum hv_code file_text_read(struct hv_context *context, struct hv_str path, size_t limit, size_t max,
                            struct file_text **out, struct hv_error *err) HV_MUST_CHECK;
/* Find out the encoding and make the text, of which bytes hold all. HV_EUNSUPPORTED: binary. */
enum hv_code file_text_decode(struct file_text *text, struct hv_error *err) HV_MUST_CHECK;
void file_text_unref(struct file_text *text); /* NULL: nothing */
static inline void file_text_cleanup(struct file_text **text)
{
    file_text_unref(*text);
}
#define CLEANUP_TEXT __attribute__((cleanup(file_text_cleanup)))

/* A text that was kept for this file as stat says it is, with a reference of its own; or NULL. */
struct file_text *file_text_kept(struct hv_context *context, struct hv_str key, const struct hv_file_stat *stat);
/* Keep a decoded text of at most FILE_TEXT_KEPT_MAX bytes for later. */
void file_text_keep(struct hv_context *context, struct hv_str key, struct file_text *text);

/* stat's last change is so long before `now` (wall clock) that another one would get another time. */
bool file_is_settled(const struct hv_file_stat *stat, int64_t now_ns);

#endif
