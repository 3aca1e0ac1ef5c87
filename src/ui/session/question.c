/* question.c: the question that a person is asked: how it is shown, and what keys answer it. An unknown key is no
 * answer. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "ui/session/view.h"

enum { TYPING_MS = 1000, GUARD_MS = 400 };

/* ---- how it looks ------------------------------------------------------------------------------------------------ */

static void put_named(struct ui *ui, const char *name, struct hv_str text, struct hv_buf *out)
{
    struct hv_str line;
    if (!text.len)
        return;
    paint_put(&ui->theme, PAINT_DIM, hv_str_from(name), out);
    for (bool first = true; paint_next_line(&text, &line); first = false) {
        hv_buf_add_cstr(out, first ? "" : "  ");
        paint_add(out, line);
        hv_buf_add_byte(out, '\n');
    }
}

/* In words, what a rule takes beyond what it names. */
static const char *covered_by(const struct ui *ui, struct hv_str rule)
{
    static const struct {
        const char *end, *covers;
    } rows[] = {
        {"make:*)", "whatever the makefiles of this project say"},
        {":*)", "with any words after these"},
        {"/*)", "every script there, with any words after it"},
        {"/**)", "every file there but settings, hooks and credentials, also by commands"},
    };
    if (ui->front->takes_any_code && ui->front->takes_any_code(rule))
        return "any code, which only the sandbox confines: for this session only";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (hv_str_ends(rule, hv_str_from(rows[i].end)))
            return rows[i].covers;
    return "";
}

/* What does not change while it is open. */
static void make_rows(struct ui *ui)
{
    struct question_view *view = &ui->question;
    const struct hv_question *question = view->question;
    bool folded = false, permission = question->kind == HV_ASK_PERMISSION;
    struct hv_buf *rows = &view->rows;
    struct hv_str text = question->text, line;
    hv_buf_clear(rows);
    hv_buf_add_byte(rows, '\n');
    paint_put(&ui->theme, question->destructive ? PAINT_BAD : PAINT_WARN, HV_STR("? "), rows);
    paint_put(&ui->theme, PAINT_BOLD, question->subject, rows);
    hv_buf_add_cstr(rows, permission ? ": may this be done?\n" : " asks\n");
    if (question->shown.len)
        cards_put_blocks(ui, question->shown, false, &folded, rows);
    while (!question->shown.len && paint_next_line(&text, &line)) {
        hv_buf_add_cstr(rows, "  ");
        paint_add(rows, line);
        hv_buf_add_byte(rows, '\n');
    }
    put_named(ui, "why you are asked: ", question->reason, rows);
    for (size_t i = 0; i < question->rule_count; i++) {
        CLEANUP_BUF struct hv_buf rule = {.max = SIZE_MAX / 4};
        const char *covered = covered_by(ui, question->rules[i]);
        hv_buf_addf(&rule, *covered ? "%.*s: %s" : "%.*s%s", HV_STR_ARG(question->rules[i]), covered);
        put_named(ui, i ? "  and: " : "rule for session and always: ", hv_buf_str(&rule), rows);
    }
}

/* What was being typed when the question came is no answer to it. */
static bool is_too_early(const struct ui *ui)
{
    const struct question_view *view = &ui->question;
    return view->was_typing;
}

static void end_guard(void *data)
{
    struct ui *ui = data;
    ui->guard_timer = NULL;
    ui->question.was_typing = false;
    view_dirty(ui);
}

/* From now on, for a moment, no key is an answer. */
static void begin_guard(struct ui *ui)
{
    loop_timer_stop(ui->guard_timer);
    ui->guard_timer = loop_timer_start(ui->front->loop, GUARD_MS * CLOCK_MILLISECOND, end_guard, ui);
}

/* Whether it says so. */
static bool put_too_early(const struct ui *ui, struct hv_buf *out)
{
    if (is_too_early(ui))
        hv_buf_add_cstr(out, "(a moment: what was being typed is no answer)\n");
    return is_too_early(ui);
}

