/* actions.c: what keys do while no question is open: the prompt, its history and completions, commands, interrupting.
 */
#include "base/base64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "ui/session/view.h"

enum {
    DOUBLE_MS = 600,
    NEEDLE_MAX = 1000,
    COMPLETIONS_MAX = 64 << 10,
    WORD_MAX = 4096,
    ECHO_LINES = 40,
    ECHO_BYTES = 8 << 10
};

static struct hv_str copy(struct hv_str text)
{
    char *bytes = hv_malloc(text.len + 1);
    if (text.len)
        memcpy(bytes, text.ptr, text.len);
    return hv_str_of(bytes, text.len);
}

static void close_completions(struct ui *ui)
{
    hv_buf_clear(&ui->completions);
    ui->completes_file = false;
}

/* ---- prompts ----------------------------------------------------------------------------------------------------- */

/* What the person wrote, set off; it stands in the scroll-back as it was written, a very long one by its beginning. */
void actions_echo(struct ui *ui, const char *mark, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf lines = {.max = VIEW_FINISHED_MAX};
    struct hv_str begin = hv_str_slice(text, 0, ECHO_BYTES), line;
    begin.len -= begin.len < text.len ? utf8_incomplete_tail(begin) : 0;
    size_t rest = text.len - begin.len;
    for (size_t count = 0; count < ECHO_LINES && paint_next_line(&begin, &line); count++) {
        paint_put(&ui->theme, PAINT_ACCENT, count ? HV_STR(" ") : hv_str_from(mark), &lines);
        hv_buf_add_byte(&lines, ' ');
        paint_put(&ui->theme, PAINT_BOLD, line, &lines);
        hv_buf_add_byte(&lines, '\n');
    }
    rest += begin.len;
    if (rest) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        paint_put(&ui->theme, PAINT_DIM, hv_arena_format(&arena, "  … and %zu more bytes", rest), &lines);
        hv_buf_add_byte(&lines, '\n');
    }
    view_print(ui, hv_buf_str(&lines));
}

static void begin_turn(struct ui *ui, struct hv_str prompt)
{
    struct hv_error err;
    ui->turn_running = true;
    ui->interrupting = false;
    ui->turn_tokens = 0;
    ui->turn_started_ns = clock_monotonic_ns();
    if (ui->front->submit(ui->front->user, prompt, &err) != HV_OK) {
        ui->turn_running = false;
        view_note(ui, PAINT_BAD, "✗", hv_str_from(err.message));
        if (err.hint[0])
            view_note(ui, PAINT_DIM, " ", hv_str_from(err.hint));
    }
    view_start_tick(ui);
}

static void submit(struct ui *ui, struct hv_str prompt)
{
    actions_echo(ui, ">", prompt);
    begin_turn(ui, prompt);
}

/* The person has seen the command that made it. */
void actions_submit_made(struct ui *ui, struct hv_str prompt)
{
    if (ui->turn_running)
        *vec_push(&ui->queued) = copy(prompt);
    else
        begin_turn(ui, prompt);
}

void actions_submit_next(struct ui *ui)
{
    if (ui->turn_running || !ui->queued.count || ui->told_quit)
        return;
    struct hv_str next = ui->queued.items[0];
    memmove(ui->queued.items, ui->queued.items + 1, --ui->queued.count * sizeof next);
    submit(ui, next);
    free((void *)next.ptr);
}

bool actions_take_queued(struct ui *ui, struct hv_buf *text)
{
    bool any = ui->queued.count > 0;
    for (size_t i = 0; i < ui->queued.count; i++) {
        struct hv_str message = ui->queued.items[i];
        actions_echo(ui, ">", message);
        hv_buf_addf(text, "%s%.*s", i ? "\n\n" : "", HV_STR_ARG(message));
        free((void *)message.ptr);
    }
    ui->queued.count = 0;
    view_dirty(ui);
    return any;
}

/* ---- copying ----------------------------------------------------------------------------------------------------- */

/* The last code block of a text; absent: it has none. */
static struct hv_str last_code(struct hv_str text)
{
    struct hv_str rest = text, line, code = {0};
    size_t start = SIZE_MAX;
    while (paint_next_line(&rest, &line)) {
        if (!hv_str_starts(hv_str_trim(line), HV_STR("```")))
            continue;
        size_t from = (size_t)(line.ptr - text.ptr);
        if (start == SIZE_MAX) {
            start = from + line.len + 1;
        } else {
            code = hv_str_slice(text, start < from ? start : from, from);
            start = SIZE_MAX;
        }
    }
    return code;
}

