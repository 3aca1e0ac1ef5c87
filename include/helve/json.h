/*
 * json.h: reading and writing JSON (RFC 8259).
 *
 * The reader builds a tree in an arena. Every value knows its byte range in the source text, numbers keep their
 * text, members keep their order, and nothing is copied but strings that contain escapes. Strict by default:
 * what RFC 8259 does not allow is an error with the byte offset, line and column. The source text must stay
 * valid for as long as the tree is used (strings without escapes are views into it).
 *
 * Thread-safety: a tree is immutable after parsing and may be read from many threads.
 */
#ifndef HELVE_JSON_H
#define HELVE_JSON_H

#include <helve/str.h>

enum hv_json_type {
    HV_JSON_NONE = 0, /* no value: what look-ups in absent values see */
    HV_JSON_NULL,
    HV_JSON_FALSE,
    HV_JSON_TRUE,
    HV_JSON_NUMBER,
    HV_JSON_STRING,
    HV_JSON_ARRAY,
    HV_JSON_OBJECT,
};

/* One value. Read the members directly; never change them. */
struct hv_json {
    enum hv_json_type type;
    uint32_t count;              /* elements of an array, members of an object */
    size_t start, end;           /* byte range [start, end) in the source text, quotes and brackets included */
    struct hv_str text;          /* STRING: the decoded bytes (UTF-8, may hold NUL); NUMBER: its text */
    struct hv_str key;           /* decoded name, when this value is a member of an object; else absent */
    size_t key_start, key_end;   /* byte range of the name with its quotes, when a member */
    const struct hv_json *first; /* first element or member */
    const struct hv_json *next;  /* next sibling; NULL at the end */
};

enum hv_json_flags {
    HV_JSON_STRICT = 0,
    HV_JSON_REPAIR_SURROGATES = 1 << 0, /* a lone \uD83D becomes U+FFFD instead of an error (models emit them) */
    HV_JSON_REPAIR_UTF8 = 1 << 1,       /* an invalid UTF-8 byte in a string becomes U+FFFD */
    HV_JSON_ALLOW_BOM = 1 << 2,         /* skip a byte-order mark at the start (files written by people) */
    HV_JSON_PREFIX = 1 << 3,            /* stop after the first value; what follows is not looked at */
    HV_JSON_UNIQUE_KEYS = 1 << 4,       /* a member named twice in one object is an error */
    HV_JSON_ALLOW_NAN = 1 << 5,         /* NaN, Infinity and -Infinity, which Python writes, are read as null */
};

enum { HV_JSON_DEPTH_MAX = 512 };

/*
 * Parse text into a tree in arena. On failure returns HV_EINVAL (HV_ETOOBIG for more than HV_JSON_DEPTH_MAX
 * levels or 4 GiB), writes nothing to *out, and err says what was expected, with place "line:column" and the
 * byte offset in the message. Iterative: the depth of foreign input never grows the stack.
 */
HV_API enum hv_code hv_json_parse(struct hv_arena *arena, struct hv_str text, unsigned flags,
                                  const struct hv_json **out, struct hv_error *err) HV_MUST_CHECK;

/* Look-ups accept NULL and values of another type, and then say "absent", so that chains need no checks. */
HV_API const struct hv_json *hv_json_get(const struct hv_json *object, const char *name); /* last wins; or NULL */
HV_API const struct hv_json *hv_json_get_str(const struct hv_json *object, struct hv_str name);
HV_API const struct hv_json *hv_json_at(const struct hv_json *array, size_t index);
HV_API enum hv_json_type hv_json_type_of(const struct hv_json *value);
/* The string's bytes, or the absent view when value is not a string. */
HV_API struct hv_str hv_json_string(const struct hv_json *value);
/* hv_json_string(hv_json_get(object, name)). */
HV_API struct hv_str hv_json_get_string(const struct hv_json *object, const char *name);
HV_API bool hv_json_bool(const struct hv_json *value, bool fallback);
/* An integer that fits (also written 1.0 or 1e3). False when value is not a number, not whole, or too large. */
HV_API bool hv_json_int64(const struct hv_json *value, int64_t *out);
HV_API bool hv_json_double(const struct hv_json *value, double *out); /* false for non-numbers and overflow */
/* "null", "boolean", "number", "string", "array", "object", or "nothing". */
HV_API const char *hv_json_type_name(const struct hv_json *value);
/* The value's own bytes in the source text it was parsed from. */
HV_API struct hv_str hv_json_source(const struct hv_json *value, struct hv_str text);
/* Same JSON value: numbers by value, objects without regard to order. Iterative. */
HV_API bool hv_json_equal(const struct hv_json *a, const struct hv_json *b);

