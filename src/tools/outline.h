/*
 * outline.h: the definitions of a source file, found by a cheap scan of its lines, for the outline that Read gives of
 * a file too large to show. Knows the shapes of C-like languages, Python, JavaScript, TypeScript, Go, Rust, Kotlin,
 * shell and SQL, and Markdown headings; of what is indented only methods. Pure.
 */
#ifndef TOOLS_OUTLINE_H
#define TOOLS_OUTLINE_H

#include <helve/str.h>

/* The name that a line defines, a view of line; absent when it defines none. */
struct hv_str outline_definition(struct hv_str line);

#endif
