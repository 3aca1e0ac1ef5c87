/*
 * decoder.h: what the decoders of the three wires share. Inner to src/model.
 *
 * decoder.c takes the bytes apart into events (server-sent events, or one JSON value per line), finds out whose
 * events they are, and hands each one, parsed, to the wire's functions. Those keep open blocks here and emit neutral
 * events. Everything is bounded: one event and one block by max_block, all open blocks together by four times that.
 *
 * The hot path: a long answer is thousands of events that differ in one string only (and in a number, or padding, that
 * nobody looks at). After an event that did nothing but add a piece of text, the wire calls decoder_learn; the next
 * event that has the very same bytes around these is not parsed at all: its string goes straight to the wire's delta
 * function (short_cut.c). Any other event is parsed and makes the decoder forget, so the short cut can never change
 * what a stream means.
 */
#ifndef MODEL_DECODER_H
#define MODEL_DECODER_H

#include "model/model.h"

#include "base/vec.h"

enum decode_delta {
    DECODE_NONE = 0,
    DECODE_TEXT,
    DECODE_THINKING,
    DECODE_INPUT, /* a piece of a tool call's input */
};

enum decode_kind {
    DECODE_BLOCK_TEXT = 1,
    DECODE_BLOCK_THINKING,
    DECODE_BLOCK_TOOL,  /* to be executed by us */
    DECODE_BLOCK_OTHER, /* carried in the history, never executed */
};

/* A content block that has not left yet. */
struct decode_block {
    enum decode_kind kind;
    int64_t index; /* the wire's own number of it */
    bool ended;    /* nothing can be added; it leaves when all blocks before it have left */
    bool closed;   /* it has left; kept only so that its number and id are known */
    bool begun;    /* TOOL_BEGIN was emitted */
    bool pieced;   /* pieces of its input have come */
    bool spoiled;  /* a call that has ended without a JSON object */
    bool again;    /* chat: begun by what came behind the whole arguments of another call */
    struct hv_buf id, name;
    struct hv_buf start;     /* the block as the wire announced it, JSON; once ended: the lines to emit */
    struct hv_buf text;      /* text, thinking or tool input so far */
    struct hv_buf signature; /* of a thinking block; responses: the item's id */
    struct hv_buf citations; /* JSON values joined by commas */
    uint64_t input_hash;     /* chat: of the input of a call that has ended; of the other call's, when begun again */
    uint64_t given_id_hash;  /* of the id that the server gave the call, or 0; responses: the item that has ended */
    struct decode_pieces {   /* how the input came */
        size_t count, last;  /* last: where the last piece begins */
        bool cumulative;     /* each piece began with the whole one before it */
    } pieces;
    struct {                    /* how far text was looked at for the end of its JSON object */
        size_t at, depth, from; /* from: behind a placeholder */
        bool in_string, escaped, opened, whole;
    } scan;
};

/* Hashes of the ids of calls. */
struct decode_ids {
    uint64_t *items;
    size_t count, capacity;
};

struct model_decoder;

/* Models emit lone surrogates and cut characters; that must not end a stream. */
enum { DECODE_JSON_FLAGS = HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8 };

/* One wire. event: one parsed event (root is an object); done: "[DONE]"; finish: the stream ended. */
struct decode_wire {
    void (*event)(struct model_decoder *decoder, struct hv_str name, struct hv_str data, const struct hv_json *root);
    void (*delta)(struct model_decoder *decoder, enum decode_delta kind, size_t block, struct hv_str text);
    void (*done)(struct model_decoder *decoder);
    void (*finish)(struct model_decoder *decoder);
};

extern const struct decode_wire decode_wire_anthropic, decode_wire_openai_chat, decode_wire_openai_responses;

/* The state of the message that is coming. */
struct decode_message {
    bool started, stopping; /* stopping: the reason for the stop is known, only the end mark is missing */
    bool says_something;    /* a text, a call, or a block that is neither these nor thinking */
    bool stop_unknown;      /* the reason is in no table */
    enum model_stop stop;
    struct hv_buf stop_text;
    struct model_usage usage;
    uint64_t id_hash;      /* chat: of the message's id */
    size_t calls;          /* tool calls begun */
    size_t left;           /* blocks, from the first on, that have left */
    size_t done_items;     /* output items that are complete (responses) */
    struct decode_ids ids; /* of its calls */
    VEC(struct decode_block) blocks;
};

struct decode_input;