/* The last answer as the model wrote it, or its last code block, into the terminal's clipboard (OSC 52). */
static void copy_answer(struct ui *ui, struct hv_str arguments)
{
    enum { COPY_MAX = 100000 };
    CLEANUP_BUF struct hv_buf data = {.max = 2 * COPY_MAX}, bytes = {.max = 6 * COPY_MAX};
    bool code = hv_str_is(arguments, "code");
    if (arguments.len && !code) {
        view_note(ui, PAINT_WARN, "!", HV_STR("/copy takes the last answer, /copy code its last code"));
        return;
    }
    struct hv_str text = hv_str_trim(hv_buf_str(&ui->last_answer));
    text = code ? last_code(text) : text;
    if (!text.len || text.len > COPY_MAX) {
        view_note(ui, PAINT_WARN, "!",
                  text.len ? HV_STR("it is too long for the terminal's clipboard (100 kB); /export writes a file")
                  : code   ? HV_STR("the last answer has no code block")
                           : HV_STR("there is no answer yet"));
        return;
    }
    base64_encode(&data, text, BASE64_STANDARD);
    hv_buf_addf(&bytes, "\033]52;c;%.*s\a", HV_STR_ARG(hv_buf_str(&data)));
    if (getenv("TMUX")) /* to the terminal around it, where it lets that pass */
        hv_buf_addf(&bytes, "\033Ptmux;\033\033]52;c;%.*s\a\033\\", HV_STR_ARG(hv_buf_str(&data)));
    terminal_write(ui->terminal, hv_buf_str(&bytes));
    CLEANUP_ARENA struct hv_arena arena = {0};
    view_note(ui, PAINT_DIM, "·", hv_arena_format(&arena, "copied %zu bytes", text.len));
}

static void quit(struct ui *ui, int signal)
{
    if (ui->told_quit)
        return;
    ui->told_quit = true;
    ui->front->quit(ui->front->user, signal);
}

static void run_command(struct ui *ui, struct hv_str line)
{
    CLEANUP_BUF struct hv_buf out = {.max = VIEW_FINISHED_MAX}, prompt = {.max = EDITOR_TEXT_MAX};
    size_t blank = hv_str_find_byte(line, ' ', 0);
    struct hv_str name = hv_str_slice(line, 1, blank);
    struct hv_str arguments = blank == SIZE_MAX ? HV_STR("") : hv_str_trim(hv_str_slice(line, blank, line.len));
    actions_echo(ui, ">", line);
    if (hv_str_is(name, "quit") || hv_str_is(name, "exit")) {
        quit(ui, 0);
        return;
    }
    if (hv_str_is(name, "copy")) {
        copy_answer(ui, arguments);
        return;
    }
    ui->front->command(ui->front->user, name, arguments, &out, &prompt);
    if (out.len)
        view_print_markdown(ui, hv_buf_str(&out));
    if (prompt.len)
        actions_submit_made(ui, hv_buf_str(&prompt));
}

static void run_shell(struct ui *ui, struct hv_str command)
{
    struct hv_error err;
    actions_echo(ui, "!", command);
    if (ui->front->shell(ui->front->user, command, &err) != HV_OK)
        view_note(ui, PAINT_BAD, "✗", hv_str_from(err.message));
    view_start_tick(ui);
}

static void take_note(struct ui *ui, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf out = {.max = VIEW_FINISHED_MAX};
    actions_echo(ui, "#", text);
    ui->front->note(ui->front->user, text, &out);
    view_print_markdown(ui, hv_buf_str(&out));
}

/* "#note", "##note" for one's own; a heading of a longer text is none. */
static bool is_note(const struct ui *ui, struct hv_str text)
{
    return ui->front->note && text.len > 1 && text.ptr[0] == '#' && hv_str_find_byte(text, '\n', 0) == SIZE_MAX &&
           hv_str_trim(hv_str_slice(text, text.ptr[1] == '#' ? 2 : 1, text.len)).len;
}

