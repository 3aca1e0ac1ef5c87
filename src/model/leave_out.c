/* leave_out.c: see leave_out.h. One table says what is known of refusals; one walk serves the messages of all wires. */
#include "model/leave_out.h"
#include "model/fault.h"

#include "base/cleanup.h"

#include <string.h>

enum { WORDS_MAX = 4, BODY_MAX = INT32_MAX };

/* A refusal that says all of `words`, or names the member, is about what stands in the request as `sign`. */
static const struct refusal {
    unsigned bit;
    const char *sign;
    const char *words[WORDS_MAX];
    const char *member; /* a word of the language, too: it counts only where it is written as a name */
} refusals[] = {
    {LEAVE_ENCRYPTED, "\"encrypted_content\"", {"encrypted", "content"}},
    {LEAVE_THINKING, "\"thinking\"", {"signature", "thinking"}},
    {LEAVE_THINKING, "\"thinking\"", {"thinking", "cannot be modified"}},
    {LEAVE_THINKING, "\"thinking\"", {"redacted_thinking"}},
    {LEAVE_THINKING, "\"signature\"", {"signature", "invalid"}},
    {LEAVE_REASONING, "\"reasoning_content\"", {"reasoning_content"}},
    {LEAVE_REASONING, "\"reasoning_details\"", {"reasoning_details"}},
    {LEAVE_REASONING, "\"thinking_blocks\"", {"thinking_blocks"}},
    {LEAVE_PICTURES, "image", {"image", "could not process"}},
    {LEAVE_PICTURES, "image", {"image", "not support"}},
    {LEAVE_PICTURES, "image", {"image", "unsupported"}},
    {LEAVE_PICTURES, "image", {"image", "invalid"}},
    {LEAVE_PICTURES, "image", {"image", "exceed"}},
    {LEAVE_PICTURES, "image", {"image", "unable to"}},
    {LEAVE_PICTURES, "image", {"image", "failed to"}},
    {LEAVE_PICTURES, "image", {"image", "too large"}},
    {LEAVE_PICTURES, "image_url", {"image_url"}},
    {LEAVE_PICTURES, "image", {"mmproj"}},
    {LEAVE_PICTURES, "image", {"not a multimodal"}},
    {LEAVE_PICTURES, "image", {"vision", "not"}},
    {LEAVE_USER_AFTER_TOOL, "\"tool\"", {"role", "user", "after", "tool"}},
    {LEAVE_STREAM_OPTIONS, "\"stream_options\"", {"stream_options"}},
    {LEAVE_EFFORT, "\"reasoning_effort\"", {"reasoning_effort"}},
    {LEAVE_EFFORT, "\"output_config\"", {"output_config"}},
    {LEAVE_EAGER_INPUT, "\"eager_input_streaming\"", {"eager_input_streaming"}},
    {LEAVE_CACHE_MARKS, "\"cache_control\"", {"cache_control"}},
    {LEAVE_SUMMARY, "\"summary\":\"auto\"", {"reasoning.summary"}},
    {LEAVE_SUMMARY, "\"summary\":\"auto\"", {"reasoning summar"}},
    {LEAVE_EFFORT, "\"effort\"", {"reasoning.effort"}},
    {LEAVE_EFFORT, "\"reasoning\":{", .member = "reasoning"},
    {LEAVE_INCLUDE, "\"include\":[", {"reasoning.encrypted_content"}},
    {LEAVE_INCLUDE, "\"include\":[", .member = "include"},
    {LEAVE_STORE, "\"store\":false", .member = "store"},
    {LEAVE_STRICT, "\"strict\":false", .member = "strict"},
};

/* 'name', "name", `name`, name: or a.name, not the word in a sentence. */
static bool names_member(struct hv_str text, const char *member)
{
    struct hv_str name = hv_str_from(member);
    for (size_t at = 0; (at = hv_str_find(text, name, at)) != SIZE_MAX; at++) {
        char before = at ? text.ptr[at - 1] : ' ';
        char after = at + name.len < text.len ? text.ptr[at + name.len] : ' ';
        bool quoted = strchr("'\"`.", before) && strchr("'\"`:", after);
        if (before && after && (quoted || (before == ' ' && after == ':')))
            return true;
    }
    return false;
}

unsigned leave_out_find(int status, struct hv_str words, struct hv_str request)
{
    /* llama.cpp says 500 of pictures that it cannot take. */
    bool pictures_only = status >= 500;
    if (status != 400 && status != 404 && status != 413 && status != 415 && status != 422 && !pictures_only)
        return 0;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *refusal = &refusals[i];
        bool said = !pictures_only || refusal->bit == LEAVE_PICTURES;
        for (size_t j = 0; said && j < WORDS_MAX && refusal->words[j]; j++)
            said = fault_contains(words, refusal->words[j]);
        if (refusal->member)
            said = said && names_member(words, refusal->member);
        if (said && hv_str_find(request, hv_str_from(refusal->sign), 0) != SIZE_MAX)
            return refusal->bit;
    }
    return 0;
}

/* ---- names --------------------------------------------------------------------------------------------------- */