#define hv_json_each(child, parent)                                                                                    \
    for (const struct hv_json *child = (parent) ? (parent)->first : NULL; child; child = child->next)

/* ---- writing ------------------------------------------------------------------------------------------ */

/*
 * Writes compact JSON to a buffer. Commas and colons are put by the writer. Strings may hold any bytes: invalid
 * UTF-8 is written as U+FFFD, so the output is always valid. Misuse (a value without a name in an object) is a bug
 * and asserts. A buffer over its maximum is seen in buf->failed.
 */
struct hv_json_writer {
    struct hv_buf *buf;
    uint32_t depth;
    bool need_comma, in_member; /* inner state */
    bool deep;                  /* was nested deeper than `objects` can tell */
    uint64_t objects;           /* one bit per open level, innermost lowest: is it an object */
};

/* Each begin wants its end, each member its name first; buf belongs to the caller and outlives the writer. */
HV_API void hv_json_writer_init(struct hv_json_writer *writer, struct hv_buf *buf);
HV_API void hv_json_begin_object(struct hv_json_writer *writer);
HV_API void hv_json_end_object(struct hv_json_writer *writer);
HV_API void hv_json_begin_array(struct hv_json_writer *writer);
HV_API void hv_json_end_array(struct hv_json_writer *writer);
HV_API void hv_json_name(struct hv_json_writer *writer, const char *name);
HV_API void hv_json_name_str(struct hv_json_writer *writer, struct hv_str name);
HV_API void hv_json_put_string(struct hv_json_writer *writer, struct hv_str text); /* absent is written as null */
HV_API void hv_json_put_cstr(struct hv_json_writer *writer, const char *text);     /* NULL is written as null */
HV_API void hv_json_put_int(struct hv_json_writer *writer, int64_t value);
HV_API void hv_json_put_double(struct hv_json_writer *writer,
                               double value); /* shortest that reads back; not finite: null */
HV_API void hv_json_put_bool(struct hv_json_writer *writer, bool value);
HV_API void hv_json_put_null(struct hv_json_writer *writer);
/* Bytes that are already valid JSON, as they are. */
HV_API void hv_json_put_raw(struct hv_json_writer *writer, struct hv_str json);
/* A parsed value, written compactly (numbers as their text). Iterative. */
HV_API void hv_json_put_value(struct hv_json_writer *writer, const struct hv_json *value);

/* Name and value in one call. */
HV_API void hv_json_member_string(struct hv_json_writer *writer, const char *name, struct hv_str text);
HV_API void hv_json_member_cstr(struct hv_json_writer *writer, const char *name, const char *text);
HV_API void hv_json_member_int(struct hv_json_writer *writer, const char *name, int64_t value);
HV_API void hv_json_member_double(struct hv_json_writer *writer, const char *name, double value);
HV_API void hv_json_member_bool(struct hv_json_writer *writer, const char *name, bool value);
HV_API void hv_json_member_raw(struct hv_json_writer *writer, const char *name, struct hv_str json);
/* Append text to buf as the inside of a JSON string (escaped, without quotes), invalid UTF-8 as U+FFFD. */
HV_API void hv_json_escape(struct hv_buf *buf, struct hv_str text);

#endif
