/*
 * edit.h: the edit core. Given the bytes of a file, the text to find and the text to put there, it computes which
 * byte ranges change, or says why not. Everything outside the ranges stays as it is by construction.
 *
 * Matching, in this order: the text itself; the same with curly, low and prime quotes taken for straight ones (the
 * replacement then takes the quotes found in the file); the text with the line numbers that Read shows
 * ("    12\t") taken off every line, which must count up by one. In all of them "\n" in the text matches "\n" and
 * "\r\n" in the file, and lines that are put in end as the matched place does. Nothing else is tolerated: a place
 * that is not certain is a failure. Ranges are trimmed to what differs between old and new, so that line ends and
 * quotes of the parts that both share stay those of the file.
 *
 * A byte order mark is never matched or changed. Bytes are UTF-8 or another ASCII-compatible 8-bit encoding (old and
 * new are UTF-8 and converted); UTF-16 and UTF-32 are refused as EDIT_UNSUPPORTED.
 * Pure; any thread. Linear in the file, about a second for a gigabyte; the search for the nearest place is bounded.
 */
#ifndef TEXT_EDIT_H
#define TEXT_EDIT_H

#include "text/encoding.h"

#include <helve/str.h>

/* One change that is asked for. */
struct edit_request {
    struct hv_str old_text; /* empty: only good for an empty file, which it fills */
    struct hv_str new_text;
    bool replace_all;
};

/* Bytes [start, end) of the file give way to replacement. */
struct edit_splice {
    size_t start, end;
    struct hv_str replacement;
};

/* How the place was found: bits. 0 is exact, but for LF against CRLF. */
enum { EDIT_BY_QUOTES = 1, EDIT_BY_LINE_NUMBERS = 2 };

struct edit {
    struct edit_splice *splices; /* ascending, disjoint */
    size_t count;                /* places changed, at least 1 */
    unsigned found_by;           /* EDIT_BY_… */
    size_t first_line;           /* line of the first place; 0: not known */
    size_t first_at;             /* where that begins */
    size_t size_after;           /* bytes of the file afterwards */
};

enum edit_failure_kind {
    EDIT_NOT_FOUND = 1,
    EDIT_AMBIGUOUS,   /* several places and not replace_all */
    EDIT_NO_CHANGE,   /* old and new are the same */
    EDIT_EMPTY_OLD,   /* nothing to look for, and the file is not empty */
    EDIT_UNENCODABLE, /* new_text has a character that the file's encoding lacks */
    EDIT_UNSUPPORTED, /* an encoding that is not edited */
    EDIT_TOO_LARGE,   /* over EDIT_SPLICES_MAX places, or the result over EDIT_SIZE_MAX */
};

enum { EDIT_LINES_SHOWN = 16, EDIT_SPLICES_MAX = 1 << 22 };
#define EDIT_SIZE_MAX ((size_t)1 << 30)

/* In what the nearest place differs from old_text: bits. */
enum {
    EDIT_DIFFERS_TABS = 1,            /* tabs on one side, blanks on the other */
    EDIT_DIFFERS_INDENTATION = 2,     /* another amount at the start of a line */
    EDIT_DIFFERS_TRAILING_BLANKS = 4, /* blanks at the end of a line */
    EDIT_DIFFERS_INNER_BLANKS = 8,    /* blanks inside a line */
    EDIT_DIFFERS_QUOTES = 16,
    EDIT_DIFFERS_CASE = 32,
    EDIT_DIFFERS_LINE_ENDS = 64,    /* lone CR characters */
    EDIT_DIFFERS_LINE_BREAKS = 128, /* lines are broken at other places, or blank lines come or go */
    EDIT_DIFFERS_NUMBERS = 512,     /* old_text has the line numbers of Read in front */
    EDIT_DIFFERS_TEXT = 256,        /* other words: lines_agree of lines_total lines are the same */
};

/* Why an edit cannot be done. Views live as long as the arena given and the inputs. */
struct edit_failure {
    enum edit_failure_kind kind;
    size_t edit_index; /* which request of a sequence; 0 for a single one */
    size_t edit_count; /* how many requests; 0 for a single one */
    bool of_hunk;      /* what was looked for is a hunk of a patch, not an old_string */
    /* EDIT_AMBIGUOUS */
    size_t places;                  /* how many */
    size_t lines[EDIT_LINES_SHOWN]; /* line of each of the first ones */
    /* EDIT_NOT_FOUND; first_line 0 when no place is near */
    size_t first_line, last_line;
    unsigned differs; /* EDIT_DIFFERS_… */
    size_t lines_agree, lines_total;
    size_t differing_line;   /* the first line of the file that differs */
    struct hv_str file_text; /* that line, and what old_text has there; cut to some 200 bytes */
    struct hv_str old_text;
    const char *slip;              /* old_text is there with a usual slip undone: how (edit_slip.c); else NULL */
    size_t slip_line, slip_places; /* where first, and how often */
    struct hv_str slip_text;       /* that line of the file, cut */
    size_t new_line;               /* new_text stands there already; 0: nowhere */
    char detail[160];              /* EDIT_UNENCODABLE, EDIT_UNSUPPORTED: which character or encoding */
};

/*
 * Compute one edit of file (all its bytes, its mark included). On success *edit is set, its arrays and texts are in
 * arena or are views of request. On failure *failure is set (it may be NULL) and *edit is untouched.
 * Codes: HV_ENOTFOUND (not found), HV_ECONFLICT (ambiguous), HV_EINVAL (no change, empty old, unencodable),
 * HV_EUNSUPPORTED, HV_ETOOBIG.
 */
HV_MUST_CHECK enum hv_code edit_compute(struct hv_arena *arena, struct hv_str file, struct encoding encoding,
                                        const struct edit_request *request, struct edit *edit,
                                        struct edit_failure *failure);

/* Append file with the splices done to out. False when it does not fit; then out->failed is set. */
HV_MUST_CHECK bool edit_apply(struct hv_str file, const struct edit *edit, struct hv_buf *out);

/* What a sequence of edits came to. */
struct edit_sequence {
    size_t places;     /* over all edits */
    unsigned found_by; /* EDIT_BY_… of all edits together */
};

/*
 * Several edits, each over the text that the former ones left: all or nothing. On success out holds the whole new text
 * (it should be empty with a maximum) and *sequence is set; on failure out is left empty, and failure->edit_index
 * names the edit that failed, its line numbers counting in the text as it then was.
 */
HV_MUST_CHECK enum hv_code edit_compute_sequence(struct hv_arena *arena, struct hv_str file, struct encoding encoding,
                                                 const struct edit_request *requests, size_t count, struct hv_buf *out,
                                                 struct edit_sequence *sequence, struct edit_failure *failure);

/* Write for the model what failed and what to do next: some lines of UTF-8, without a final newline. */
void edit_describe_failure(const struct edit_failure *failure, struct hv_buf *out);

#endif
