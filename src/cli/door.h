/*
 * door.h: batch doors: JSON lines in, one line of JSON out for each, in order, with the line's `id` carried over. What
 * suites use to measure helve from outside; described in docs/internals/doors.md.
 */
#ifndef CLI_DOOR_H
#define CLI_DOOR_H

#include "cli/cli.h"

enum { DOOR_LINE_MAX = 256 << 20 };

/* One question. */
struct door_line {
    const struct hv_json *value; /* the line's object */
    struct hv_str text;          /* its source */
    struct hv_arena *arena;      /* until the answer is written */
    void *user;
};

/*
 * Answer every line of stdin: answer() writes the members besides `id`, into the open object. A line that is no object
 * gets {"id":null,"error":…}. Answers leave whenever no more input is at hand. Returns the exit code: 0, or
 * CLI_FAILED when stdin or stdout failed.
 */
int door_run(void (*answer)(const struct door_line *line, struct hv_json_writer *writer), void *user);

/*
 * The bytes of a member: `name` as text, or `name`_b64 as base64 (exact bytes). Absent when neither is there; *bad is
 * set when the base64 is wrong or the member is no string.
 */
struct hv_str door_bytes(const struct door_line *line, const char *name, bool *bad);

#endif
