/*
 * elision.h: lines that stand for text which was left out ("// ... rest of the code unchanged", "<existing code
 * here>"). Models write them where they should have written everything; stored as they are, they delete code. What is
 * judged is a line as a whole: a comment, or a line in brackets or between dots, whose words all belong to that way of
 * speaking. Dots alone (Python's body, spread, prose) are none outside of a comment. Pure; any thread; linear.
 */
#ifndef TEXT_ELISION_H
#define TEXT_ELISION_H

#include <helve/str.h>

/* The line that elides. */
struct elision {
    size_t line;        /* of the new text, from 1 */
    struct hv_str text; /* the line, trimmed; a view of the new text */
};

enum { ELISION_PROSE = 1 }; /* a text of words, where "#" is a heading and samples of code may well be cut */

/*
 * The first line of new_text that elides and does not stand in old_text, alone on a line, as it is (such a line is the
 * file's own). flags: ELISION_…. False when there is none; *out is set on true.
 */
bool elision_find(struct hv_str new_text, struct hv_str old_text, unsigned flags, struct elision *out);

/* The name of a file that holds prose: Markdown, reStructuredText, AsciiDoc, plain text. */
bool elision_is_prose(struct hv_str path);

#endif
