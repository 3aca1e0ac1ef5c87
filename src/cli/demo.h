/*
 * demo.h: the project that the built-in recording (replay:demo) was made in. Its words fit no other: elsewhere it works
 * on a fresh copy.
 */
#ifndef CLI_DEMO_H
#define CLI_DEMO_H

#include <helve/str.h>

/* `directory` holds the example: its tests are there, byte by byte. */
bool demo_is_here(struct hv_arena *arena, struct hv_str directory);

/* Write the example into a new directory below TMPDIR or /tmp; *directory is in arena. It stays. */
enum hv_code demo_copy(struct hv_arena *arena, struct hv_str *directory, struct hv_error *err) HV_MUST_CHECK;

#endif
