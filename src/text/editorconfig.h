/*
 * editorconfig.h: what .editorconfig files say about a file, as far as writing it is concerned. Pure; any thread.
 * Format: https://spec.editorconfig.org. Sections are matched in time proportional to pattern × path, without
 * recursion.
 */
#ifndef TEXT_EDITORCONFIG_H
#define TEXT_EDITORCONFIG_H

#include <helve/str.h>

enum editorconfig_end { EDITORCONFIG_END_UNSET = 0, EDITORCONFIG_LF, EDITORCONFIG_CRLF, EDITORCONFIG_CR };
enum editorconfig_charset {
    EDITORCONFIG_CHARSET_UNSET = 0,
    EDITORCONFIG_UTF8,
    EDITORCONFIG_UTF8_BOM,
    EDITORCONFIG_LATIN1,
    EDITORCONFIG_UTF16LE,
    EDITORCONFIG_UTF16BE,
};

struct editorconfig {
    enum editorconfig_end end;
    enum editorconfig_charset charset;
    bool final_newline; /* wanted */
};

/* The file says root = true: those of directories above it do not count. */
bool editorconfig_is_root(struct hv_str text);
/*
 * Add what text, an .editorconfig, says about the file at path, relative to its directory. Call for the outermost file
 * first: what is said later wins, "unset" takes back.
 */
void editorconfig_apply(struct hv_str text, struct hv_str path, struct editorconfig *settings);
/* A section's pattern matches the path (relative to the file's directory). */
bool editorconfig_match(struct hv_str pattern, struct hv_str path);

#endif
