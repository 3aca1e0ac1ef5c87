/*
 * diff.h: differences between two texts, by lines. Myers' algorithm in linear space, after common beginnings and ends
 * are cut off, with a budget: where two texts are too unlike, the rest becomes one coarse replacement instead of
 * quadratic work. Pure; any thread.
 */
#ifndef TEXT_DIFF_H
#define TEXT_DIFF_H

#include "text/encoding.h"

#include <helve/str.h>

/* Lines [old_start, old_start + old_count) gave way to [new_start, new_start + new_count); 0-based, one count may be 0.
 */
struct diff_change {
    size_t old_start, old_count, new_start, new_count;
};

struct diff {
    struct diff_change *changes; /* ascending, never adjacent */
    size_t count;
    size_t removed, added; /* lines */
    bool coarse;           /* the budget ran out: right, but not the smallest */
    /* Where the lines stand, for diff_show: views of the texts. */
    struct hv_str old_text;
    struct hv_str new_part;      /* of the new text, from the prefix on: all that the changes put in */
    size_t prefix, prefix_lines; /* bytes and lines that both texts begin with */
    size_t old_end;              /* from there on the old text is as the end of the new one */
};

/* The changes from old_text to new_text. Lines are compared with their line ends; changes are in arena, and texts are
 * views that must live as long. */
void diff_lines(struct hv_arena *arena, struct hv_str old_text, struct hv_str new_text, struct diff *diff);

/* Where two texts are known to differ. */
struct diff_part {
    size_t from, to;        /* of the old text: whole lines */
    size_t lines_before;    /* lines of the old text before `from` */
    struct hv_str new_part; /* what stands there in the new text: whole lines */
};
/*
 * The same for a new text that is old_text but for a part: exactly what diff_lines gives, but no more is looked at than
 * the part. False when that cannot be told (the one part is the beginning of the other, so that it depends on what
 * follows): the part has to reach farther then. *diff is untouched in that case.
 */
bool diff_lines_of_part(struct hv_arena *arena, struct hv_str old_text, const struct diff_part *part,
                        struct diff *diff) HV_MUST_CHECK;

struct diff_options {
    size_t context;                   /* lines around a change; git's default is 3 */
    size_t max_lines;                 /* of output, headers not counted; 0 for no limit */
    struct hv_str old_name, new_name; /* after "--- " and "+++ "; both absent: no header */
    enum encoding_kind encoding;      /* of the texts: ASCII-compatible; shown as UTF-8. Zero: they are UTF-8 */
    size_t max_bytes;                 /* of output: no line is begun after these; 0 for no limit */
    size_t max_line_bytes;            /* of a longer line a part is shown, around where it differs, and its size is
                                         told; 0 for no limit */
};

struct diff_result {
    size_t removed, added, hunks; /* of the whole difference, shown or not */
    bool coarse, cut;             /* cut: a limit was reached, a last line "… N more lines" says so */
};

/*
 * Append the unified diff to out, as `git diff --no-index` prints it from the "---" line on (hunk headers without
 * function names, "\ No newline at end of file"). Nothing is appended when the texts are equal. out->failed is set when
 * it is full. result may be NULL.
 */
void diff_unified(struct hv_str old_text, struct hv_str new_text, const struct diff_options *options,
                  struct hv_buf *out, struct diff_result *result);
/* The same for a difference that is known. */
void diff_show(const struct diff *diff, const struct diff_options *options, struct hv_buf *out,
               struct diff_result *result);

#endif
