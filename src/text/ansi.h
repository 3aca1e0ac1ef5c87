/*
 * ansi.h: what a terminal would show, as plain text for the model. Removed: escape sequences (CSI, OSC, DCS, SS3 and
 * their kin, 7-bit and as U+0080–U+009F), control characters but '\t' and '\n'. Reduced to their last state: lines
 * rewritten after '\r' (progress bars) or CSI K, and characters struck over after '\b' (bold and underline of man
 * pages). "\r\n" becomes "\n". Invalid UTF-8 becomes U+FFFD, one for each maximal part. Works on a stream cut anywhere;
 * constant memory.
 */
#ifndef TEXT_ANSI_H
#define TEXT_ANSI_H

#include <helve/str.h>
#include <stdint.h>

/* A zeroed struct is ready. Owns the line in progress. One thread at a time. */
struct ansi_cleaner {
    int state;                /* of the escape parser */
    bool carriage_return;     /* '\r' seen: the next character begins the line anew */
    bool string_is_dcs;       /* a DCS may hold newlines */
    unsigned char pending[4]; /* the beginning of a UTF-8 character */
    unsigned pending_count;
    size_t sequence_length; /* bytes in the present escape sequence */
    unsigned parameter;     /* first parameter of a CSI */
    bool more_parameters;
    struct hv_buf line; /* text of the line in progress */
    size_t cursor;      /* where the next character goes in it */
};

/* Clean a piece of a stream; whole lines are appended to out, the last one waits for its end or ansi_finish. */
void ansi_feed(struct ansi_cleaner *cleaner, struct hv_str bytes, struct hv_buf *out);
/* The end of the stream: append what waits. The cleaner may be used anew. */
void ansi_finish(struct ansi_cleaner *cleaner, struct hv_buf *out);
/* Free the line in progress. */
void ansi_release(struct ansi_cleaner *cleaner);
/* All three at once. out->failed is set when it is full; what fitted is there. */
void ansi_clean(struct hv_str bytes, struct hv_buf *out);
/* bytes need no cleaning: valid UTF-8 without control characters but '\t' and '\n'. */
bool ansi_is_clean(struct hv_str bytes);

#endif
