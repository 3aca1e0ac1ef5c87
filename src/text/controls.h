/*
 * controls.h: a file's text as it is, with its control characters made visible. What a terminal would do with them is
 * beside the point here, and must hide nothing: '\r' rewrites no line, and no sequence swallows what follows it. For
 * what a program printed there is ansi.h. Pure; any thread.
 */
#ifndef TEXT_CONTROLS_H
#define TEXT_CONTROLS_H

#include <helve/str.h>

/*
 * Append bytes to out. "\r\n" becomes "\n"; sequences that only colour or move (CSI) are removed; every other control
 * character but '\t' and '\n' becomes its picture (U+2400–U+2421: a lone '\r' is "␍"), one of U+0080–U+009F its number
 * ("\u{9b}"); invalid UTF-8 becomes U+FFFD, one for each maximal part. out->failed is set when it is full.
 */
void controls_show(struct hv_str bytes, struct hv_buf *out);

#endif
