/*
 * find_error.h: what to say about a pattern that PCRE2 refuses: where the fault is, and, where the mistake is a common
 * one (an unescaped bracket, brace or quantifier), what to write instead; that is only said when it compiles. Pure.
 */
#ifndef TEXT_FIND_ERROR_H
#define TEXT_FIND_ERROR_H

#include <helve/str.h>

/* Fill err and return HV_EINVAL. number and at are PCRE2's error code and offset; flags are those it was given. plain:
 * the hint names no other options. */
enum hv_code find_fail_pattern(struct hv_str pattern, uint32_t flags, int number, size_t at, bool plain,
                               struct hv_error *err);

#endif
