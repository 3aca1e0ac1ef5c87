/*
 * ask.c: asks the person at a terminal, line by line (helve/ask.h): for leave once, for this session or always, or not;
 * for a choice, a text, the fields of a form. Runs on a worker; the runtime asks one question at a time.
 */
#include <errno.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/blocks.h"
#include "cli/cli.h"
#include "policy/visible.h"

enum { LINE_MAX_BYTES = 64 << 10, TEXT_MAX = 1 << 20, REASON_MAX = 4 << 10 };

bool cli_can_ask(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

void cli_drop_typed(void)
{
    if (isatty(STDIN_FILENO))
        tcflush(STDIN_FILENO, TCIFLUSH);
}

bool cli_read_line(const struct hv_cancel *cancel, struct hv_buf *line)
{
    for (;;) {
        char c;
        struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = hv_cancel_fd(cancel), .events = POLLIN}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return false;
        if (hv_cancelled(cancel))
            return false;
        if (!fds[0].revents)
            continue;
        ssize_t got = read(STDIN_FILENO, &c, 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        if (c == '\n')
            return true;
        hv_buf_add_byte(line, c);
    }
}

/* ---- permission -------------------------------------------------------------------------------------------------- */

static void put_question(const struct hv_question *question, struct hv_buf *out)
{
    const struct blocks_style style = {.colour = cli_has_colour(STDERR_FILENO), .margin = "  | "};
    CLEANUP_BUF struct hv_buf blocks = {.max = TEXT_MAX};
    struct hv_show show;
    struct hv_str shown = question->shown;
    bool permission = question->kind == HV_ASK_PERMISSION;
    if (!shown.len) {
        hv_show_begin(&show, &blocks);
        hv_show_text(&show, question->text);
        hv_show_end(&show);
        shown = hv_buf_str(&blocks);
    }
    hv_buf_addf(out, "\nhelve: %s%.*s\n", permission ? "may this be done? " : "a question of ",
                HV_STR_ARG(question->subject));
    blocks_put(shown, &style, out);
    if (question->reason.len)
        hv_buf_addf(out, "  why you are asked: %.*s\n", HV_STR_ARG(hv_str_slice(question->reason, 0, REASON_MAX)));
}

static void put_keys(const struct hv_question *question, struct hv_buf *out)
{
    const char *change = question->input.len ? "  [e] change the input" : "";
    if (question->rule_count > 1) {
        hv_buf_addf(out, "  [y] once  [s] this session  [a] always: these rules are saved  [n] no%s  [?] more\n",
                    change);
        for (size_t i = 0; i < question->rule_count; i++)
            hv_buf_addf(out, "        %.*s\n", HV_STR_ARG(question->rules[i]));
    } else if (question->rule_count == 1)
        hv_buf_addf(out,
                    "  [y] once  [s] this session  [a] always: the rule %.*s is saved  [r] change the rule  [n] no%s  "
                    "[?] more\n",
                    HV_STR_ARG(question->rules[0]), change);
    else
        hv_buf_addf(out, "  [y] once  [n] no%s  [?] more\n", change);
    hv_buf_add_cstr(out, "  (words mean no, and are told to the model) > ");
}

static bool is_word(struct hv_str line, const char *letter, const char *word)
{
    return hv_str_eq_nocase(line, hv_str_from(letter)) || hv_str_eq_nocase(line, hv_str_from(word));
}

/* One line for what was just written, in arena; absent: none comes. */
static struct hv_str read_answer(const char *prompt, const struct hv_cancel *cancel, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf line = {.max = LINE_MAX_BYTES};
    cli_write(STDERR_FILENO, hv_str_from(prompt));
    if (!cli_read_line(cancel, &line))
        return (struct hv_str){0};
    return hv_arena_str(arena, hv_str_trim(hv_buf_str(&line)));
}

static bool is_object(struct hv_arena *arena, struct hv_str text)
{
    const struct hv_json *value;
    struct hv_error err;
    enum hv_code code = hv_json_parse(arena, text, HV_JSON_STRICT, &value, &err);
    if (code == HV_OK && value->type == HV_JSON_OBJECT)
        return true;
    cli_note("that is no JSON object%s%s; it was not sent", code ? ": " : "", code ? err.message : "");
    return false;
}

static void amend(const struct hv_question *question, const struct hv_cancel *cancel, struct hv_arena *arena,
                  struct hv_answer *answer)
{
    cli_note("the input is %.*s", HV_STR_ARG(question->input));
    struct hv_str text = read_answer("  the new input, as JSON (nothing: as it was) > ", cancel, arena);
    if (!text.len || !is_object(arena, text))
        return;
    answer->input = text;
    answer->outcome = HV_ASK_ANSWERED;
}

/* "Bash(make:*)", or "Bash(make:*) project" */
static void change_rule(const struct hv_cancel *cancel, struct hv_arena *arena, struct hv_answer *answer)
{
    static const struct {
        const char *word;
        enum hv_ask_scope scope;
    } scopes[] = {
        {" session", HV_ASK_SESSION}, {" local", HV_ASK_LOCAL}, {" project", HV_ASK_PROJECT}, {" user", HV_ASK_USER}};
    struct hv_str text = read_answer("  the rule, then session, local, project or user (else local) > ", cancel, arena);
    if (!text.len)
        return;
    answer->scope = HV_ASK_LOCAL;
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
        if (!hv_str_ends(text, hv_str_from(scopes[i].word)))
            continue;
        text = hv_str_trim(hv_str_slice(text, 0, text.len - strlen(scopes[i].word)));
        answer->scope = scopes[i].scope;
    }
    struct hv_str *rules = hv_arena_array(arena, struct hv_str, 1);
    rules[0] = text;
    answer->rules = rules;
    answer->rule_count = 1;
    answer->outcome = HV_ASK_ANSWERED;
}