/* "/name" or "/name arguments" on one line; a path is none. */
static bool is_command(struct hv_str text)
{
    if (text.len < 2 || text.ptr[0] != '/' || hv_str_find_byte(text, '\n', 0) != SIZE_MAX)
        return false;
    struct hv_str name = hv_str_slice(text, 1, hv_str_find_byte(text, ' ', 0));
    return name.len && hv_str_find_byte(name, '/', 0) == SIZE_MAX;
}

static void take_prompt(struct ui *ui)
{
    CLEANUP_BUF struct hv_buf text = {.max = EDITOR_TEXT_MAX};
    editor_text(&ui->editor, &text);
    struct hv_str prompt = hv_str_trim(hv_buf_str(&text));
    if (!prompt.len)
        return;
    editor_remember(&ui->editor, prompt);
    ui->front->remember(ui->front->user, prompt);
    editor_clear(&ui->editor);
    close_completions(ui);
    if (is_command(prompt)) {
        run_command(ui, prompt);
    } else if (prompt.len == 1 && (prompt.ptr[0] == '!' || prompt.ptr[0] == '#')) {
        view_note(ui, PAINT_WARN, "!", HV_STR("!command runs a command, #note writes a note"));
    } else if (prompt.ptr[0] == '!' && prompt.len > 1) {
        run_shell(ui, hv_str_trim(hv_str_slice(prompt, 1, prompt.len)));
    } else if (is_note(ui, prompt)) {
        take_note(ui, hv_str_trim(hv_str_slice(prompt, 1, prompt.len)));
    } else if (ui->turn_running) {
        *vec_push(&ui->queued) = copy(prompt);
    } else {
        submit(ui, prompt);
    }
}

/* A queued message comes back into the prompt. */
static bool take_back(struct ui *ui)
{
    if (!ui->queued.count || ui->editor.text.len)
        return false;
    struct hv_str last = ui->queued.items[--ui->queued.count];
    editor_set(&ui->editor, last);
    free((void *)last.ptr);
    return true;
}

/* ---- completion -------------------------------------------------------------------------------------------------- */

/* The name of a command that a line of the list offers. */
static struct hv_str offered_command(struct hv_str line)
{
    return hv_str_slice(line, 1, hv_str_find_byte(line, ' ', 0));
}

/* Who has typed a whole name means that command, not a longer one that comes first ("/mode", "/model"). */
static size_t find_whole_name(struct hv_str lines, struct hv_str name)
{
    struct hv_str line;
    for (size_t i = 0; paint_next_line(&lines, &line); i++)
        if (hv_str_eq(offered_command(line), name))
            return i;
    return 0;
}

static void complete_commands(struct ui *ui, struct hv_str prefix)
{
    for (const struct ui_command *command = ui->front->commands; command->name; command++)
        if (hv_str_starts(hv_str_from(command->name), prefix))
            hv_buf_addf(&ui->completions, "/%s%s%s  %s\n", command->name, command->arguments[0] ? " " : "",
                        command->arguments, command->summary);
    if (ui->front->complete_command)
        ui->front->complete_command(ui->front->user, prefix, &ui->completions);
    ui->completion = find_whole_name(hv_buf_str(&ui->completions), prefix);
}

/* @"name with blanks" */
static bool is_quoted(struct hv_str word)
{
    return hv_str_starts(word, HV_STR("@\""));
}

/* Where the word at the end of a text begins; a quote that is still open holds blanks, too. */
static size_t find_word(struct hv_str text)
{
    size_t start = text.len, quote = text.len;
    while (start > 0 && text.len - start < WORD_MAX && text.ptr[start - 1] != ' ' && text.ptr[start - 1] != '\n')
        start--;
    while (quote > 0 && text.len - quote < WORD_MAX && text.ptr[quote - 1] != '"' && text.ptr[quote - 1] != '\n')
        quote--;
    bool is_open = quote > 1 && text.ptr[quote - 1] == '"' && text.ptr[quote - 2] == '@' &&
                   (quote == 2 || text.ptr[quote - 3] == ' ' || text.ptr[quote - 3] == '\n');
    return is_open ? quote - 2 : start;
}

