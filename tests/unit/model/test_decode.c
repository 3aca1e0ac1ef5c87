/* Each case: a recorded stream, and the events it must give; whole, byte by byte, and in pieces of seven bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event_log.h"

struct decode_case {
    const char *title;
    enum model_wire wire;
    const char *stream;
    const char *events;
};

static const struct decode_case cases[] = {
    /* ---- Anthropic ---- */
    {"anthropic: text, thinking with signature, a call in pieces", MODEL_WIRE_ANTHROPIC,
     "event: message_start\n"
     "data: "
     "{\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\",\"usage\":{\"input_tokens\":10,\"cache_"
     "read_input_tokens\":5,\"output_tokens\":1}}}\n\n"
     "event: ping\ndata: {\"type\":\"ping\"}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\","
     "\"signature\":\"\"}}\n\n"
     "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm "
     "\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"so\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"Si+g/"
     "=\"}}\n\n"
     "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
     "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
     "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\n"
     "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\" "
     "\\\"you\\\"\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"\xc3\xa9!\"}}\n\n"
     "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
     "\"name\":\"Read\",\"input\":{}}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}"
     "\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{"
     "\\\"file\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"_"
     "path\\\": \\\"/a\\\"}\"}}\n\n"
     "data: {\"type\":\"content_block_stop\",\"index\":2}\n\n"
     "data: "
     "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_"
     "tokens\":42}}\n\n"
     "data: {\"type\":\"message_stop\"}\n\n",
     "start msg_1 m\nusage in=10 out=1 read=5 write=0 think=0\nthinking hm \nthinking so\n"
     "block {\"type\":\"thinking\",\"thinking\":\"hm so\",\"signature\":\"Si+g/=\"}\n"
     "text Hello\ntext  \"you\"\ntext \xc3\xa9!\nblock {\"type\":\"text\",\"text\":\"Hello \\\"you\\\"\xc3\xa9!\"}\n"
     "begin toolu_1 Read\ncall toolu_1 Read {\"file_path\": \"/a\"}\n"
     "block {\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"Read\",\"input\":{\"file_path\":\"/a\"}}\n"
     "usage in=10 out=42 read=5 write=0 think=0\nstop tool_use tool_use"},
    {"anthropic: an input without any piece is an empty object", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
     "\"name\":\"LS\",\"input\":{}}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}"
     "\n\n"
     "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\ndata: "
     "{\"type\":\"message_stop\"}\n\n",
     "start msg_1 m\nbegin toolu_1 LS\ncall toolu_1 LS {}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"LS\",\"input\":{}}\nstop tool_use tool_use"},
    {"anthropic: a ping between the pieces of an input that began with an empty one", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
     "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
     "\"name\":\"LS\",\"input\":{}}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}"
     "\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{"
     "\\\"path\"}}"
     "\n\n"
     "data: {\"type\":\"ping\"}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\\\":1}"
     "\"}}"
     "\n\n"
     "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\ndata: "
     "{\"type\":\"message_stop\"}\n\n",
     "start msg_1 m\nbegin toolu_1 LS\ncall toolu_1 LS {\"path\":1}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"LS\",\"input\":{\"path\":1}}\nstop tool_use tool_use"},
    {"anthropic: invalid input is handed on and kept as text", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
     "\"name\":\"LS\",\"input\":{}}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{"
     "\\\"path\\\": \\\"/t\"}}\n\n"
     "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"max_tokens\"}}\n\ndata: "
     "{\"type\":\"message_stop\"}\n\n",
     "start msg_1 m\nbegin toolu_1 LS\ncall toolu_1 LS {\"path\": \"/t\n"
     "block {\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"LS\",\"input\":{\"INVALID_JSON\":\"{\\\"path\\\": "
     "\\\"/t\"}}\nstop max_tokens max_tokens"},
    {"anthropic: server tools, their results, redacted thinking and unknown blocks are carried, not called",
     MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":"
     "\"Zm9v\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_"
     "1\",\"name\":\"web_search\",\"input\":{}}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{"
     "\\\"query\\\":\\\"x\\\"}\"}}\n\n"
     "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"web_search_tool_result\",\"tool_use_"
     "id\":\"srvtoolu_1\",\"content\":[{\"a\":1.50}]}}\n\n"
     "data: {\"type\":\"content_block_stop\",\"index\":2}\n\n"
     "data: {\"type\":\"new_event\",\"what\":[]}\n\n"
     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"pause_turn\"}}\n\ndata: "
     "{\"type\":\"message_stop\"}\n\n",
     "start msg_1 m\nblock {\"type\":\"redacted_thinking\",\"data\":\"Zm9v\"}\n"
     "block {\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{\"query\":\"x\"}}\n"
     "block {\"type\":\"web_search_tool_result\",\"tool_use_id\":\"srvtoolu_1\",\"content\":[{\"a\":1.50}]}\nstop "
     "pause_turn pause_turn"},
    {"anthropic: citations stay with their text", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\",\"citations\":[]"
     "}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"citations_delta\",\"citation\":{\"cited_"
     "text\":\"q\"}}}\n\n"
     "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"T\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"citations_delta\",\"citation\":{\"cited_"
     "text\":\"r\"}}}\n\n"
     "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: "
     "{\"type\":\"message_stop\"}\n\n",
     "start msg_1 m\ntext T\nblock "
     "{\"type\":\"text\",\"text\":\"T\",\"citations\":[{\"cited_text\":\"q\"},{\"cited_text\":\"r\"}]}\nstop end_turn "
     "end_turn"},
    {"anthropic: an error event after some text", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
     "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n"
     "data: {\"type\":\"message_stop\"}\n\n",
     "start msg_1 m\nerror again: the model's server ended the stream: Overloaded (overloaded_error)"},
    {"anthropic: cut in the middle of a call: it is never complete", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
     "\"name\":\"LS\",\"input\":{}}}\n\n"
     "data: "
     "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}"
     "\n\n"
     "data: {\"type\":\"content_blo",
     "start msg_1 m\nbegin toolu_1 LS\nerror network: the stream was cut before its message was complete"},
    {"anthropic: no end mark, but the reason is known", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}",
     "start msg_1 m\nstop end_turn end_turn"},
    {"anthropic: a block begins again before its end", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\","
     "\"name\":\"LS\",\"input\":{}}}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_2\","
     "\"name\":\"LS\",\"input\":{}}}\n\n",
     "start msg_1 m\nbegin toolu_1 LS\nerror network: the stream is damaged: block 0 begins again before its end"},
    {"anthropic: indexes left out, a text whose start was lost", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\n"
     "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"A\"}}\n\n"
     "data: {\"type\":\"content_block_stop\"}\n\n"
     "data: "
     "{\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"LS\","
     "\"input\":{\"path\":\"/\"}}}\n\n"
     "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\ndata: "
     "{\"type\":\"message_stop\"}\n\n",
     "start msg_1 m\ntext A\nblock {\"type\":\"text\",\"text\":\"A\"}\nbegin toolu_2 LS\ncall toolu_2 LS "
     "{\"path\":\"/\"}\n"
     "block {\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"LS\",\"input\":{\"path\":\"/\"}}\nstop tool_use "
     "tool_use"},
    {"anthropic: two responses one after another", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\ndata: "
     "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_2\",\"model\":\"m\"}}\n\ndata: "
     "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"refusal\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
     "start msg_1 m\nstop end_turn end_turn\nstart msg_2 m\nstop refusal refusal"},
    {"anthropic: one whole message instead of a stream, over several lines", MODEL_WIRE_ANTHROPIC,
     "{\n \"type\": \"message\", \"id\": \"msg_1\", \"model\": \"m\",\n \"content\": "
     "[{\"type\":\"text\",\"text\":\"Hi\"},\n  "
     "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"LS\",\"input\":{\"path\":\"/\"}}],\n \"stop_reason\": "
     "\"tool_use\", \"usage\": {\"input_tokens\": 3}}\n",
     "start msg_1 m\nusage in=3 out=0 read=0 write=0 think=0\ntext Hi\nbegin toolu_1 LS\nblock "
     "{\"type\":\"text\",\"text\":\"Hi\"}\n"
     "call toolu_1 LS {\"path\":\"/\"}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"LS\",\"input\":{\"path\":\"/\"}}\nstop tool_use tool_use"},
    {"anthropic: an event that is no JSON", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\"}}\n\ndata: {\"type\":\n\ndata: "
     "{\"type\":\"message_stop\"}\n\n",
     NULL},
    /* ---- OpenAI Chat Completions ---- */
    {"chat: text, a call in pieces, usage in a chunk without choices", MODEL_WIRE_OPENAI_CHAT,
     ": comment\n\n"
     "data: "
     "{\"id\":\"c1\",\"model\":\"m\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{"
     "\"role\":\"assistant\",\"content\":\"\"},\"finish_reason\":null}],\"usage\":null}\n\n"
     "data: "
     "{\"id\":\"c1\",\"model\":\"m\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{"
     "\"content\":\"Hel\"},\"finish_reason\":null}],\"usage\":null}\n\n"
     "data: "
     "{\"id\":\"c1\",\"model\":\"m\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{"
     "\"content\":\"lo\"},\"finish_reason\":null}],\"usage\":null}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_abc\",\"type\":"
     "\"function\",\"function\":{\"name\":\"LS\",\"arguments\":\"\"}}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{"
     "\\\"path\\\"\"}}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\":"
     "1}\"}}]}}]}\n\n"
     "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,\"prompt_tokens_details\":{"
     "\"cached_tokens\":3},\"completion_tokens_details\":{\"reasoning_tokens\":2}}}\n\n"
     "data: [DONE]\n\n",
     "start c1 m\ntext Hel\ntext lo\nbegin call_abc LS\nblock {\"type\":\"text\",\"text\":\"Hello\"}\ncall call_abc LS "
     "{\"path\":1}\n"
     "block {\"type\":\"tool_use\",\"id\":\"call_abc\",\"name\":\"LS\",\"input\":{\"path\":1}}\nusage in=6 out=4 "
     "read=3 write=0 think=2\nstop tool_use tool_calls"},
    {"chat: two whole calls in one slot with different ids, and finish_reason stop (Ollama)", MODEL_WIRE_OPENAI_CHAT,
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\",\"tool_calls\":[{\"index\":0,\"id\":\"call_"
     "one\",\"function\":{\"name\":\"A\",\"arguments\":\"{}\"}}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_two\","
     "\"function\":{\"name\":\"B\",\"arguments\":{\"x\":1}}}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]}\n\ndata: "
     "[DONE]\n\n",
     "start c1\nbegin call_one A\ncall call_one A {}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"call_one\",\"name\":\"A\",\"input\":{}}\n"
     "begin call_two B\ncall call_two B {\"x\":1}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"call_two\",\"name\":\"B\",\"input\":{\"x\":1}}\nstop tool_use stop"},
    {"chat: no id, the name in each piece, id empty later (vLLM)", MODEL_WIRE_OPENAI_CHAT,
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"A\","
     "\"arguments\":\"{\\\"k\"}}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"\",\"function\":{"
     "\"name\":\"A\",\"arguments\":\"\\\":1}\"}}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"A\","
     "\"arguments\":\"\"}}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"A\","
     "\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
     "start c1\nbegin call_0_1 A\ncall call_0_1 A {\"k\":1}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"call_0_1\",\"name\":\"A\",\"input\":{\"k\":1}}\n"
     "begin call_0_2 A\ncall call_0_2 A {}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"call_0_2\",\"name\":\"A\",\"input\":{}}\nstop tool_use tool_calls"},
    {"chat: no index, told apart by id (Gemini bridges)", MODEL_WIRE_OPENAI_CHAT,
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"fn_aaaa\",\"function\":{\"name\":\"A\","
     "\"arguments\":\"{\\\"k\"}},{\"id\":\"fn_bbbb\",\"function\":{\"name\":\"B\",\"arguments\":\"{}\"}}]}}]}\n\n"
     "data: {\"id\":\"c1\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
     "start c1\nbegin fn_aaaa A\nbegin fn_bbbb B\ncall fn_aaaa A {\"k\nblock "
     "{\"type\":\"tool_use\",\"id\":\"fn_aaaa\",\"name\":\"A\",\"input\":{\"INVALID_JSON\":\"{\\\"k\"}}\n"
     "call fn_bbbb B {}\nblock {\"type\":\"tool_use\",\"id\":\"fn_bbbb\",\"name\":\"B\",\"input\":{}}\nstop tool_use "
     "stop"},
    {"chat: interleaved pieces with sparse indexes (LiteLLM)", MODEL_WIRE_OPENAI_CHAT,
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"call_a\",\"function\":{\"name\":"
     "\"A\",\"arguments\":\"{\"}}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":4,\"id\":\"call_b\",\"function\":{\"name\":"
     "\"B\",\"arguments\":\"{\"}}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"function\":{\"arguments\":\"}\"}}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":4,\"function\":{\"arguments\":\"}\"}}]}}]}\n\n"
     "data: {\"id\":\"c1\",\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
     "start c1\nbegin call_a A\nbegin call_b B\ncall call_a A {}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"call_a\",\"name\":\"A\",\"input\":{}}\n"
     "call call_b B {}\nblock {\"type\":\"tool_use\",\"id\":\"call_b\",\"name\":\"B\",\"input\":{}}\nstop tool_use "
     "tool_calls"},
    {"chat: reasoning, nulls everywhere, ids that are no ids (DeepSeek, SGLang)", MODEL_WIRE_OPENAI_CHAT,
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null,\"reasoning_"
     "content\":\"let me\",\"tool_calls\":null},\"finish_reason\":null}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null,\"reasoning_"
     "content\":\" see\",\"tool_calls\":null},\"finish_reason\":null}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":null,\"reasoning_content\":null,\"tool_calls\":[{"
     "\"index\":0,\"id\":\"0\",\"type\":\"function\",\"function\":{\"name\":\"A\",\"arguments\":\"\"}}]},\"finish_"
     "reason\":null}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":null,"
     "\"function\":{\"name\":null,\"arguments\":\"{}\"}}]},\"finish_reason\":null}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":null},\"finish_reason\":\"tool_calls\"}]}"
     "\n\ndata: [DONE]\n\n",
     "start c1\nthinking let me\nthinking  see\nbegin call_0_1 A\n"
     "block {\"type\":\"provider_item\",\"provider\":\"openai-chat\",\"item\":{\"reasoning_content\":\"let me see\"}}\n"
     "call call_0_1 A {}\nblock {\"type\":\"tool_use\",\"id\":\"call_0_1\",\"name\":\"A\",\"input\":{}}\nstop tool_use "
     "tool_calls"},
    {"chat: the finish reason comes with the last text; reasoning under its new name", MODEL_WIRE_OPENAI_CHAT,
     "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"reasoning\":\"r\"}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"end\"},\"finish_reason\":\"length\"}]}\n\n",
     "start c1\nthinking r\ntext end\nblock "
     "{\"type\":\"provider_item\",\"provider\":\"openai-chat\",\"item\":{\"reasoning\":\"r\"}}\n"
     "block {\"type\":\"text\",\"text\":\"end\"}\nstop max_tokens length"},
    {"chat: an error line in mid-stream", MODEL_WIRE_OPENAI_CHAT,
     "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\ndata: "
     "{\"error\":{\"message\":\"out of memory\",\"code\":500}}\n\n",
     "start c1\ntext a\nerror again: the model's server ended the stream: out of memory"},
    {"chat: cut before any finish reason", MODEL_WIRE_OPENAI_CHAT,
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_a\",\"function\":{"
     "\"name\":\"A\",\"arguments\":\"{}\"}}]}}]}\n\n",
     "start c1\nbegin call_a A\nerror network: the stream was cut before its message was complete"},
    {"chat: no blank lines between the events", MODEL_WIRE_OPENAI_CHAT,
     "data: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\ndata: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\ndata: "
     "[DONE]\n",
     "start c1\ntext a\ntext b\nblock {\"type\":\"text\",\"text\":\"ab\"}\nstop end_turn stop"},
    {"chat: a whole answer instead of a stream", MODEL_WIRE_OPENAI_CHAT,
     "{\"id\":\"c1\",\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
     "\"content\":\"x\",\"tool_calls\":[{\"id\":\"call_a\",\"type\":\"function\",\"function\":{\"name\":\"A\","
     "\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":"
     "2}}",
     "start c1\ntext x\nbegin call_a A\nusage in=1 out=2 read=0 write=0 think=0\nblock "
     "{\"type\":\"text\",\"text\":\"x\"}\ncall call_a A {}\n"
     "block {\"type\":\"tool_use\",\"id\":\"call_a\",\"name\":\"A\",\"input\":{}}\nstop tool_use tool_calls"},
    {"chat: the form before tool_calls; text as parts (Mistral)", MODEL_WIRE_OPENAI_CHAT,
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":\"thinking\",\"thinking\":[{\"type\":"
     "\"text\",\"text\":\"t\"}]},{\"type\":\"text\",\"text\":\"x\"}]}}]}\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"function_call\":{\"name\":\"A\",\"arguments\":\"{\"}}}]}"
     "\n\n"
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"function_call\":{\"arguments\":\"}\"}},\"finish_reason\":"
     "\"function_call\"}]}\n\ndata: [DONE]\n\n",
     "start c1\nthinking t\ntext x\nbegin call_0_1 A\nblock "
     "{\"type\":\"provider_item\",\"provider\":\"openai-chat\",\"item\":{\"content\":[{\"type\":\"thinking\","
     "\"thinking\":[{\"type\":\"text\",\"text\":\"t\"}]}]}}\n"
     "block {\"type\":\"text\",\"text\":\"x\"}\ncall call_0_1 A {}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"call_0_1\",\"name\":\"A\",\"input\":{}}\nstop tool_use function_call"},
    /* ---- OpenAI Responses ---- */
    {"responses: reasoning, text, a call by call_id", MODEL_WIRE_OPENAI_RESPONSES,
     "event: response.created\ndata: "
     "{\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_1\",\"model\":\"m\"}}\n\n"
     "data: "
     "{\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\","
     "\"summary\":[]}}\n\n"
     "data: "
     "{\"type\":\"response.reasoning_summary_part.added\",\"output_index\":0,\"item_id\":\"rs_1\",\"summary_index\":0}"
     "\n\n"
     "data: "
     "{\"type\":\"response.reasoning_summary_text.delta\",\"output_index\":0,\"item_id\":\"rs_1\",\"summary_index\":0,"
     "\"delta\":\"think\"}\n\n"
     "data: "
     "{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\","
     "\"summary\":[{\"type\":\"summary_text\",\"text\":\"think\"}],\"encrypted_content\":\"gA==\"}}\n\n"
     "data: "
     "{\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"message\",\"id\":\"msg_1\","
     "\"role\":\"assistant\",\"content\":[]}}\n\n"
     "data: "
     "{\"type\":\"response.output_text.delta\",\"output_index\":1,\"item_id\":\"msg_1\",\"content_index\":0,\"delta\":"
     "\"Hi\"}\n\n"
     "data: "
     "{\"type\":\"response.output_text.delta\",\"output_index\":1,\"item_id\":\"msg_1\",\"content_index\":0,\"delta\":"
     "\" you\"}\n\n"
     "data: "
     "{\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"message\",\"id\":\"msg_1\","
     "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hi you\"}]}}\n\n"
     "data: "
     "{\"type\":\"response.output_item.added\",\"output_index\":2,\"item\":{\"type\":\"function_call\",\"id\":\"fc_1\","
     "\"call_id\":\"call_1\",\"name\":\"LS\",\"arguments\":\"\"}}\n\n"
     "data: "
     "{\"type\":\"response.function_call_arguments.delta\",\"output_index\":2,\"item_id\":\"fc_1\",\"delta\":\"{"
     "\\\"a\"}\n\n"
     "data: "
     "{\"type\":\"response.function_call_arguments.delta\",\"output_index\":2,\"item_id\":\"fc_1\",\"delta\":\"\\\":1}"
     "\"}\n\n"
     "data: "
     "{\"type\":\"response.function_call_arguments.done\",\"output_index\":2,\"item_id\":\"fc_1\",\"arguments\":\"{"
     "\\\"a\\\":1}\"}\n\n"
     "data: "
     "{\"type\":\"response.output_item.done\",\"output_index\":2,\"item\":{\"type\":\"function_call\",\"id\":\"fc_1\","
     "\"call_id\":\"call_1\",\"name\":\"LS\",\"arguments\":\"{\\\"a\\\":1}\",\"status\":\"completed\"}}\n\n"
     "data: "
     "{\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"model\":\"m\",\"status\":\"completed\","
     "\"output\":[{\"type\":\"function_call\",\"call_id\":\"call_1\",\"name\":\"LS\",\"arguments\":\"{}\"}],"
     "\"usage\":{\"input_tokens\":10,\"input_tokens_details\":{\"cached_tokens\":4},\"output_tokens\":5,\"output_"
     "tokens_details\":{\"reasoning_tokens\":1}}}}\n\n",
     "start resp_1 m\nthinking think\nblock "
     "{\"type\":\"provider_item\",\"provider\":\"openai-responses\",\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\","
     "\"summary\":[{\"type\":\"summary_text\",\"text\":\"think\"}],\"encrypted_content\":\"gA==\"}}\n"
     "text Hi\ntext  you\nblock {\"type\":\"text\",\"text\":\"Hi you\"}\nbegin call_1 LS\ncall call_1 LS {\"a\":1}\n"
     "block {\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"LS\",\"input\":{\"a\":1}}\nusage in=6 out=5 read=4 "
     "write=0 think=1\nstop tool_use tool_use"},
    {"responses: a paragraph of a summary before anything began", MODEL_WIRE_OPENAI_RESPONSES,
     "data: {\"type\":\"response.reasoning_summary_part.added\",\"output_index\":0,\"summary_index\":1}\n\n"
     "data: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"model\":\"m\"}}\n\n"
     "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\"}}\n\n",
     "start resp_1 m\nstop end_turn end_turn"},
    {"responses: only the completed response tells the output", MODEL_WIRE_OPENAI_RESPONSES,
     "data: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"model\":\"m\"}}\n\n"
     "data: "
     "{\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_"
     "text\",\"text\":\"Hi\"}]},{\"type\":\"function_call\",\"call_id\":\"call_1\",\"name\":\"LS\",\"arguments\":\"\"}]"
     "}}\n\n",
     "start resp_1 m\ntext Hi\nblock {\"type\":\"text\",\"text\":\"Hi\"}\nbegin call_1 LS\ncall call_1 LS {}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"LS\",\"input\":{}}\nstop tool_use tool_use"},
    {"responses: incomplete and failed", MODEL_WIRE_OPENAI_RESPONSES,
     "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r1\"}}\n\ndata: "
     "{\"type\":\"response.incomplete\",\"response\":{\"incomplete_details\":{\"reason\":\"max_output_tokens\"}}}\n\n"
     "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r2\"}}\n\ndata: "
     "{\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"server_error\",\"message\":\"boom\"}}}\n\n",
     "start r1\nstop max_tokens max_output_tokens\nstart r2\nerror again: the model's server ended the stream: boom "
     "(server_error)"},
    {"responses: an error event", MODEL_WIRE_OPENAI_RESPONSES,
     "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r1\"}}\n\ndata: "
     "{\"type\":\"error\",\"code\":\"context_length_exceeded\",\"message\":\"too long\",\"param\":null}\n\n",
     "start r1\nerror too_big: the model's server ended the stream: too long (error)"},
    {"responses: numbers and padding differ from event to event", MODEL_WIRE_OPENAI_RESPONSES,
     "data: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r1\"}}\n\n"
     "data: "
     "{\"type\":\"response.output_item.added\",\"sequence_number\":1,\"output_index\":0,\"item\":{\"type\":\"function_"
     "call\",\"id\":\"fc_1\",\"call_id\":\"call_1\",\"name\":\"LS\",\"arguments\":\"\"}}\n\n"
     "data: "
     "{\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":2,\"output_index\":0,\"delta\":\"{"
     "\\\"a\",\"obfuscation\":\"xyz\"}\n\n"
     "data: "
     "{\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":10,\"output_index\":0,\"delta\":\"\\\":"
     "\",\"obfuscation\":\"\"}\n\n"
     "data: "
     "{\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":11,\"output_index\":0,\"delta\":"
     "\"\\\"\xc3\xa9\",\"obfuscation\":\"a\\\"b\"}\n\n"
     "data: "
     "{\"type\":\"response.function_call_arguments.delta\",\"sequence_number\":12,\"output_index\":0,\"delta\":\"\\\"}"
     "\",\"obfuscation\":\"q\"}\n\n"
     "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r1\"}}\n\n",
     "start r1\nbegin call_1 LS\ncall call_1 LS {\"a\":\"\xc3\xa9\"}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"LS\",\"input\":{\"a\":\"\xc3\xa9\"}}\nstop tool_use "
     "tool_use"},
    {"responses: an item with bytes that are no text; the response's start was lost", MODEL_WIRE_OPENAI_RESPONSES,
     "data: "
     "{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"rs\xff\"}}"
     "\n\n"
     "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r1\"}}\n\n",
     "start\nblock "
     "{\"type\":\"provider_item\",\"provider\":\"openai-responses\",\"item\":{\"type\":\"reasoning\",\"id\":"
     "\"rs\xef\xbf\xbd\"}}\nstop end_turn end_turn"},
    {"responses: pieces of items that were never announced, without a number, and with a name",
     MODEL_WIRE_OPENAI_RESPONSES,
     "data: {\"type\":\"response.output_text.delta\",\"delta\":\"a\"}\n\n"
     "data: {\"type\":\"response.output_text.delta\",\"delta\":\"b\"}\n\n"
     "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"m1\",\"delta\":\"c\"}\n\n"
     "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"m1\",\"delta\":\"d\"}\n\n"
     "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r1\"}}\n\n",
     "start\ntext a\ntext b\ntext c\ntext d\nblock {\"type\":\"text\",\"text\":\"ab\"}\nblock "
     "{\"type\":\"text\",\"text\":\"cd\"}\nstop end_turn end_turn"},
    {"anthropic: the message's start was lost", MODEL_WIRE_ANTHROPIC,
     "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
     "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\n\n"
     "data: {\"type\":\"message_stop\"}\n\n",
     "start\ntext a\nblock {\"type\":\"text\",\"text\":\"a\"}\nstop end_turn end_turn"},
    {"responses: a message's phase stays with its text", MODEL_WIRE_OPENAI_RESPONSES,
     "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r1\"}}\n\n"
     "data: "
     "{\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"phase\":\"final_"
     "answer\",\"content\":[{\"type\":\"output_text\",\"text\":\"a\"}]}}\n\n"
     "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r1\"}}\n\n",
     "start r1\ntext a\nblock {\"type\":\"text\",\"text\":\"a\",\"phase\":\"final_answer\"}\nstop end_turn end_turn"},
    {"chat: what comes with a call goes back with it (Gemini's signatures)", MODEL_WIRE_OPENAI_CHAT,
     "data: "
     "{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"id\":\"call_a\",\"type\":\"function\","
     "\"function\":{\"name\":\"A\",\"arguments\":\"{}\"},\"extra_content\":{\"google\":{\"thought_signature\":\"s=\"}}}"
     "]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
     "start c1\nbegin call_a A\ncall call_a A {}\nblock "
     "{\"type\":\"tool_use\",\"id\":\"call_a\",\"name\":\"A\",\"input\":{},\"extra_content\":{\"google\":{\"thought_"
     "signature\":\"s=\"}}}\nstop tool_use stop"},
    {"responses: cut", MODEL_WIRE_OPENAI_RESPONSES,
     "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r1\"}}\n\n",
     "start r1\nerror network: the stream was cut before its message was complete"},
};

