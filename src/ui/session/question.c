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

/* What does not change while it is open. */
static void make_rows(struct ui *ui)
{
    struct question_view *view = &ui->question;
    const struct ui_question *question = view->question;
    bool folded = false;
    hv_buf_clear(&view->rows);
    hv_buf_add_byte(&view->rows, '\n');
    paint_put(&ui->theme, PAINT_WARN, HV_STR("? "), &view->rows);
    paint_put(&ui->theme, PAINT_BOLD, question->tool, &view->rows);
    hv_buf_add_cstr(&view->rows, ": may this be done?\n");
    cards_put_blocks(ui, question->shown, false, &folded, &view->rows);
    put_named(ui, "why you are asked: ", question->reason, &view->rows);
    for (size_t i = 0; i < question->rule_count; i++)
        put_named(ui, i ? "  and: " : "rule for session and always: ", question->rules[i], &view->rows);
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

static void put_keys(struct ui *ui, struct hv_buf *out)
{
    const struct question_view *view = &ui->question;
    bool rules = view->question->rule_count > 0;
    if (is_too_early(ui)) {
        hv_buf_add_cstr(out, "(a moment: what was being typed is no answer)\n");
        return;
    }
    static const struct {
        const char *key, *what;
        bool rule, one;
    } keys[] = {
        {"y", "once", false, false},
        {"s", "this session", true, false},
        {"a", "always", true, false},
        {"r", "change the rule", true, true},
        {"n", "no", false, false},
        {"w", "no, with words", false, false},
        {"e", "change the input", false, false},
        {"?", "why", false, false},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if ((keys[i].rule && !rules) || (keys[i].one && view->question->rule_count != 1))
            continue;
        paint_put(&ui->theme, PAINT_ACCENT, hv_str_from(keys[i].key), out);
        hv_buf_addf(out, " %s  ", keys[i].what);
    }
    hv_buf_add_byte(out, '\n');
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

void question_put_rows(struct ui *ui, size_t most, struct hv_arena *arena, struct hv_buf *out)
{
    struct question_view *view = &ui->question;
    CLEANUP_BUF struct hv_buf body = {.max = VIEW_FRAME_MAX}, foot = {.max = VIEW_FRAME_MAX},
                              keys = {.max = VIEW_FRAME_MAX};
    (void)arena;
    put_wrapped(ui, hv_buf_str(&view->rows), &body);
    switch (view->state) {
    case QUESTION_KEYS: put_keys(ui, &keys); break;
    case QUESTION_EXPLAINED:
        put_wrapped(ui, view->question->explanation, &body);
        put_keys(ui, &keys);
        break;
    case QUESTION_WORDS: hv_buf_add_cstr(&keys, "What should it do instead? Enter sends it, Esc goes back.\n"); break;
    case QUESTION_INPUT: hv_buf_add_cstr(&keys, "The input, as JSON. Enter runs it so, Esc goes back.\n"); break;
    case QUESTION_RULE: hv_buf_add_cstr(&keys, "The rule. Enter saves it for always, Esc goes back.\n"); break;
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

void question_show(struct ui *ui)
{
    struct question_view *view = &ui->question;
    uint64_t now = clock_monotonic_ns();
    view->state = QUESTION_KEYS;
    view->scroll = 0;
    view->shown = true;
    view->was_typing = ui->last_key_ns && now - ui->last_key_ns < TYPING_MS * CLOCK_MILLISECOND;
    make_rows(ui);
    if (view->was_typing)
        begin_guard(ui);
    view_draw(ui);
    if (!ui->focused && ui->front->attention)
        ui->front->attention(ui->front->user, HV_STR("helve asks for permission"));
    terminal_write(ui->terminal, HV_STR("\a"));
}

/* ---- answering --------------------------------------------------------------------------------------------------- */

static void tell(struct ui *ui, const char *what, struct hv_str words)
{
    CLEANUP_BUF struct hv_buf line = {.max = VIEW_FRAME_MAX};
    const struct call_view *call = view_call(ui, ui->question.question->call_id);
    hv_buf_addf(&line, "%.*s ", HV_STR_ARG(ui->question.question->tool));
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

static void allow(struct ui *ui, enum ui_scope scope)
{
    static const char *const words[] = {"allowed once", "allowed for this session", "allowed always"};
    ui->question.asked->answer.allowed = true;
    ui->question.asked->answer.scope = scope;
    tell(ui, words[scope], (struct hv_str){0});
    finish(ui);
}

static void refuse(struct ui *ui, struct hv_str words)
{
    ui->question.asked->answer.allowed = false;
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
    ui->question.asked->answer.updated_input = hv_arena_str(&ui->question.asked->arena, text);
    allow(ui, UI_ONCE);
}

static void take_words(struct ui *ui)
{
    CLEANUP_BUF struct hv_buf text = {.max = EDITOR_TEXT_MAX};
    editor_text(&ui->question.words, &text);
    struct hv_str words = hv_str_trim(hv_buf_str(&text));
    if (ui->question.state == QUESTION_WORDS) {
        refuse(ui, words);
    } else if (ui->question.state == QUESTION_INPUT) {
        take_input(ui, words);
    } else if (words.len) {
        ui->question.asked->answer.rule = hv_arena_str(&ui->question.asked->arena, words);
        allow(ui, UI_ALWAYS);
    }
}

static void words_key(struct ui *ui, const struct key *key)
{
    if (key->type == KEY_ESCAPE)
        ui->question.state = QUESTION_KEYS;
    else if (key->type == KEY_ENTER)
        take_words(ui);
    else
        editor_key(&ui->question.words, key);
    view_draw(ui);
}

static void letter_key(struct ui *ui, uint32_t rune)
{
    struct question_view *view = &ui->question;
    bool rules = view->question->rule_count > 0;
    switch (rune) {
    case 'y':
    case 'Y': allow(ui, UI_ONCE); break;
    case 's':
    case 'S':
        if (rules)
            allow(ui, UI_SESSION);
        break;
    case 'a':
    case 'A':
        if (rules)
            allow(ui, UI_ALWAYS);
        break;
    case 'n':
    case 'N': refuse(ui, (struct hv_str){0}); break;
    case 'w': edit(ui, QUESTION_WORDS, HV_STR("")); break;
    case 'e': edit(ui, QUESTION_INPUT, view->question->input); break;
    case 'r':
        if (view->question->rule_count == 1)
            edit(ui, QUESTION_RULE, view->question->rules[0]);
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
    if (view->state == QUESTION_WORDS || view->state == QUESTION_INPUT || view->state == QUESTION_RULE) {
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