/* What stands before the caret is the beginning of a command or of a file's name. */
static void find_completions(struct ui *ui)
{
    struct hv_str text = hv_str_slice(hv_buf_str(&ui->editor.text), 0, ui->editor.caret);
    close_completions(ui);
    ui->completion = 0;
    if (!ui->editor.text.len || ui->editor.history_at != ui->editor.history.count)
        return;
    size_t start = find_word(text);
    struct hv_str word = hv_str_slice(text, start, text.len);
    ui->completion_from = start;
    if (start == 0 && word.len && word.ptr[0] == '/' && hv_str_find_byte(word, '/', 1) == SIZE_MAX)
        complete_commands(ui, hv_str_slice(word, 1, word.len));
    ui->completes_file = word.len && word.ptr[0] == '@' && ui->front->complete_file;
    if (ui->completes_file)
        ui->front->complete_file(ui->front->user, hv_str_slice(word, is_quoted(word) ? 2 : 1, word.len),
                                 &ui->completions);
}

/* What is chosen stays chosen. */
void actions_files_changed(struct ui *ui)
{
    CLEANUP_BUF struct hv_buf before = {.max = COMPLETIONS_MAX};
    struct hv_str rest = hv_buf_str(&ui->completions), line, chosen = {0};
    if (!ui->completes_file)
        return;
    for (size_t i = 0; i <= ui->completion && paint_next_line(&rest, &line); i++)
        chosen = line;
    hv_buf_add_str(&before, ui->completion ? chosen : HV_STR(""));
    find_completions(ui);
    rest = hv_buf_str(&ui->completions);
    for (size_t i = 0; before.len && paint_next_line(&rest, &line); i++)
        if (hv_str_eq(line, hv_buf_str(&before)))
            ui->completion = i;
    view_dirty(ui);
}

static size_t count_completions(const struct ui *ui)
{
    size_t count = 0;
    struct hv_str rest = hv_buf_str(&ui->completions), line;
    while (paint_next_line(&rest, &line))
        count++;
    return count;
}

/* "@name ", quoted where it has blanks; in a folder it goes on. */
static void put_file_word(struct hv_str name, bool quote, struct hv_buf *text)
{
    quote = quote || hv_str_find_byte(name, ' ', 0) != SIZE_MAX;
    hv_buf_addf(text, "@%s%.*s", quote ? "\"" : "", HV_STR_ARG(name));
    if (!hv_str_ends(name, HV_STR("/")))
        hv_buf_add_cstr(text, quote ? "\" " : " ");
}

/* Put the chosen one in; false: there is none, or it stands there already. */
static bool accept_completion(struct ui *ui)
{
    struct hv_str rest = hv_buf_str(&ui->completions), line = {0};
    for (size_t i = 0; i <= ui->completion; i++)
        if (!paint_next_line(&rest, &line))
            return false;
    bool command = line.len && line.ptr[0] == '/';
    struct hv_str word = command ? hv_str_slice(line, 0, hv_str_find_byte(line, ' ', 0)) : line;
    struct hv_str present = hv_str_slice(hv_buf_str(&ui->editor.text), ui->completion_from, ui->editor.caret);
    if (hv_str_eq(command ? present : hv_str_slice(present, is_quoted(present) ? 2 : 1, present.len), word)) {
        close_completions(ui);
        return false;
    }
    CLEANUP_BUF struct hv_buf text = {.max = COMPLETIONS_MAX};
    if (command)
        hv_buf_addf(&text, "%.*s ", HV_STR_ARG(word));
    else
        put_file_word(word, is_quoted(present), &text);
    editor_replace(&ui->editor, ui->completion_from, ui->editor.caret, hv_buf_str(&text));
    find_completions(ui);
    return true;
}

static bool completion_key(struct ui *ui, const struct key *key)
{
    size_t count = count_completions(ui);
    if (!count)
        return false;
    switch (key->type) {
    case KEY_UP: ui->completion = ui->completion ? ui->completion - 1 : count - 1; return true;
    case KEY_DOWN: ui->completion = (ui->completion + 1) % count; return true;
    case KEY_TAB: return !(key->modifiers & KEY_SHIFT) && (accept_completion(ui), true);
    case KEY_ENTER: return !key->modifiers && accept_completion(ui);
    case KEY_ESCAPE: close_completions(ui); return true;
    default: return false;
    }
}

/* ---- searching the history --------------------------------------------------------------------------------------- */