static void run(struct hv_buf *log, enum model_wire wire, struct hv_str stream, size_t step)
{
    struct model_decoder *decoder = model_decoder_new(wire, 1 << 20, event_log, log);
    for (size_t at = 0; at < stream.len; at += step)
        model_decoder_feed(decoder, hv_str_slice(stream, at, at + step));
    model_decoder_finish(decoder);
    model_decoder_free(decoder);
}

static void check_case(const struct decode_case *item, enum model_wire wire, size_t step)
{
    struct hv_buf log;
    hv_buf_init(&log, 1 << 20);
    run(&log, wire, hv_str_from(item->stream), step);
    const char *got = log.data ? log.data : "";
    if (item->events && strcmp(got, item->events) != 0)
        fail_msg("%s (wire %d, %zu bytes at a time)\nexpected:\n%s\ngot:\n%s", item->title, (int)wire, step,
                 item->events, got);
    if (!item->events)
        assert_non_null(strstr(got, "error network: the stream is damaged: an event is not valid JSON"));
    hv_buf_release(&log);
}

static void recorded_streams_give_their_events_however_they_are_split(void **state)
{
    (void)state;
    static const size_t steps[] = {SIZE_MAX / 2, 1, 7, 64};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t j = 0; j < sizeof steps / sizeof *steps; j++) {
            check_case(&cases[i], cases[i].wire, steps[j]);
            check_case(&cases[i], MODEL_WIRE_UNKNOWN, steps[j]);
        }
    }
}

