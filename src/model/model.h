/*
 * model.h: language models as streams of neutral events.
 *
 * A provider is one file that ends in one `const struct model_provider`: it encodes messages into its own bytes and
 * decodes its stream. What lies between is shared: conversations keep every message as bytes that were serialised
 * once; a request is the list of those bytes; the stream comes back as events (struct model_event).
 *
 * The neutral form of a message's content is the Anthropic one: a JSON array of blocks (text, thinking,
 * redacted_thinking, tool_use, tool_result, image, document, server tool blocks). A block that belongs to one provider
 * only is carried as {"type":"provider_item","provider":"openai-responses","item":{…}} and sent back to that one alone.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <helve/json.h>

/* ---- stream events ------------------------------------------------------------------------------------- */

enum model_event_type {
    MODEL_EVENT_NONE = 0,
    MODEL_START,      /* id, model */
    MODEL_TEXT,       /* text: a piece of the answer */
    MODEL_THINKING,   /* text: a piece of the reasoning */
    MODEL_TOOL_BEGIN, /* id, name: a tool call has begun; its input is still coming */
    MODEL_TOOL_CALL,  /* id, name, json, cut: a call that is complete; json is its input, possibly invalid */
    MODEL_BLOCK,      /* json: a complete content block in neutral form, for the history; follows its TOOL_CALL */
    MODEL_USAGE,      /* usage so far (cumulative) */
    MODEL_STOP,       /* stop, stop_unknown, empty: the message is complete */
    MODEL_ERROR,      /* error: an error the stream itself carried; the stream is over */
};

enum model_stop {
    MODEL_STOP_NONE = 0,
    MODEL_STOP_END_TURN,
    MODEL_STOP_TOOL_USE,
    MODEL_STOP_MAX_TOKENS,
    MODEL_STOP_SEQUENCE,
    MODEL_STOP_PAUSE, /* pause_turn: send the content back as it is */
    MODEL_STOP_REFUSAL,
    MODEL_STOP_CONTEXT, /* the context window is full */
};

struct model_usage {
    int64_t input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens;
    int64_t searches; /* by the provider's own search of the web, which costs a fee each */
};

struct model_event {
    enum model_event_type type;
    struct hv_str id, name, model, text, json;
    struct model_usage usage;
    enum model_stop stop;
    struct hv_str stop_text; /* the provider's own word for it */
    bool stop_unknown;       /* STOP: a word that is not known; the message counts as done */
    bool empty;              /* STOP: nothing was said: no text, no call, thinking at most */
    bool cut;                /* TOOL_CALL: a limit has cut its input */
    struct hv_error error;   /* ERROR: message; code HV_EAGAIN when a retry may help */
    int64_t retry_after_ms;  /* ERROR: as the provider asked, or -1 */
};

/* "end_turn", "tool_use", … as the Messages API names them. Never NULL. */
const char *model_stop_name(enum model_stop stop);

/* Receives events in order; views are valid during the call only. */
typedef void model_on_event(void *user, const struct model_event *event);

/* ---- decoders: bytes of a stream in, events out. Pure; used by streams, `helve exec` and fuzzing ---------- */

enum model_wire {
    MODEL_WIRE_UNKNOWN = 0, /* found out from the first events */
    MODEL_WIRE_ANTHROPIC,
    MODEL_WIRE_OPENAI_CHAT,
    MODEL_WIRE_OPENAI_RESPONSES,
};

struct model_decoder;

/* A decoder for one response (or, for recorded streams, several after one another). Bounded memory: a block over
 * max_block bytes is an error event. */
struct model_decoder *model_decoder_new(enum model_wire wire, size_t max_block, model_on_event *on_event, void *user);
void model_decoder_free(struct model_decoder *decoder);
/* Feed bytes as they came, split anywhere. After an ERROR event further bytes are ignored. */
void model_decoder_feed(struct model_decoder *decoder, struct hv_str bytes);
/* The stream has ended. Emits ERROR (HV_ENET, "the stream was cut …") when it did so before its message was complete.
 */
