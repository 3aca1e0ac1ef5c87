/*
 * provider.h: what lies between a model and its provider. Inner to src/model.
 *
 * A provider is one file that ends in one `const struct model_provider`: how its requests look. What its streams look
 * like is its wire (decoder.h). A request's body is four stretches of bytes that are made when what they hold changes,
 * and only then: options, tools, system, messages; see conversation.c.
 */
#ifndef MODEL_PROVIDER_H
#define MODEL_PROVIDER_H

#include "model/catalog.h"
#include "model/model.h"

#include "base/vec.h"

struct http_client;
struct http_request;
struct recording;
struct decode_ids;

struct model_provider {
    const char *name;
    enum model_wire wire;

    /* ---- the body ---- */
    /* The first members, with the opening brace and without a comma after the last: {"model":…,"stream":true. */
    void (*encode_options)(const struct model *model, struct hv_buf *out);
    /* ,"tools":[…] in full; nothing when there are none. */
    void (*encode_tools)(const struct model *model, const struct model_tool *tools, size_t count, size_t stable,
                         struct hv_buf *out);
    /* ,"tools":[…] with the provider's own search of the web alone; NULL: it has none. */
    void (*encode_search)(const struct model_search *search, struct hv_buf *out);
    /* The system text, and the opening of the list of messages, which may already hold a first one. */
    void (*encode_system)(const struct model *model, struct hv_str text, struct hv_buf *out);
    /*
     * Append what one message is on the wire, objects separated by commas (also from what out already holds); nothing
     * when nothing of it can be said to this provider. *mark: where in out a cache breakpoint could be put, left alone
     * when nowhere.
     */
    void (*encode_message)(const struct model *model, enum model_role role, const struct hv_json *content,
                           struct hv_buf *out, size_t *mark);
    const char *mark; /* the bytes of a cache breakpoint, or NULL: the provider caches by itself */
    size_t name_max;  /* of a tool's name */

    /* ---- the way ---- */
    struct model_variables variables;
    const char *base_url; /* the provider's own service */
    const char *version;  /* "/v1": put after a base URL without a path */
    const char *path;     /* "/messages" */
    size_t own_tools_max; /* tools that the provider's own service takes; 0: no limit is known */
    /* Add the lines that every request bears, key included, by model_add_header. */
    void (*add_headers)(struct model *model);
};

extern const struct model_provider model_provider_anthropic, model_provider_openai_chat,
    model_provider_openai_responses, model_provider_replay;

struct model {
    const struct model_provider *provider;
    struct loop *loop;
    struct hv_arena arena;        /* holds all views below */
    struct model_options options; /* defaults filled in */
    struct catalog_entry facts;   /* what is known of the model of this name */
    bool own_service;             /* base_url was not set: this is the provider's own service */
    struct hv_str url;
    struct hv_str origin; /* says which server and model this is, for what goes back to its maker only; a hash */
    unsigned left_out;    /* what the server refused: bits of leave_out.h */
    char reasoning[32];   /* the member in which the server gives its reasoning, once it has */
    VEC(struct hv_str) headers;
    struct http_client *client;  /* made at the first request */
    struct recording *recording; /* replay */
    uint64_t responses;          /* requests sent; seeds the ids of calls that come without one */
};

/* The provider whose wire this is, or NULL. */
const char *model_provider_of(enum model_wire wire);

/* Add "name: value" unless a line of that name is there already: the person's own go first. */
void model_add_header(struct model *model, const char *name, struct hv_str value);

/* The client that requests go through, made at the first call (stream.c). */
enum hv_code model_client(struct model *model, struct hv_error *err) HV_MUST_CHECK;

struct http_transfer;

/* list.c: as model_list_begin; after http_cancel of the transfer on_done is called, too (HV_ECANCELLED). */
enum hv_code list_begin(struct model *model, uint64_t timeout_ms, struct hv_arena *arena, model_on_list *on_done,
                        void *user, struct http_transfer **out, struct hv_error *err) HV_MUST_CHECK;

/* Put stars for every key of the model's headers in text: servers like to repeat what they refuse. */
void model_hide_keys(const struct model *model, char *text);

/* ---- conversations (conversation.c) --------------------------------------------------------------------------- */

struct conversation_message {
    size_t start; /* in messages: before its comma, so that truncating is cutting there */
    size_t mark;  /* where a breakpoint could be put, or SIZE_MAX */
};

/* A tool whose name had to be changed for the wire. */
struct renamed_tool {
    struct hv_str wire, name;
};

struct model_conversation {
    struct model *model;
    struct hv_buf options, tools, system, messages;
    struct hv_buf system_text; /* as it was set */
    unsigned left_out;         /* of the model, when these bytes were made */
    bool searches;             /* tools holds the provider's own search */
    VEC(struct conversation_message) list;
    struct hv_arena tools_arena; /* a copy of the list that tools was made from, and renamed */
    struct model_tool *tool_list;
    size_t tool_count, tool_stable;
    VEC(struct renamed_tool) renamed;
    struct hv_arena called_arena; /* names of the tools that the history calls */
    VEC(struct hv_str) called;
    struct decode_ids *ids; /* of its calls: a server that uses one again gets another for it */
};

/* Make the bytes anew when the model's server has refused something since they were made. */
void conversation_follow_model(struct model_conversation *conversation);

/* Where no tools are offered and the history holds calls, offer those without letting them be called: some gateways
 * (Bedrock) refuse calls of tools that the request does not name. */
void conversation_offer_history(struct model_conversation *conversation);

/* HV_ETOOBIG: the conversation, or a request that holds it, is over its limit. */
enum hv_code conversation_too_large(struct hv_error *err, const char *what, int limit);

/* The tool's own name for a name that came over the wire. */
struct hv_str conversation_tool_name(const struct model_conversation *conversation, struct hv_str wire);

/* ---- recordings (replay.c) ------------------------------------------------------------------------------------ */

/* One recorded message, as the events of an Anthropic stream, one JSON value per line; see replay.c. */
struct replay_message {
    struct hv_buf events;
    uint64_t delay_ms, piece_ms;
    bool needs_success; /* not to be said when a call of the message before failed */
};

enum hv_code recording_open(struct hv_str name, struct recording **out, struct hv_error *err) HV_MUST_CHECK;
void recording_free(struct recording *recording);
/* The next message; its events buffer is the caller's to release. HV_ENOTFOUND at the end of the recording. */
enum hv_code recording_next(struct recording *recording, struct replay_message *out,
                            struct hv_error *err) HV_MUST_CHECK;

#endif