/* What is known of the end of the bytes when it comes. */
enum decode_end {
    DECODE_END_UNKNOWN = 0,
    DECODE_END_CLOSED, /* the connection was closed as if all had been said, which a cut may look like too */
    DECODE_END_PROVEN, /* they were as many as the server had announced */
};

enum { DECODE_HOLES_MAX = 3 };

/* A place in an event whose value may differ: that of the string that counts, or one that nobody looks at. */
struct decode_hole {
    size_t before; /* bytes of the literals before it, those before earlier holes included */
    enum hv_json_type type;
    bool counts;
};

struct model_decoder {
    enum model_wire wire;
    const struct decode_wire *functions;
    size_t max_block, held;
    model_on_event *on_event;
    void *user;
    void (*on_raw)(void *user, struct hv_str json);
    void *raw_user;
    struct decode_input *input; /* the bytes' side, decoder.c only */
    struct hv_arena arena;      /* of one event */
    struct hv_buf scratch;      /* for blocks that are being written */
    struct model_event event;   /* the one being emitted; zero between events */
    struct decode_message message;
    uint64_t id_seed, ids;              /* for calls that came without a usable id */
    bool keep_ids;                      /* short ones are usable too */
    const struct decode_ids *known_ids; /* of the conversation, or NULL */
    struct hv_str origin;               /* what says which server and model answer, or absent */
    char reasoning[32];                 /* chat: the member that this server gives reasoning in, once it has */
    size_t messages;                    /* completed */
    size_t progress;                    /* grows with everything that says something; pings do not count */
    bool spoke;                         /* an error or an end mark of this wire's stream has come */
    enum model_wire other;              /* the wire whose events have come instead, before any message began */
    enum decode_end end;                /* what is known of the end of the bytes */
    bool over;                          /* an error was emitted */
    struct {
        enum decode_delta kind;
        size_t block;
        struct hv_buf literals; /* the bytes around the holes, one after another */
        struct decode_hole holes[DECODE_HOLES_MAX];
        size_t hole_count;
    } learned;
};

/* Also give each event's JSON to on_raw, before it is decoded. */
void decoder_set_raw(struct model_decoder *decoder, void (*on_raw)(void *user, struct hv_str json), void *user);
/* Give an event's JSON to on_raw, mended where its text is none. */
void decoder_give_raw(struct model_decoder *decoder, struct hv_str data);
/* Ids made for calls without one are told apart from those of other responses by seed. */
void decoder_set_seed(struct model_decoder *decoder, uint64_t seed);
/* Ids of earlier calls, which must live as long as the decoder: a call that comes with one of them gets another. */
void decoder_set_known_ids(struct model_decoder *decoder, const struct decode_ids *ids);
/* Blocks that only their maker understands are marked with it: a view that must live as long as the decoder. */
void decoder_set_origin(struct model_decoder *decoder, struct hv_str origin);
void decoder_set_end(struct model_decoder *decoder, enum decode_end end);
bool decode_ids_have(const struct decode_ids *ids, struct hv_str id);
void decode_ids_add(struct decode_ids *ids, struct hv_str id);

/* ---- for the wires ------------------------------------------------------------------------------------- */

/* Emit what decoder->event holds as an event of this type, and clear it. */
void decoder_emit(struct model_decoder *decoder, enum model_event_type type);
void decoder_emit_text(struct model_decoder *decoder, enum model_event_type type,
                       struct hv_str text);                                              /* not when empty */
void decoder_emit_usage(struct model_decoder *decoder, const struct model_usage *usage); /* when it changed */
/* Emit an ERROR and ignore what follows. */
void decoder_fail(struct model_decoder *decoder, enum hv_code code, const char *format, ...) HV_PRINTF(3, 4);
/* The same from the error object that a stream carried (Anthropic's and OpenAI's shapes, or just a string). */
void decoder_fail_json(struct model_decoder *decoder, const struct hv_json *error);
/* The same from words that are no JSON. */
void decoder_fail_text(struct model_decoder *decoder, struct hv_str words);
/* The stream ended too early. */
void decoder_fail_cut(struct model_decoder *decoder);

/*
 * value is the string in the event data that alone made its effect: see the top. ignored: up to two members whose
 * values the wire does not look at (numbers, strings), so that they may differ; NULL ones are passed over.
 */
void decoder_learn(struct model_decoder *decoder, enum decode_delta kind, size_t block, const struct hv_json *value,
                   const struct hv_json *const ignored[2], struct hv_str data);