void model_decoder_finish(struct model_decoder *decoder);
enum model_wire model_decoder_wire(const struct model_decoder *decoder);
/* Leave the ids of calls as the stream gives them, short ones too (only missing and repeated ones are made up): for
 * answers that go back to whoever holds the stream's own history (`helve exec`). */
void model_decoder_keep_ids(struct model_decoder *decoder);

/* ---- conversations --------------------------------------------------------------------------------------- */

/* One tool as a model sees it. Views live as long as the call. */
struct model_tool {
    struct hv_str name, description, input_schema; /* input_schema: JSON text of an object schema */
};

struct model;
struct model_conversation;

enum model_role { MODEL_USER = 1, MODEL_ASSISTANT = 2 };

struct model_options {
    struct hv_str provider;       /* "anthropic", "openai-chat", "openai-responses", "replay" */
    struct hv_str name;           /* the model's name; for replay the file, or "demo" */
    struct hv_str base_url;       /* absent: the provider's own */
    struct hv_str api_key;        /* absent: none is sent */
    const struct hv_str *headers; /* further "Name: value" lines */
    size_t header_count;
    int64_t max_tokens;                           /* 0: the provider's default here */
    int64_t thinking_budget;                      /* 0: off */
    struct hv_str effort;                         /* absent: not sent */
    bool eager_input;                             /* ask for unbuffered tool input where the provider has it */
    uint64_t connect_timeout_ms, idle_timeout_ms; /* 0: 30 s, 300 s */
    uint64_t end_timeout_ms;                      /* for what follows the reason for the end of a message; 0: 2 s */
    uint64_t content_timeout_ms;                  /* without any content, pings or not; 0: 10 minutes */
};

/* Whether there is a provider of this name. */
bool model_has_provider(struct hv_str name);
/* The variables that a provider's key, and another address of it, stand in; NULL: it has neither (a replay). */
struct model_variables {
    const char *key, *url;
};
const struct model_variables *model_variables(struct hv_str provider);

struct loop;

/* Copies the options. Does not connect. The replay model reads its file here. */
enum hv_code model_new(const struct model_options *options, struct loop *loop, struct model **out,
                       struct hv_error *err) HV_MUST_CHECK;
void model_free(struct model *model);
struct hv_str model_name(const struct model *model); /* as given, for people and journals */
struct hv_str model_provider_name(const struct model *model);
struct hv_str model_url(const struct model *model); /* where requests go; empty for a replay */
/*
 * The names of the models that the server has (GET …/models), in its order, in arena. Blocks for at most timeout_ms and
 * runs the loop meanwhile: only while nobody else runs it. HV_EUNSUPPORTED: a replay, or the server has no such list;
 * HV_EACCES: it refused the key; else as the network says.
 */
enum hv_code model_list(struct model *model, uint64_t timeout_ms, struct hv_arena *arena, struct hv_str **names,
                        size_t *count, struct hv_error *err) HV_MUST_CHECK;
/* The same while the loop runs: on_done is called once, later, unless this fails; at the latest by model_free, with
 * HV_ECANCELLED. The names lie in arena, which must live until then. */
typedef void model_on_list(void *user, enum hv_code code, struct hv_str *names, size_t count,
                           const struct hv_error *err);
enum hv_code model_list_begin(struct model *model, uint64_t timeout_ms, struct hv_arena *arena, model_on_list *on_done,
                              void *user, struct hv_error *err) HV_MUST_CHECK;
bool model_list_has(const struct hv_str *names, size_t count, struct hv_str name);
/* The first of them with commas between, for people. */
struct hv_str model_list_text(struct hv_arena *arena, const struct hv_str *names, size_t count);
int64_t model_context_window(const struct model *model); /* tokens; a careful guess when unknown */
void model_usage_add(struct model_usage *sum, const struct model_usage *usage);
/* US dollars of one request's usage, or a negative number when the price is not known. */
double model_cost(const struct model *model, const struct model_usage *usage);