static void put_keys(struct ui *ui, struct hv_buf *out)
{
    const struct question_view *view = &ui->question;
    bool rules = view->question->rule_count > 0;
    if (put_too_early(ui, out))
        return;
    static const struct {
        const char *key, *what;
        bool rule, input;
    } keys[] = {
        {"y", "once", false, false},
        {"s", "this session", true, false},
        {"a", "always", true, false},
        {"r", "change the rule", true, false},
        {"n", "no", false, false},
        {"w", "no, with words", false, false},
        {"e", "change the input", false, true},
        {"?", "why", false, false},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if ((keys[i].rule && !rules) || (keys[i].input && !view->question->input.len))
            continue;
        paint_put(&ui->theme, PAINT_ACCENT, hv_str_from(keys[i].key), out);
        hv_buf_addf(out, " %s  ", keys[i].what);
    }
    hv_buf_add_byte(out, '\n');
}

static const char *const scope_names[] = {
    [HV_ASK_ONCE] = "once",
    [HV_ASK_SESSION] = "this session",
    [HV_ASK_LOCAL] = "always, for you in this folder",
    [HV_ASK_PROJECT] = "always, for all who work in this folder",
    [HV_ASK_USER] = "always, for you everywhere",
};

static void put_rule_keys(struct ui *ui, struct hv_buf *out)
{
    hv_buf_add_cstr(out, "The rule, one a line; it holds: ");
    paint_put(&ui->theme, PAINT_ACCENT, hv_str_from(scope_names[ui->question.scope]), out);
    hv_buf_add_cstr(out, "\nTab changes that, Enter saves it and allows, Esc goes back.\n");
}

static void put_field(struct ui *ui, struct hv_buf *out)
{
    const struct question_view *view = &ui->question;
    const struct hv_ask_field *field = &view->question->fields[view->field];
    if (view->question->field_count > 1)
        hv_buf_addf(out, "%zu of %zu: ", view->field + 1, view->question->field_count);
    paint_put(&ui->theme, PAINT_BOLD, field->label.len ? field->label : field->name, out);
    if (field->description.len) {
        hv_buf_add_cstr(out, "  ");
        paint_put(&ui->theme, PAINT_DIM, field->description, out);
    }
    hv_buf_add_byte(out, '\n');
    for (size_t i = 0; i < field->option_count; i++) {
        const struct hv_ask_option *option = &field->options[i];
        CLEANUP_BUF struct hv_buf number = {.max = 32};
        hv_buf_addf(&number, "  %zu ", i + 1);
        paint_put(&ui->theme, PAINT_ACCENT, hv_buf_str(&number), out);
        paint_add(out, option->label.len ? option->label : option->name);
        if (option->description.len) {
            hv_buf_add_cstr(out, "  ");
            paint_put(&ui->theme, PAINT_DIM, option->description, out);
        }
        hv_buf_add_byte(out, '\n');
    }
    if (put_too_early(ui, out))
        return;
    hv_buf_addf(out, "%s Enter answers, Esc answers nothing.\n",
                field->type == HV_ASK_OF_SEVERAL   ? "Numbers, with blanks between."
                : field->type == HV_ASK_OF_OPTIONS ? "A number."
                : field->type == HV_ASK_OF_BOOLEAN ? "Yes or no."
                : field->required                  ? "It is needed."
                                                   : "It may be left empty.");
}

static void put_wrapped(const struct ui *ui, struct hv_str lines, struct hv_buf *out)
{
    struct hv_str line;
    size_t columns = ui->columns > 1 ? ui->columns - 1 : 1;
    while (paint_next_line(&lines, &line)) {
        size_t from = 0, next;
        do {
            size_t end = paint_wrap(line, from, columns, &next);
            hv_buf_add_str(out, hv_str_slice(line, from, end));
            hv_buf_add_byte(out, '\n');
            from = next;
        } while (from < line.len);
    }
    if (ui->theme.colour && out->len) {
        out->len--;
        hv_buf_add_cstr(out, "\033[0m\n");
    }
}