/* Cut anywhere, a stream gives a prefix of its events and one error, or all of them; and a call that is announced as
 * complete is one of the whole stream. */
static void a_stream_cut_at_any_byte_never_invents_anything(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hv_str stream = hv_str_from(cases[i].stream);
        for (size_t cut = 0; cases[i].events && cut < stream.len; cut++) {
            struct hv_buf log;
            hv_buf_init(&log, 1 << 20);
            run(&log, cases[i].wire, hv_str_slice(stream, 0, cut), SIZE_MAX / 2);
            struct hv_str rest = hv_buf_str(&log), line;
            size_t errors = 0;
            while (hv_str_split(&rest, '\n', &line)) {
                errors += hv_str_starts(line, HV_STR("error"));
                if (hv_str_starts(line, HV_STR("call")) &&
                    hv_str_find(hv_str_from(cases[i].events), line, 0) == SIZE_MAX)
                    fail_msg("%s: cut at %zu: %.*s", cases[i].title, cut, HV_STR_ARG(line));
            }
            assert_true(errors <= 1);
            hv_buf_release(&log);
        }
    }
}

static void what_is_no_model_stream_is_said_to_be_none(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *part;
    } rows[] = {
        {"", "the stream ended before its first event"},
        {"<html><body>Bad gateway</body></html>\n", "the stream ended before its first event"},
        {"data: {\"jsonrpc\":\"2.0\"}\n\n", "not the stream of a known model"},
        {"{\"hello\":1}\n{\"hello\":2}\n", "not the stream of a known model"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_buf log;
        hv_buf_init(&log, 1 << 16);
        run(&log, MODEL_WIRE_UNKNOWN, hv_str_from(rows[i].bytes), 5);
        assert_non_null(strstr(log.data, rows[i].part));
        hv_buf_release(&log);
    }
}