/* Take an event that is like the one that was learned; false when it is not, or none was. */
bool decoder_short_cut(struct model_decoder *decoder, struct hv_str data);

/* A new block; NULL (and failed) when there are too many. The pointer is valid until the next one is added. */
struct decode_block *decoder_block_add(struct model_decoder *decoder, enum decode_kind kind, int64_t index);
/* The newest block with this number, or NULL. */
struct decode_block *decoder_block_find(struct model_decoder *decoder, int64_t index);
/* Append to one of a block's buffers; false (and failed) over the limits. */
bool decoder_hold(struct model_decoder *decoder, struct hv_buf *buf, struct hv_str text);
/* Replace the contents of one of a block's buffers. */
bool decoder_hold_set(struct model_decoder *decoder, struct hv_buf *buf, struct hv_str text);
/* Free what a block holds and mark it closed. */
void decoder_block_close(struct model_decoder *decoder, struct decode_block *block);

/*
 * What all wires do alike with the ends of blocks: they leave in the order in which they began, whatever the order of
 * their ends, so that calls run, and are remembered, as the model wrote them. A call whose input is no JSON object
 * waits for the end of the message, where it is known whether a limit has cut it.
 */

/* A piece of a call's input; false (and failed) over the limits. */
bool decoder_input_add(struct model_decoder *decoder, struct decode_block *block, struct hv_str piece);
/* Look at what of a call's input was not looked at yet, up to where a JSON value closes: the offset behind it, or
 * SIZE_MAX when none does. Looks at each byte once. */
size_t decoder_input_scan(struct decode_block *call);
/*
 * The object that the gathered input of a call stands for: itself; {} for nothing, null, "" and []; what a string
 * holds; and, where pieces came as no API says, without the placeholder {} before it, once where it came twice, the
 * last piece where each repeats all before it, and without markup or brackets behind it. False when it is none; *out is
 * then the trimmed text.
 */
bool decoder_input_settle(struct model_decoder *decoder, const struct decode_block *block, struct hv_str *out);
/* TOOL_BEGIN, once. Gives the call an id of our own where the server's is missing or taken. */
void decoder_tool_begin(struct model_decoder *decoder, struct decode_block *block);
/* The block's end has come. lines: the blocks in neutral form that it stands for, one a line; absent for calls. */
void decoder_block_end(struct model_decoder *decoder, struct decode_block *block, struct hv_str lines);
/* Let blocks leave as far as order allows: BLOCK, and TOOL_CALL before that of a call. all: the message has ended, and
 * with it each of its blocks, whose own ends the wire has told. */
void decoder_leave(struct model_decoder *decoder, bool all);
/*
 * The bytes have ended without a mark that the message has: whether it is one all the same. It is when the
 * connection was closed and calls are all whole (what a cut may have taken the model will say again), or when it holds
 * a text and the end was the server's own.
 */
bool decoder_all_whole(struct model_decoder *decoder);
/* The reason for the end of the message, in any wire's word; fails when it means that the server broke off. */
void decoder_take_reason(struct model_decoder *decoder, struct hv_str reason, struct hv_str detail);
/* Add to lines {"type":"text","text":…,"phase":…,"annotations":[…]}; nothing when text is empty; phase may be absent,
 * annotations NULL. */
void decode_put_text(struct hv_buf *lines, struct hv_str text, struct hv_str phase, const struct hv_json *annotations);
/* Add to lines {"type":"provider_item","provider":…,"from":…,"item":…}. */
void decode_put_item(const struct model_decoder *decoder, struct hv_buf *lines, const char *provider,
                     const struct hv_json *item);
/* A block that is no longer than its one moment. */
void decoder_emit_lines(struct model_decoder *decoder, struct hv_str lines);
/* Write a tool's raw input as a JSON object: compact when valid, {} when empty, else wrapped as INVALID_JSON. */
void decoder_write_input(struct model_decoder *decoder, struct hv_json_writer *writer, struct hv_str raw);

/* The message begins (START); its number of tokens so far is zero. */
void decoder_message_start(struct model_decoder *decoder, struct hv_str id, struct hv_str model);
/* All blocks leave, then STOP; then the decoder is ready for another message. */
void decoder_message_stop(struct model_decoder *decoder);
/* Forget the message and its blocks. */
void decoder_message_reset(struct model_decoder *decoder);

/* object.name as a count of tokens, or fallback. */
int64_t decode_count(const struct hv_json *object, const char *name, int64_t fallback);

#endif