static const struct {
    unsigned bit;
    const char *name;
} names[] = {
    {LEAVE_THINKING, "thinking"},
    {LEAVE_ENCRYPTED, "encrypted reasoning"},
    {LEAVE_REASONING, "reasoning"},
    {LEAVE_PICTURES, "pictures"},
    {LEAVE_USER_AFTER_TOOL, "texts right after results"},
    {LEAVE_STREAM_OPTIONS, "stream_options"},
    {LEAVE_EFFORT, "reasoning effort"},
    {LEAVE_EAGER_INPUT, "eager_input_streaming"},
    {LEAVE_CACHE_MARKS, "cache_control"},
    {LEAVE_SUMMARY, "reasoning summary"},
    {LEAVE_INCLUDE, "include"},
    {LEAVE_STORE, "store"},
    {LEAVE_STRICT, "strict"},
};

const char *leave_out_name(unsigned bit)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].bit == bit)
            return names[i].name;
    }
    return "";
}

unsigned leave_out_from_names(struct hv_str list)
{
    unsigned bits = 0;
    struct hv_str name;
    while (list.len && hv_str_split(&list, ',', &name)) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            bits |= hv_str_is(hv_str_trim(name), names[i].name) ? names[i].bit : 0;
    }
    return bits;
}

/* ---- the walk ------------------------------------------------------------------------------------------------- */

static bool has_type(const struct hv_json *value, const char *const *types)
{
    struct hv_str type = hv_json_get_string(value, "type");
    for (; *types; types++) {
        if (hv_str_is(type, *types))
            return true;
    }
    return false;
}

static bool is_dropped(const struct hv_json *value, unsigned bits)
{
    static const char *const thinking[] = {"thinking", "redacted_thinking", NULL};
    static const char *const reasoning[] = {"reasoning", NULL};
    return (bits & LEAVE_THINKING && has_type(value, thinking)) ||
           (bits & LEAVE_ENCRYPTED && has_type(value, reasoning));
}

static bool is_dropped_member(const struct hv_json *member, unsigned bits)
{
    static const char *const reasoning[] = {"reasoning_content", "reasoning", "reasoning_details", "thinking_blocks",
                                            NULL};
    if (bits & LEAVE_CACHE_MARKS && hv_str_is(member->key, "cache_control"))
        return true;
    for (size_t i = 0; bits & LEAVE_REASONING && reasoning[i]; i++) {
        if (hv_str_is(member->key, reasoning[i]))
            return true;
    }
    return false;
}

static void put_text(struct hv_json_writer *writer, const char *type, const char *text)
{
    hv_json_begin_object(writer);
    hv_json_member_cstr(writer, "type", type);
    hv_json_member_cstr(writer, "text", text);
    hv_json_end_object(writer);
}

static void put(struct hv_json_writer *writer, const struct hv_json *value, unsigned bits, int depth);

/* The elements that stay; an empty list would be refused in turn. */
static void put_list(struct hv_json_writer *writer, const struct hv_json *list, unsigned bits, int depth)
{
    bool any = false;
    hv_json_begin_array(writer);
    hv_json_each(element, list)
    {
        if (is_dropped(element, bits))
            continue;
        put(writer, element, bits, depth + 1);
        any = true;
    }
    if (!any && list->first)
        put_text(writer, "text", "(no text)");
    hv_json_end_array(writer);
}

/* One value; what is the model's or a tool's own (input, arguments) is not looked into. */
static void put(struct hv_json_writer *writer, const struct hv_json *value, unsigned bits, int depth)
{
    enum { DEPTH_MAX = 6 };
    static const char *const pictures[] = {"image", "image_url", "input_image", NULL};
    if (bits & LEAVE_PICTURES && has_type(value, pictures)) {
        put_text(writer, hv_str_is(hv_json_get_string(value, "type"), "input_image") ? "input_text" : "text",
                 "[a picture was here; this model's server did not take it]");
        return;
    }
    if (value->type != HV_JSON_OBJECT || depth > DEPTH_MAX) {
        hv_json_put_value(writer, value);
        return;
    }
    hv_json_begin_object(writer);
    hv_json_each(member, value)
    {
        if (is_dropped_member(member, bits))
            continue;
        hv_json_name_str(writer, member->key);
        bool inside = hv_str_is(member->key, "content") || hv_str_is(member->key, "output");
        if (inside && member->type == HV_JSON_ARRAY)
            put_list(writer, member, bits, depth);
        else
            hv_json_put_value(writer, member);
    }
    hv_json_end_object(writer);
}

static bool has_role(const struct hv_json *object, const char *role)
{
    return hv_str_is(hv_json_get_string(object, "role"), role);
}

void leave_out_copy(struct hv_buf *out, struct hv_str objects, unsigned bits)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf list = {0};
    hv_buf_init(&list, BODY_MAX);
    hv_buf_add_byte(&list, '[');
    hv_buf_add_str(&list, objects);
    hv_buf_add_byte(&list, ']');
    const struct hv_json *root, *before = NULL;
    if (hv_json_parse(&arena, hv_buf_str(&list), HV_JSON_STRICT, &root, NULL) != HV_OK) {
        hv_buf_add_str(out, objects);
        return;
    }
    bool any = false;
    hv_json_each(object, root)
    {
        struct hv_json_writer writer;
        if (is_dropped(object, bits))
            continue;
        if (bits & LEAVE_USER_AFTER_TOOL && before && has_role(before, "tool") && has_role(object, "user"))
            hv_buf_add_cstr(out, ",{\"role\":\"assistant\",\"content\":\"I have the results.\"}");
        if (any)
            hv_buf_add_byte(out, ',');
        hv_json_writer_init(&writer, out);
        put(&writer, object, bits, 0);
        before = object;
        any = true;
    }
}