/* A conversation in the bytes of this model's provider. Loop thread only. */
struct model_conversation *model_conversation_new(struct model *model);
void model_conversation_free(struct model_conversation *conversation);
void model_conversation_set_system(struct model_conversation *conversation, struct hv_str text);
/* The tools in order; the first `stable` of them are the built-in prefix that a cache breakpoint follows. Bytes are
 * made anew only when the list differs from the last one. */
void model_conversation_set_tools(struct model_conversation *conversation, const struct model_tool *tools, size_t count,
                                  size_t stable);
/* What the provider's own search of the web is limited to: hosts, and those below them. Views, not kept. */
struct model_search {
    const struct hv_str *allowed_domains, *blocked_domains;
    size_t allowed_count, blocked_count;
};
/* The provider can search the web while it answers. */
bool model_searches(const struct model *model);
/* Let it, instead of any tools; only where model_searches. */
void model_conversation_set_search(struct model_conversation *conversation, const struct model_search *search);
/* Add a message; content is a JSON array in neutral form (copied and serialised here, once). */
enum hv_code model_conversation_append(struct model_conversation *conversation, enum model_role role,
                                       struct hv_str content, struct hv_error *err) HV_MUST_CHECK;
/*
 * A request was refused with these words and status: leave out, from now on, what they name of it (signatures,
 * pictures, options: leave_out.h). Returns what that is, for people, when there is such a thing and it was in the
 * request: it is worth to be sent once more. NULL: the refusal is final.
 */
const char *model_conversation_leave_out(struct model_conversation *conversation, int status, struct hv_str words);
/* The same from a list of such names, with commas between, as a session remembers them; before conversations are made.
 */
void model_leave_out(struct model *model, struct hv_str names);
/* What says which server and model this is: short, the same in every process, without the address. */
struct hv_str model_origin(const struct model *model);
size_t model_conversation_count(const struct model_conversation *conversation);
/* Drop the messages from index on (rewind, compaction rebuilds). */
void model_conversation_truncate(struct model_conversation *conversation, size_t count);
/* Bytes of the request that would be sent now, and a copy of them (tests, debugging). */
size_t model_conversation_bytes(const struct model_conversation *conversation);
void model_conversation_body(const struct model_conversation *conversation, struct hv_buf *buf);

/* ---- streams ---------------------------------------------------------------------------------------------- */

struct model_stream;

struct model_stream_handlers {
    model_on_event *on_event;
    /* The raw provider event as JSON (for stream_event lines); may be NULL. */
    void (*on_raw)(void *user, struct hv_str json);
    /* Exactly once, last, never from inside model_send: the stream is over. code HV_OK after STOP; else err says why:
     * HV_EAGAIN and HV_ENET may be retried (retry_after_ms >= 0: not before), HV_ECANCELLED after cancel. status is the
     * HTTP status, or 0 when there was none. */
    void (*on_end)(void *user, enum hv_code code, const struct hv_error *err, int status, int64_t retry_after_ms);
    void *user;
};

/* Send the conversation as it is now. Loop thread; all handlers run there. The conversation must not change until
 * on_end. On an error return no handler runs. The stream frees itself after on_end. */
enum hv_code model_send(struct model_conversation *conversation, const struct model_stream_handlers *handlers,
                        struct model_stream **out, struct hv_error *err) HV_MUST_CHECK;
/* End it: on_end follows with HV_ECANCELLED, within 200 ms. */
void model_stream_cancel(struct model_stream *stream);
/* The same for an owner that goes away: no handler runs any more, not even on_end. */
void model_stream_abandon(struct model_stream *stream);
/* Load what model_send needs (the network module) on any thread, to overlap with other start-up work. */
void model_preload(const struct model *model);

#endif