static size_t count_rows(struct hv_str text)
{
    size_t count = 0;
    struct hv_str line;
    while (paint_next_line(&text, &line))
        count++;
    return count;
}

void question_put_rows(struct ui *ui, size_t most, struct hv_buf *out)
{
    struct question_view *view = &ui->question;
    CLEANUP_BUF struct hv_buf body = {.max = VIEW_FRAME_MAX}, foot = {.max = VIEW_FRAME_MAX},
                              keys = {.max = VIEW_FRAME_MAX};
    put_wrapped(ui, hv_buf_str(&view->rows), &body);
    switch (view->state) {
    case QUESTION_KEYS: put_keys(ui, &keys); break;
    case QUESTION_EXPLAINED:
        put_wrapped(ui, view->question->explanation, &body);
        put_keys(ui, &keys);
        break;
    case QUESTION_WORDS: hv_buf_add_cstr(&keys, "What should it do instead? Enter sends it, Esc goes back.\n"); break;
    case QUESTION_INPUT: hv_buf_add_cstr(&keys, "The input, as JSON. Enter runs it so, Esc goes back.\n"); break;
    case QUESTION_RULE: put_rule_keys(ui, &keys); break;
    case QUESTION_FIELD: put_field(ui, &keys); break;
    }
    put_wrapped(ui, hv_buf_str(&keys), &foot);
    size_t feet = count_rows(hv_buf_str(&foot)), total = count_rows(hv_buf_str(&body));
    size_t room = most > feet + 1 ? most - feet - 1 : 1;
    size_t hidden = total > room ? total - room : 0;
    view->scroll = view->scroll < hidden ? view->scroll : hidden;
    struct hv_str rest = hv_buf_str(&body), line;
    for (size_t i = 0; paint_next_line(&rest, &line); i++)
        if (i >= view->scroll && i < view->scroll + room)
            hv_buf_addf(out, "%.*s%s\n", HV_STR_ARG(line), ui->theme.colour && hidden ? "\033[0m" : "");
    if (hidden)
        hv_buf_addf(out, "(lines %zu-%zu of %zu; Up and Down)\n", view->scroll + 1, view->scroll + room, total);
    hv_buf_add_str(out, hv_buf_str(&foot));
}

/* The next field that is to be filled. */
static void begin_field(struct ui *ui)
{
    struct question_view *view = &ui->question;
    view->state = QUESTION_FIELD;
    editor_clear(&view->words);
    editor_insert(&view->words, view->question->fields[view->field].initial);
}

void question_show(struct ui *ui)
{
    struct question_view *view = &ui->question;
    uint64_t now = clock_monotonic_ns();
    view->state = QUESTION_KEYS;
    view->field = 0;
    if (view->question->field_count) {
        hv_buf_clear(&view->values);
        hv_json_writer_init(&view->writer, &view->values);
        hv_json_begin_object(&view->writer);
        begin_field(ui);
    }
    view->scroll = 0;
    view->shown = true;
    view->was_typing = ui->last_key_ns && now - ui->last_key_ns < TYPING_MS * CLOCK_MILLISECOND;
    make_rows(ui);
    if (view->was_typing)
        begin_guard(ui);
    view_draw(ui);
    view_call_attention(ui, "helve asks you something");
    if (ui->focused)
        terminal_write(ui->terminal, HV_STR("\a"));
}

/* ---- answering --------------------------------------------------------------------------------------------------- */

static void tell(struct ui *ui, const char *what, struct hv_str words)
{
    CLEANUP_BUF struct hv_buf line = {.max = VIEW_FRAME_MAX};
    const struct call_view *call = view_call(ui, ui->question.question->call_id);
    hv_buf_addf(&line, "%.*s ", HV_STR_ARG(ui->question.question->subject));
    if (call)
        hv_buf_addf(&line, "%.*s ", HV_STR_ARG(call->title));
    hv_buf_addf(&line, "→ %s%s%.*s", what, words.len ? ": " : "", HV_STR_ARG(words));
    view_note(ui, PAINT_DIM, "?", hv_buf_str(&line));
}