static void a_block_over_the_maximum_is_an_error_and_ends_the_stream(void **state)
{
    (void)state;
    struct hv_buf log, stream;
    hv_buf_init(&log, 64 << 20);
    hv_buf_init(&stream, 64 << 20);
    hv_buf_add_cstr(&stream, "data: {\"type\":\"message_start\",\"message\":{}}\n\n"
                             "data: "
                             "{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\","
                             "\"id\":\"toolu_1\",\"name\":\"A\",\"input\":{}}}\n\n");
    for (int i = 0; i < 2000; i++)
        hv_buf_add_cstr(
            &stream,
            "data: "
            "{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\""
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
            "aa\"}}\n\n");
    struct model_decoder *decoder = model_decoder_new(MODEL_WIRE_UNKNOWN, 100000, event_log, &log);
    model_decoder_feed(decoder, hv_buf_str(&stream));
    model_decoder_finish(decoder);
    model_decoder_free(decoder);
    assert_non_null(strstr(log.data, "error too_big: a block of the message is larger than 100000 bytes"));
    assert_null(strstr(log.data, "call"));
    hv_buf_release(&log);
    hv_buf_release(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_streams_give_their_events_however_they_are_split),
        cmocka_unit_test(a_stream_cut_at_any_byte_never_invents_anything),
        cmocka_unit_test(what_is_no_model_stream_is_said_to_be_none),
        cmocka_unit_test(a_block_over_the_maximum_is_an_error_and_ends_the_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