static void search(struct ui *ui, size_t before)
{
    size_t found = editor_find(&ui->editor, hv_buf_str(&ui->needle), before);
    if (found != SIZE_MAX || before == SIZE_MAX)
        ui->found = found;
}

static void end_search(struct ui *ui, bool take)
{
    ui->searching = false;
    if (take && ui->found != SIZE_MAX)
        editor_set(&ui->editor, ui->editor.history.items[ui->found]);
}

static void search_key(struct ui *ui, const struct key *key)
{
    char bytes[4];
    if (key->type == KEY_CHAR && (key->modifiers & KEY_CTRL)) {
        if (key->rune == 'r')
            search(ui, ui->found == SIZE_MAX ? SIZE_MAX : ui->found);
        else
            end_search(ui, key->rune != 'c' && key->rune != 'g');
    } else if (key->type == KEY_CHAR) {
        hv_buf_add(&ui->needle, bytes, utf8_encode(bytes, key->rune));
        search(ui, SIZE_MAX);
    } else if (key->type == KEY_BACKSPACE) {
        while (ui->needle.len && ((unsigned char)ui->needle.data[ui->needle.len - 1] & 0xc0) == 0x80)
            ui->needle.len--;
        ui->needle.len -= ui->needle.len > 0;
        search(ui, SIZE_MAX);
    } else {
        end_search(ui, key->type != KEY_ESCAPE);
    }
}

/* ---- other keys -------------------------------------------------------------------------------------------------- */

static void unfold(struct ui *ui)
{
    CLEANUP_BUF struct hv_buf out = {.max = VIEW_FINISHED_MAX};
    bool folded;
    if (ui->unfold_at >= ui->kept.count) {
        ui->unfold_at = 0;
        if (!ui->kept.count)
            return;
    }
    const struct kept_result *kept = ui->kept.items[ui->kept.count - 1 - ui->unfold_at++];
    hv_buf_add_str(&out, kept->head);
    cards_put_blocks(ui, kept->show, false, &folded, &out);
    if (kept->diff.len)
        cards_put_diff(ui, kept->diff, SIZE_MAX - 1, &folded, &out);
    view_print(ui, hv_buf_str(&out));
}

static void edit_elsewhere(struct ui *ui)
{
    CLEANUP_BUF struct hv_buf text = {.max = EDITOR_TEXT_MAX}, edited = {.max = EDITOR_TEXT_MAX},
                              erase = {.max = VIEW_FRAME_MAX};
    struct hv_error err = {0};
    editor_text(&ui->editor, &text);
    screen_erase(&ui->screen, ui->columns, &erase);
    terminal_write(ui->terminal, hv_buf_str(&erase));
    terminal_lend(ui->terminal);
    bool changed = ui->front->edit(ui->front->user, hv_buf_str(&text), &edited, &err);
    terminal_take_back(ui->terminal);
    if (changed)
        editor_set(&ui->editor, hv_str_trim(hv_buf_str(&edited)));
    else if (err.message[0])
        view_note(ui, PAINT_BAD, "✗", hv_str_from(err.message));
}

/* A turn, or a command of the person's. */
static bool is_busy(const struct ui *ui)
{
    return ui->turn_running || ui->calls.count;
}

static void interrupt(struct ui *ui)
{
    ui->interrupting = ui->turn_running;
    ui->front->interrupt(ui->front->user);
}

/* An empty screen with the prompt at its top; what stood there is in the scroll-back. */
static void clear_screen(struct ui *ui)
{
    CLEANUP_BUF struct hv_buf bytes = {.max = VIEW_FRAME_MAX};
    screen_erase(&ui->screen, ui->columns, &bytes);
    for (size_t i = 0; i < ui->rows; i++)
        hv_buf_add_byte(&bytes, '\n');
    hv_buf_add_cstr(&bytes, "\033[H");
    terminal_write(ui->terminal, hv_buf_str(&bytes));
}

static void escape_key(struct ui *ui)
{
    uint64_t now = clock_monotonic_ns();
    bool twice = ui->last_escape_ns && now - ui->last_escape_ns < DOUBLE_MS * CLOCK_MILLISECOND;
    ui->last_escape_ns = twice ? 0 : now;
    if (is_busy(ui))
        interrupt(ui);
    else if (twice && !ui->editor.text.len)
        run_command(ui, HV_STR("/rewind"));
    else if (twice)
        editor_set(&ui->editor, HV_STR(""));
}

