/*
 * pattern.h: the regular expressions of JSON Schema (ECMA-262 with the u flag) on PCRE2.
 *
 * The source is translated where the two dialects differ (\s, ".", surrogate pairs, names of Unicode properties,
 * brackets in classes). What ECMA-262 has no meaning for but PCRE2 does, such as (?i) or \Z, keeps PCRE2's meaning:
 * schemas written for other languages use it. Work and memory of one match are bounded. Immutable after compiling,
 * so that any number of threads may match with one pattern.
 */
#ifndef SCHEMA_PATTERN_H
#define SCHEMA_PATTERN_H

#include <helve/str.h>

struct pattern;

enum pattern_answer {
    PATTERN_NOT_FOUND = 0,
    PATTERN_FOUND,
    PATTERN_TOO_COMPLEX, /* there were not enough steps: neither found nor not found */
};

/* Compile source; the caller frees *out with pattern_free. HV_EINVAL with the reason and the offset of the fault,
 * HV_ETOOBIG for a source over 64 KiB. */
enum hv_code pattern_compile(struct hv_str source, struct pattern **out, struct hv_error *err) HV_MUST_CHECK;
void pattern_free(struct pattern *pattern); /* NULL is accepted */

/*
 * Is the pattern found anywhere in text (UTF-8; ill-formed text is PATTERN_NOT_FOUND)? *steps is how much work may be
 * done, in units of some 50 ns, and is reduced by what was paid for.
 */
enum pattern_answer pattern_find(const struct pattern *pattern, struct hv_str text, uint64_t *steps);

#endif
