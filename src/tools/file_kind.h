/* file_kind.h: what a file is that is not text, by its first bytes; and what to say about files that are not there. */
#ifndef TOOLS_FILE_KIND_H
#define TOOLS_FILE_KIND_H

#include <helve/tool.h>

struct file_kind {
    const char *name; /* "a TIFF image" */
    const char *hint; /* how to look at it with other means */
};

/* The kind of a file that Read cannot show, by its first bytes; NULL when no signature is known. Static. */
const struct file_kind *file_kind_sniff(struct hv_str head);

/*
 * Fill err for a path at which nothing was found (HV_ENOTFOUND): the hint has the nearest names in its directory, or
 * the deepest directory above it that exists. Looks at the host.
 */
enum hv_code file_fail_missing(struct hv_context *context, struct hv_str path, struct hv_error *err);
/* The path is no regular file: says what it is and what to use instead (HV_EUNSUPPORTED). */
enum hv_code file_fail_kind(struct hv_str path, enum hv_file_kind kind, struct hv_error *err);

/* "1.2 MB", in arena; decimal units. */
struct hv_str file_size_text(struct hv_arena *arena, uint64_t size);
/* path as people say it: relative to the working directory when inside. A view of path. */
struct hv_str file_shown_path(const struct hv_context *context, struct hv_str path);
/* A name or path for a list of them, one a line: as a JSON string where it holds control characters, so that no name
 * looks like two. In arena, or name itself. */
struct hv_str file_listed_name(struct hv_arena *arena, struct hv_str name);
/* It holds none, and is listed as it is. */
bool file_name_is_plain(struct hv_str name);

#endif
