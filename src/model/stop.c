/*
 * stop.c: why a message ended: the words of all wires and of the servers that resemble them, in one table. An end is
 * one of three kinds: done (the model stopped), cut (a limit or a filter stopped it), failed (the server broke off:
 * what came is half an answer). A word that is in no table is passed on, and told.
 */
#include "model/decoder.h"

enum { REASON_MAX = 200 };

static const struct stop_word {
    const char *word;
    enum model_stop stop; /* NONE: what the message holds says it */
    bool failed;
} words[] = {
    /* The names of the Messages API, which model_stop_name gives, come first. */
    {.word = "end_turn", .stop = MODEL_STOP_END_TURN},
    {.word = "tool_use", .stop = MODEL_STOP_TOOL_USE},
    {.word = "max_tokens", .stop = MODEL_STOP_MAX_TOKENS},
    {.word = "stop_sequence", .stop = MODEL_STOP_SEQUENCE},
    {.word = "pause_turn", .stop = MODEL_STOP_PAUSE},
    {.word = "refusal", .stop = MODEL_STOP_REFUSAL},
    {.word = "model_context_window_exceeded", .stop = MODEL_STOP_CONTEXT},
    /* Done. Servers say "stop" for calls (Ollama) or "tool_calls" without any: what was collected decides. */
    {.word = "stop"},
    {.word = "tool_calls"},
    {.word = "function_call"},
    {.word = "completed"},
    {.word = "eos"},
    {.word = "eos_token"},
    /* Cut. */
    {.word = "length", .stop = MODEL_STOP_MAX_TOKENS},
    {.word = "max_output_tokens", .stop = MODEL_STOP_MAX_TOKENS},
    {.word = "max_completion_tokens", .stop = MODEL_STOP_MAX_TOKENS},
    {.word = "content_filter", .stop = MODEL_STOP_REFUSAL},
    {.word = "content_filtered", .stop = MODEL_STOP_REFUSAL},
    {.word = "guardrail_intervened", .stop = MODEL_STOP_REFUSAL},
    {.word = "safety", .stop = MODEL_STOP_REFUSAL},
    {.word = "sensitive", .stop = MODEL_STOP_REFUSAL},
    {.word = "recitation", .stop = MODEL_STOP_REFUSAL},
    {.word = "prohibited_content", .stop = MODEL_STOP_REFUSAL},
    {.word = "blocklist", .stop = MODEL_STOP_REFUSAL},
    {.word = "model_length", .stop = MODEL_STOP_CONTEXT},
    {.word = "context_length_exceeded", .stop = MODEL_STOP_CONTEXT},
    {.word = "context_window_exceeded", .stop = MODEL_STOP_CONTEXT},
    /* Failed. */
    {.word = "error", .failed = true},
    {.word = "abort", .failed = true},
    {.word = "aborted", .failed = true},
    {.word = "failed", .failed = true},
    {.word = "cancelled", .failed = true},
    {.word = "canceled", .failed = true},
    {.word = "timeout", .failed = true},
    {.word = "network_error", .failed = true},
    {.word = "server_error", .failed = true},
    {.word = "internal_error", .failed = true},
    {.word = "engine_error", .failed = true},
    {.word = "overloaded", .failed = true},
    {.word = "insufficient_system_resource", .failed = true},
    {.word = "malformed_function_call", .failed = true},
    {.word = "unexpected_tool_call", .failed = true},
    {.word = "malformed_tool_use", .failed = true},
    {.word = "malformed_model_output", .failed = true},
};

const char *model_stop_name(enum model_stop stop)
{
    for (size_t i = 0; stop && i < sizeof words / sizeof *words; i++) {
        if (words[i].stop == stop)
            return words[i].word;
    }
    return "unknown";
}

static const struct stop_word *find_word(struct hv_str reason)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (hv_str_eq_nocase(reason, hv_str_from(words[i].word)))
            return &words[i];
    }
    return NULL;
}

/* Some servers write what stands for no reason as text, in each piece. */
static bool is_absent(struct hv_str reason)
{
    return !reason.len || hv_str_eq_nocase(reason, HV_STR("null")) || hv_str_eq_nocase(reason, HV_STR("none"));
}

void decoder_take_reason(struct model_decoder *decoder, struct hv_str reason, struct hv_str detail)
{
    reason = hv_str_slice(hv_str_trim(reason), 0, REASON_MAX);
    if (is_absent(reason) || decoder->over)
        return;
    const struct stop_word *word = find_word(reason);
    if (word && word->failed) {
        decoder->spoke = true;
        decoder_fail(decoder, HV_EAGAIN, "the model's server broke off its answer (finish reason: %.*s%s%.*s)",
                     HV_STR_ARG(reason), detail.len ? ", " : "", HV_STR_ARG(hv_str_slice(detail, 0, REASON_MAX)));
        return;
    }
    decoder->message.stopping = true;
    decoder->message.stop = word ? word->stop : MODEL_STOP_NONE;
    decoder->message.stop_unknown = !word;
    (void)decoder_hold_set(decoder, &decoder->message.stop_text, reason);
}