static void finish(struct ui *ui)
{
    struct question_view *view = &ui->question;
    pthread_mutex_lock(&ui->ask_lock);
    view->asked->answered = true;
    pthread_cond_broadcast(&ui->ask_changed);
    pthread_mutex_unlock(&ui->ask_lock);
    view->asked = NULL;
    view->question = NULL;
    view->shown = false;
    editor_clear(&view->words);
    view_dirty(ui);
}

static void allow(struct ui *ui, enum hv_ask_scope scope)
{
    static const char *const words[] = {
        [HV_ASK_ONCE] = "allowed once",
        [HV_ASK_SESSION] = "allowed for this session",
        [HV_ASK_LOCAL] = "allowed always",
        [HV_ASK_PROJECT] = "allowed always, in the project's settings",
        [HV_ASK_USER] = "allowed always, in your settings",
    };
    ui->question.asked->answer.outcome = HV_ASK_ANSWERED;
    ui->question.asked->answer.scope = scope;
    tell(ui, ui->question.asked->answer.input.len ? "allowed once, with another input" : words[scope],
         (struct hv_str){0});
    finish(ui);
}

static void refuse(struct ui *ui, struct hv_str words)
{
    ui->question.asked->answer.outcome = HV_ASK_REFUSED;
    ui->question.asked->answer.words = hv_arena_str(&ui->question.asked->arena, words);
    tell(ui, "no", words);
    finish(ui);
}

static void edit(struct ui *ui, enum question_state state, struct hv_str text)
{
    ui->question.state = state;
    editor_clear(&ui->question.words);
    editor_insert(&ui->question.words, text);
    view_draw(ui);
}

static void take_input(struct ui *ui, struct hv_str text)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *value;
    struct hv_error err;
    if (hv_json_parse(&arena, text, HV_JSON_STRICT, &value, &err) != HV_OK || value->type != HV_JSON_OBJECT) {
        view_note(ui, PAINT_BAD, "✗", HV_STR("the input must be a JSON object; it was not sent"));
        return;
    }
    ui->question.asked->answer.input = hv_arena_str(&ui->question.asked->arena, text);
    allow(ui, HV_ASK_ONCE);
}

static void take_rules(struct ui *ui, struct hv_str text)
{
    struct asked *asked = ui->question.asked;
    struct hv_str *rules = hv_arena_array(&asked->arena, struct hv_str, text.len + 1), line;
    size_t count = 0;
    while (text.len && hv_str_split(&text, '\n', &line))
        if (hv_str_trim(line).len)
            rules[count++] = hv_arena_str(&asked->arena, hv_str_trim(line));
    if (!count)
        return;
    asked->answer.rules = rules;
    asked->answer.rule_count = count;
    allow(ui, ui->question.scope);
}

static void take_field(struct ui *ui, struct hv_str text)
{
    struct question_view *view = &ui->question;
    const struct hv_question *question = view->question;
    if (!hv_ask_take_value(&question->fields[view->field], text, &view->writer)) {
        terminal_write(ui->terminal, HV_STR("\a"));
        return;
    }
    if (++view->field < question->field_count) {
        begin_field(ui);
        return;
    }
    hv_json_end_object(&view->writer);
    view->asked->answer.values = hv_arena_str(&view->asked->arena, hv_buf_str(&view->values));
    view->asked->answer.outcome = HV_ASK_ANSWERED;
    tell(ui, "answered", question->field_count == 1 ? text : HV_STR(""));
    finish(ui);
}

static void take_words(struct ui *ui)
{
    CLEANUP_BUF struct hv_buf text = {.max = EDITOR_TEXT_MAX};
    editor_text(&ui->question.words, &text);
    struct hv_str words = hv_str_trim(hv_buf_str(&text));
    switch (ui->question.state) {
    case QUESTION_WORDS: refuse(ui, words); break;
    case QUESTION_INPUT: take_input(ui, words); break;
    case QUESTION_RULE: take_rules(ui, words); break;
    case QUESTION_FIELD: take_field(ui, words); break;
    default: break;
    }
}

