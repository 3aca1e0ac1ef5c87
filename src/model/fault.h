/*
 * fault.h: what providers say when they refuse, as hv_error: which code it is (may it be retried?), their message and
 * what the person can do. Shared by streams that carry an error and by HTTP answers that are one. Pure.
 */
#ifndef MODEL_FAULT_H
#define MODEL_FAULT_H

#include "model/model.h"

/*
 * Fill err from the error object that a stream carried: {"type","message"}, {"code","message"}, {"error":{…}}, a
 * string, or NULL when there is none. What is unknown counts as temporary. *retry_after_ms is the wait that its words
 * ask for, or -1. Returns err->code.
 */
enum hv_code fault_from_json(const struct hv_json *error, int64_t *retry_after_ms, struct hv_error *err);

/* What an answer of an API says about it. */
struct fault_answer {
    int status;
    struct hv_str body;     /* its first bytes; JSON or anything else */
    struct hv_str provider; /* "anthropic", "openai-chat", … */
    struct model_variables variables;
    struct hv_str retry_after, retry_after_ms, should_retry, request_id; /* headers, absent when not sent */
    int64_t now; /* seconds since 1970, for dates in retry_after */
};

/* Fill err from an HTTP answer whose status is not 200; *retry_after_ms is the wait it asks for, by its headers or its
 * words, or -1. A wait that is too long to sit out is no matter of trying again: err then says until when. */
enum hv_code fault_from_answer(const struct fault_answer *answer, int64_t *retry_after_ms, struct hv_error *err);

/* The wait that the headers ask for in milliseconds, at most a year, or -1. */
int64_t fault_retry_after(struct hv_str retry_after_ms, struct hv_str retry_after, int64_t now);

/* What an answer that is no JSON says, in one line: the title of a page, else its text without tags. In arena. */
struct hv_str fault_page_text(struct hv_arena *arena, struct hv_str body);

/* Whether text holds a word, letters of either case. needle: lower or upper case, not empty. */
bool fault_contains(struct hv_str text, const char *needle);

#endif
