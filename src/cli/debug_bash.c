/*
 * debug_bash.c: `helve debug bash-ast`: the reader of shell scripts behind a batch door (door.h). Shown are the
 * commands that bash would execute as simple ones: words, or assignments and redirections alone.
 */
#include "base/base64.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "cli/door.h"
#include "shell/script.h"

enum { WORD_MAX = 1 << 20 };

/* A member `name`, or `name`_b64 for bytes that are no text; null when the word is not known. */
static void put_word(struct hv_json_writer *writer, const char *name, const char *encoded_name,
                     const struct shell_word *word)
{
    CLEANUP_BUF struct hv_buf encoded = {.max = 2 * WORD_MAX};
    if (word->known && !utf8_valid(word->value)) {
        base64_encode(&encoded, word->value, BASE64_STANDARD);
        hv_json_name(writer, encoded_name);
        hv_json_put_string(writer, hv_buf_str(&encoded));
        return;
    }
    hv_json_name(writer, name);
    if (word->known)
        hv_json_put_string(writer, word->value);
    else
        hv_json_put_null(writer);
}

static void put_argv(struct hv_json_writer *writer, const struct shell_command *command)
{
    bool known = true, text = true;
    for (size_t i = 0; i < command->word_count; i++) {
        known &= command->words[i].known;
        text &= utf8_valid(command->words[i].value);
    }
    hv_json_name(writer, known && !text ? "argv_b64" : "argv");
    if (!known) {
        hv_json_put_null(writer);
        return;
    }
    hv_json_begin_array(writer);
    for (size_t i = 0; i < command->word_count; i++) {
        CLEANUP_BUF struct hv_buf encoded = {.max = 2 * WORD_MAX};
        if (!text)
            base64_encode(&encoded, command->words[i].value, BASE64_STANDARD);
        hv_json_put_string(writer, text ? command->words[i].value : hv_buf_str(&encoded));
    }
    hv_json_end_array(writer);
}

/* The values that something is one of, when they are known. */
static void put_choices(struct hv_json_writer *writer, const char *name, const struct shell_script *script,
                        uint32_t index)
{
    const struct shell_choices *choices = index ? &script->choices[index - 1] : NULL;
    if (!choices)
        return;
    hv_json_name(writer, name);
    hv_json_begin_array(writer);
    for (uint32_t i = 0; i < choices->count; i++)
        hv_json_put_string(writer, choices->values[i]);
    hv_json_end_array(writer);
}

/* When the argument vector is not known: what is known of each word. */
static void put_words(struct hv_json_writer *writer, const struct shell_script *script,
                      const struct shell_command *command)
{
    bool known = true;
    for (size_t i = 0; i < command->word_count; i++)
        known &= command->words[i].known;
    if (known)
        return;
    hv_json_name(writer, "words");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < command->word_count; i++) {
        const struct shell_word *word = &command->words[i];
        hv_json_begin_object(writer);
        hv_json_member_bool(writer, "known", word->known);
        hv_json_member_string(writer, word->known ? "value" : "begins", word->value);
        if (!word->known)
            hv_json_member_string(writer, "ends", word->tail.ptr ? word->tail : HV_STR(""));
        if (!word->known)
            hv_json_member_bool(writer, "many", word->flags & SHELL_WORD_MANY);
        put_choices(writer, "one_of", script, word->choices);
        if (word->flags & SHELL_WORD_NUMBER)
            hv_json_member_bool(writer, "number", true);
        if (word->flags & SHELL_WORD_EVALUATES)
            hv_json_member_bool(writer, "evaluates", true);
        hv_json_end_object(writer);
    }
    hv_json_end_array(writer);
}

static const char *redirect_name(enum shell_redirect_kind kind)
{
    static const char *const names[] = {"", "<", ">", ">>", "&>", "&>>", "<>", ">&", "<<", "<<<"};
    return names[kind];
}

static void put_redirects(struct hv_json_writer *writer, const struct shell_command *command)
{
    hv_json_name(writer, "redirects");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < command->redirect_count; i++) {
        const struct shell_redirect *redirect = &command->redirects[i];
        hv_json_begin_object(writer);
        hv_json_member_cstr(writer, "operator", redirect_name(redirect->kind));
        if (redirect->variable.ptr)
            hv_json_member_string(writer, "variable", redirect->variable);
        else
            hv_json_member_int(writer, "descriptor", redirect->descriptor);
        put_word(writer, "target", "target_b64", &redirect->target);
        hv_json_end_object(writer);
    }
    hv_json_end_array(writer);
}

static void put_assignments(struct hv_json_writer *writer, const struct shell_command *command)
{
    hv_json_name(writer, "assignments");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < command->assignment_count; i++) {
        const struct shell_assignment *assignment = &command->assignments[i];
        hv_json_begin_object(writer);
        hv_json_member_string(writer, "name", assignment->name);
        put_word(writer, "value", "value_b64", &assignment->value);
        if (assignment->appends)
            hv_json_member_bool(writer, "appends", true);
        if (assignment->element)
            hv_json_member_bool(writer, "element", true);
        if (assignment->array)
            hv_json_member_bool(writer, "array", true);
        hv_json_end_object(writer);
    }
    hv_json_end_array(writer);
}

static void put_command(struct hv_json_writer *writer, const struct shell_script *script,
                        const struct shell_command *command)
{
    hv_json_begin_object(writer);
    put_argv(writer, command);
    put_words(writer, script, command);
    put_redirects(writer, command);
    put_assignments(writer, command);
    if (command->directory.ptr)
        hv_json_member_string(writer, "directory", command->directory);
    put_choices(writer, "directories", script, command->places);
    hv_json_end_object(writer);
}

static void answer_bash(const struct door_line *line, struct hv_json_writer *writer)
{
    bool bad;
    struct hv_str text = door_bytes(line, "command", &bad);
    struct shell_script script;
    struct shell_start start = {0};
    if (!text.ptr || bad) {
        hv_json_member_cstr(writer, "error", "expected the script in `command`");
        return;
    }
    start.directory = hv_json_get_string(line->value, "cwd");
    start.home = hv_json_get_string(line->value, "home");
    shell_read(line->arena, text, &start, &script);
    hv_json_member_bool(writer, "accepted", script.accepted);
    if (!script.accepted) {
        hv_json_member_cstr(writer, "reason", script.reason);
        hv_json_member_int(writer, "place", (int64_t)script.place);
    }
    hv_json_name(writer, "commands");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < script.count; i++)
        if (script.commands[i].kind == SHELL_COMMAND_SIMPLE)
            put_command(writer, &script, &script.commands[i]);
    hv_json_end_array(writer);
}

static int run_bash(const struct cli_call *call)
{
    (void)call;
    return door_run(answer_bash, NULL);
}

const struct cli_command cli_debug_bash_command = {
    .name = "debug bash-ast",
    .arguments = "",
    .summary = "lines {id, command, cwd?, home?}: bash's simple commands → {id, accepted, commands[{argv, redirects, "
               "assignments}]}",
    .hidden = true,
    .run = run_bash,
};
