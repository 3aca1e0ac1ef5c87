/*
 * content.h: what goes back to the model for one call, before it takes a provider's shape.
 *
 * A tool produces content blocks and does not care about size or escapes; the result stage caps, stores, cleans
 * and marks them, and the model's encoder gives them the provider's bytes. All memory is the call's arena.
 */
#ifndef HELVE_CONTENT_H
#define HELVE_CONTENT_H

#include <helve/str.h>

enum hv_content_type {
    HV_CONTENT_NONE = 0,
    HV_CONTENT_TEXT,           /* text */
    HV_CONTENT_IMAGE,          /* data (raw bytes) and media_type */
    HV_CONTENT_DOCUMENT,       /* data (raw bytes), media_type, title */
    HV_CONTENT_RESOURCE_LINK,  /* uri, title */
    HV_CONTENT_TOOL_REFERENCE, /* text: the name of a tool that this result activates */
    HV_CONTENT_SPOOL,          /* text too large for memory: file, size and what is kept of head and tail */
};

struct hv_content {
    enum hv_content_type type;
    bool own;                 /* TEXT of an untrusted result: helve's own words, which are not marked as foreign */
    struct hv_str text;       /* TEXT, TOOL_REFERENCE */
    struct hv_str media_type; /* IMAGE, DOCUMENT: "image/png", … */
    struct hv_str data;       /* IMAGE, DOCUMENT: decoded bytes; base64 is the encoder's business */
    struct hv_str uri, title; /* RESOURCE_LINK, DOCUMENT */
    struct hv_str file;       /* SPOOL: absolute path of the file that holds the whole text */
    struct hv_str head, tail; /* SPOOL: its first and last bytes */
    uint64_t size;            /* SPOOL: bytes in the file */
    uint64_t lines;           /* SPOOL: newlines in the file */
    struct hv_content *next;
};

/* The answer to one call. Zeroed: an empty, successful result. */
struct hv_result {
    struct hv_content *first, *last;
    bool is_error;
    bool untrusted;           /* came from outside (web, MCP): what is not `own` is marked as data, also of an error */
    bool ends_turn;           /* the model need not be asked again (StructuredOutput) */
    struct hv_str structured; /* JSON that fits the tool's output schema, or absent */
    struct hv_str summary;    /* one line for people ("42 lines", "exit 1"), or absent */
    struct hv_str diff;       /* unified diff for people, or absent */
};

/* Append a block. The text is not copied: it must live as long as the call's arena. */
HV_API void hv_result_add_text(struct hv_result *result, struct hv_arena *arena, struct hv_str text);
HV_API void hv_result_addf(struct hv_result *result, struct hv_arena *arena, const char *format, ...) HV_PRINTF(3, 4);
HV_API struct hv_content *hv_result_add(struct hv_result *result, struct hv_arena *arena, enum hv_content_type type);
/* Append words of helve's own (what was left out, what to do next) to a result that may be untrusted. */
HV_API void hv_result_add_ownf(struct hv_result *result, struct hv_arena *arena, const char *format, ...)
    HV_PRINTF(3, 4);
/* Make the result an error that carries err's message, place and hint as text. The message may quote what came from
 * outside, the hint may not: in an untrusted result it is a block of helve's own. */
HV_API void hv_result_error(struct hv_result *result, struct hv_arena *arena, const struct hv_error *err);
/* The same with a formatted message. */
HV_API void hv_result_errorf(struct hv_result *result, struct hv_arena *arena, const char *format, ...) HV_PRINTF(3, 4);

#endif