static void words_key(struct ui *ui, const struct key *key)
{
    struct question_view *view = &ui->question;
    bool leaves = key->type == KEY_ESCAPE || (key->type == KEY_CHAR && (key->modifiers & KEY_CTRL) && key->rune == 'c');
    if (leaves && view->state == QUESTION_FIELD)
        refuse(ui, (struct hv_str){0});
    else if (leaves)
        view->state = QUESTION_KEYS;
    else if (key->type == KEY_ENTER)
        take_words(ui);
    else if (key->type == KEY_TAB && view->state == QUESTION_RULE)
        view->scope = view->scope == HV_ASK_USER ? HV_ASK_SESSION : view->scope + 1;
    else
        editor_key(&view->words, key);
    view_draw(ui);
}

static void edit_rules(struct ui *ui)
{
    const struct hv_question *question = ui->question.question;
    CLEANUP_BUF struct hv_buf text = {.max = EDITOR_TEXT_MAX};
    for (size_t i = 0; i < question->rule_count; i++)
        hv_buf_addf(&text, "%s%.*s", i ? "\n" : "", HV_STR_ARG(question->rules[i]));
    ui->question.scope = HV_ASK_LOCAL;
    edit(ui, QUESTION_RULE, hv_buf_str(&text));
}

static void letter_key(struct ui *ui, uint32_t rune)
{
    struct question_view *view = &ui->question;
    bool rules = view->question->rule_count > 0;
    switch (rune) {
    case 'y':
    case 'Y': allow(ui, HV_ASK_ONCE); break;
    case 's':
    case 'S':
        if (rules)
            allow(ui, HV_ASK_SESSION);
        break;
    case 'a':
    case 'A':
        if (rules)
            allow(ui, HV_ASK_LOCAL);
        break;
    case 'n':
    case 'N': refuse(ui, (struct hv_str){0}); break;
    case 'w': edit(ui, QUESTION_WORDS, HV_STR("")); break;
    case 'e':
        if (view->question->input.len)
            edit(ui, QUESTION_INPUT, view->question->input);
        break;
    case 'r':
        if (rules)
            edit_rules(ui);
        break;
    case '?':
        view->state = view->state == QUESTION_EXPLAINED ? QUESTION_KEYS : QUESTION_EXPLAINED;
        view->scroll = 0;
        view_draw(ui);
        break;
    default: break;
    }
}

bool question_key(struct ui *ui, const struct key *key)
{
    struct question_view *view = &ui->question;
    if (!view->question || !view->shown)
        return false;
    if (!is_too_early(ui) && view->state != QUESTION_KEYS && view->state != QUESTION_EXPLAINED) {
        words_key(ui, key);
        return true;
    }
    if (is_too_early(ui)) {
        /* It goes on into the prompt that it was meant for; the guard begins anew. */
        begin_guard(ui);
        if (key->type != KEY_ESCAPE && key->type != KEY_ENTER && key->type != KEY_TAB)
            editor_key(&ui->editor, key);
        return true;
    }
    switch (key->type) {
    case KEY_UP: view->scroll -= view->scroll > 0; break;
    case KEY_DOWN: view->scroll++; break;
    case KEY_PAGE_UP: view->scroll -= view->scroll < ui->rows ? view->scroll : ui->rows; break;
    case KEY_PAGE_DOWN: view->scroll += ui->rows; break;
    case KEY_ESCAPE:
        refuse(ui, (struct hv_str){0});
        ui->interrupting = true;
        ui->front->interrupt(ui->front->user);
        return true;
    case KEY_CHAR:
        if (key->modifiers & (KEY_CTRL | KEY_ALT))
            return (key->modifiers & KEY_CTRL) && (key->rune == 'c' || key->rune == 'z') ? false : true;
        letter_key(ui, key->rune);
        return true;
    case KEY_PASTE: editor_key(&ui->editor, key); return true; /* no answer; kept for the prompt */
    default: return true;
    }
    view_draw(ui);
    return true;
}