/* On a text: it goes, and Up brings it back. On none: the turn; then, twice, the session. */
static void control_c(struct ui *ui)
{
    uint64_t now = clock_monotonic_ns();
    if (ui->editor.text.len) {
        CLEANUP_BUF struct hv_buf text = {.max = EDITOR_TEXT_MAX};
        editor_text(&ui->editor, &text);
        editor_remember(&ui->editor, hv_buf_str(&text));
        editor_clear(&ui->editor);
        close_completions(ui);
        return;
    }
    if (is_busy(ui)) {
        interrupt(ui);
        return;
    }
    if (ui->last_escape_ns && now - ui->last_escape_ns < 3 * DOUBLE_MS * CLOCK_MILLISECOND) {
        quit(ui, 0);
        return;
    }
    ui->last_escape_ns = now;
    view_note(ui, PAINT_DIM, "·", HV_STR("Ctrl-C again, or /quit, ends the session"));
}

/* False: nothing runs that could go there. */
static bool send_to_background(struct ui *ui)
{
    return ui->calls.count && ui->front->send_to_background && ui->front->send_to_background(ui->front->user);
}

static bool control_key(struct ui *ui, uint32_t rune)
{
    switch (rune) {
    case 'c': control_c(ui); return true;
    case 'd':
        if (ui->editor.text.len)
            return false;
        quit(ui, 0);
        return true;
    case 'b': return send_to_background(ui); /* else it is Emacs' */
    case 'o': unfold(ui); return true;
    case 'g': edit_elsewhere(ui); return true;
    case 'l': clear_screen(ui); return true;
    case 'r':
        ui->searching = true;
        hv_buf_clear(&ui->needle);
        ui->found = SIZE_MAX;
        return true;
    default: return false;
    }
}

static void plain_key(struct ui *ui, const struct key *key)
{
    if (completion_key(ui, key))
        return;
    if (key->type == KEY_ENTER && !key->modifiers) {
        /* A backslash before it makes a new line, for terminals that cannot tell Shift-Enter. */
        if (ui->editor.caret && ui->editor.text.data[ui->editor.caret - 1] == '\\')
            editor_replace(&ui->editor, ui->editor.caret - 1, ui->editor.caret, HV_STR("\n"));
        else
            take_prompt(ui);
        return;
    }
    if (key->type == KEY_ENTER)
        editor_insert(&ui->editor, HV_STR("\n"));
    else if (key->type == KEY_TAB && (key->modifiers & KEY_SHIFT))
        ui->front->next_mode(ui->front->user);
    else if (key->type == KEY_ESCAPE)
        escape_key(ui);
    else if (key->type == KEY_UP && take_back(ui))
        return;
    else if (!(key->type == KEY_CHAR && (key->modifiers & KEY_CTRL) && control_key(ui, key->rune)) &&
             editor_key(&ui->editor, key))
        find_completions(ui);
}

void actions_key(struct ui *ui, const struct key *key)
{
    switch (key->type) {
    case KEY_FOCUS_IN: ui->focused = true; return;
    case KEY_FOCUS_OUT: ui->focused = false; return;
    case KEY_REPLY_KITTY: terminal_use_kitty(ui->terminal); return;
    case KEY_REPLY_SYNC: ui->screen.synchronised = true; return;
    case KEY_REPLY_CURSOR: view_answered(ui, (size_t)key->column); return;
    case KEY_REPLY_SIXELS: ui->has_sixels = true; return;
    case KEY_REPLY_BACKGROUND: appearance_background(ui, key->rune); break;
    case KEY_NONE:
    case KEY_REPLY_OTHER: return;
    default: break;
    }
    bool taken = question_key(ui, key);
    ui->last_key_ns = clock_monotonic_ns();
    if (!taken && key->type == KEY_CHAR && (key->modifiers & KEY_CTRL) && key->rune == 'z') {
        terminal_suspend(ui->terminal);
        return;
    }
    if (!taken && picker_key(ui, key))
        taken = true;
    if (!taken && ui->searching)
        search_key(ui, key);
    else if (!taken)
        plain_key(ui, key);
    view_dirty(ui);
}
