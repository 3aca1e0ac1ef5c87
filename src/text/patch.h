/*
 * patch.h: patches in the form "*** Begin Patch … *** End Patch": several files added, updated by context, deleted or
 * moved. Parsing and computing the new bytes are pure; nothing here touches a file.
 *
 * An update is a list of hunks; each is lines that stay (" "), go ("-") and come ("+"), perhaps after anchors ("@@ a
 * line above"). Hunks are found in their order, by the lines that stay and go: exactly, or with blanks at line ends
 * left out of account. Without an anchor the place must be the only one; with anchors it is the first one after them;
 * the last anchor may be the first of the lines that stay. "\ No newline at end of file" is as in a unified diff.
 * Only what goes and comes is spliced: lines that stay keep their bytes, line ends too, and new lines end as their
 * neighbours.
 */
#ifndef TEXT_PATCH_H
#define TEXT_PATCH_H

#include "text/edit.h"

enum { PATCH_FILES_MAX = 1000, PATCH_LINES_MAX = 1 << 20 };

enum patch_kind { PATCH_ADD = 1, PATCH_UPDATE, PATCH_DELETE };

struct patch_line {
    char sign;          /* ' ', '-' or '+' */
    struct hv_str text; /* without the sign and the line end */
    bool open;          /* "\ No newline at end of file" follows */
};

struct patch_hunk {
    struct hv_str *anchors; /* what stands behind "@@", outermost first */
    size_t anchor_count;
    struct patch_line *lines;
    size_t count;
    bool at_end; /* "*** End of File": the place is at the end of the file */
    size_t line; /* of the patch where the hunk begins, from 1 */
};

struct patch_file {
    enum patch_kind kind;
    struct hv_str path;
    struct hv_str move_to; /* PATCH_UPDATE: the new path, or absent */
    struct hv_str content; /* PATCH_ADD: its text; every line ends in LF */
    struct patch_hunk *hunks;
    size_t hunk_count; /* may be 0 for a mere move */
    size_t line;       /* of the patch where the file begins, from 1 */
};

struct patch {
    struct patch_file *files;
    size_t count;
};

/*
 * Parse a patch. Its arrays are in arena, texts are views of text, or in arena. HV_EINVAL names the line ("line 7") and
 * what was expected there. Text around the patch (a here-document's lines, a code fence) is forgiven.
 */
HV_MUST_CHECK enum hv_code patch_parse(struct hv_arena *arena, struct hv_str text, struct patch *out,
                                       struct hv_error *err);

/* Why a hunk does not fit. */
struct patch_failure {
    size_t hunk; /* index */
    bool anchor; /* an anchor was not found: its text is `text` */
    struct hv_str text;
    size_t elsewhere, from; /* not 0: its lines stand there only, not at the end of the file as it says (from is 0), or
                               above the line `from`, where the search for them begins */
    struct edit_failure place; /* else: not found, with the nearest place, or several places */
};

/*
 * Compute what an update makes of file, which is UTF-8 (its mark, if any, included). On success *edit holds the
 * splices, in arena, and *by_blanks tells whether blanks at line ends had to be left out of account. An update without
 * hunks gives no splices. HV_ENOTFOUND, HV_ECONFLICT (several places) or HV_ETOOBIG fill *failure.
 */
HV_MUST_CHECK enum hv_code patch_compute(struct hv_arena *arena, struct hv_str file, const struct patch_file *update,
                                         struct edit *edit, bool *by_blanks, struct patch_failure *failure);

#endif