/* True when the word settles it; a letter that means nothing is no answer. */
static bool take_word(const struct hv_question *question, struct hv_str word, const struct hv_cancel *cancel,
                      struct hv_arena *arena, struct hv_answer *answer)
{
    bool rules = question->rule_count > 0;
    if (is_word(word, "y", "yes")) {
        answer->outcome = HV_ASK_ANSWERED;
    } else if (rules && (is_word(word, "s", "session") || is_word(word, "a", "always"))) {
        answer->outcome = HV_ASK_ANSWERED;
        answer->scope = is_word(word, "s", "session") ? HV_ASK_SESSION : HV_ASK_LOCAL;
    } else if (is_word(word, "n", "no") || !word.len) {
        answer->outcome = HV_ASK_REFUSED;
    } else if (question->rule_count == 1 && is_word(word, "r", "rule")) {
        change_rule(cancel, arena, answer);
    } else if (question->input.len && is_word(word, "e", "edit")) {
        amend(question, cancel, arena, answer);
    } else if (hv_str_is(word, "?")) {
        CLEANUP_BUF struct hv_buf text = {.max = TEXT_MAX};
        visible_add_lines(&text, question->explanation);
        cli_note("%.*s", HV_STR_ARG(hv_buf_str(&text)));
    } else if (word.len > 1) {
        answer->outcome = HV_ASK_REFUSED;
        answer->words = word;
    }
    return answer->outcome != HV_ASK_NOBODY;
}

static void ask_permission(const struct hv_question *question, const struct hv_cancel *cancel, struct hv_arena *arena,
                           struct hv_answer *answer)
{
    CLEANUP_BUF struct hv_buf text = {.max = TEXT_MAX}, keys = {.max = TEXT_MAX};
    put_question(question, &text);
    put_keys(question, &keys);
    cli_write(STDERR_FILENO, hv_buf_str(&text));
    for (;;) {
        struct hv_str word = read_answer(hv_arena_cstr(arena, hv_buf_str(&keys)), cancel, arena);
        if (!word.ptr) { /* the end of what can be typed is a no */
            answer->outcome = hv_cancelled(cancel) ? HV_ASK_NOBODY : HV_ASK_REFUSED;
            return;
        }
        if (take_word(question, word, cancel, arena, answer))
            return;
    }
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

static void put_field(const struct hv_ask_field *field, struct hv_buf *out)
{
    struct hv_str label = field->label.len ? field->label : field->name;
    hv_buf_addf(out, "  %.*s%s%.*s\n", HV_STR_ARG(label), field->description.len ? ": " : "",
                HV_STR_ARG(field->description));
    for (size_t i = 0; i < field->option_count; i++) {
        const struct hv_ask_option *option = &field->options[i];
        hv_buf_addf(out, "    %zu  %.*s%s%.*s\n", i + 1, HV_STR_ARG(option->label.len ? option->label : option->name),
                    option->description.len ? ": " : "", HV_STR_ARG(option->description));
    }
    if (field->initial.len)
        hv_buf_addf(out, "  (nothing: %.*s)\n", HV_STR_ARG(field->initial));
    hv_buf_add_cstr(out, field->type == HV_ASK_OF_SEVERAL   ? "  numbers, with blanks between"
                         : field->type == HV_ASK_OF_OPTIONS ? "  a number"
                         : field->type == HV_ASK_OF_BOOLEAN ? "  yes or no"
                                                            : " ");
    hv_buf_add_cstr(out, field->required ? " > " : " (may be left out) > ");
}

static void ask_fields(const struct hv_question *question, const struct hv_cancel *cancel, struct hv_arena *arena,
                       struct hv_answer *answer)
{
    CLEANUP_BUF struct hv_buf text = {.max = TEXT_MAX}, values = {.max = TEXT_MAX};
    struct hv_json_writer writer;
    put_question(question, &text);
    hv_buf_add_cstr(&text, "  (Ctrl-D answers nothing)\n");
    cli_write(STDERR_FILENO, hv_buf_str(&text));
    hv_json_writer_init(&writer, &values);
    hv_json_begin_object(&writer);
    for (size_t i = 0; i < question->field_count;) {
        CLEANUP_BUF struct hv_buf prompt = {.max = TEXT_MAX};
        put_field(&question->fields[i], &prompt);
        struct hv_str word = read_answer(hv_arena_cstr(arena, hv_buf_str(&prompt)), cancel, arena);
        if (!word.ptr) {
            answer->outcome = hv_cancelled(cancel) ? HV_ASK_NOBODY : HV_ASK_REFUSED;
            return;
        }
        i += hv_ask_take_value(&question->fields[i], word, &writer);
    }
    hv_json_end_object(&writer);
    answer->values = hv_arena_str(arena, hv_buf_str(&values));
    answer->outcome = HV_ASK_ANSWERED;
}

void cli_ask(void *user, const struct hv_question *question, const struct hv_cancel *cancel, struct hv_arena *arena,
             struct hv_answer *answer)
{
    (void)user;
    cli_drop_typed(); /* what was typed before the question was shown does not answer it */
    if (question->kind == HV_ASK_PERMISSION)
        ask_permission(question, cancel, arena, answer);
    else
        ask_fields(question, cancel, arena, answer);
}
