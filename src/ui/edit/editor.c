/* editor.c: see editor.h. */
#include "ui/edit/editor.h"

#include "base/cleanup.h"
#include "base/utf8.h"
#include "ui/text/cluster.h"

enum { UNDO_MAX = 200, KILLS_MAX = 30, HISTORY_MAX = 1000, CHIP_LINES = 10, CHIP_BYTES = 1000 };
enum { UNDO_BYTES_MAX = 32 << 20, LONG_TEXT = 64 << 10 };

static struct hv_str copy(struct hv_str text)
{
    char *bytes = hv_malloc(text.len + 1);
    if (text.len)
        memcpy(bytes, text.ptr, text.len);
    bytes[text.len] = '\0';
    return hv_str_of(bytes, text.len);
}

static struct hv_str view(const struct editor *editor)
{
    return hv_buf_str(&editor->text);
}

void editor_init(struct editor *editor)
{
    *editor = (struct editor){.goal = SIZE_MAX};
    hv_buf_init(&editor->text, EDITOR_TEXT_MAX);
}

static void drop_states(struct editor_state *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((void *)items[i].text.ptr);
}

static void drop_texts(struct hv_str *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((void *)items[i].ptr);
}

void editor_release(struct editor *editor)
{
    drop_states(editor->undo.items, editor->undo.count);
    drop_states(editor->redo.items, editor->redo.count);
    drop_texts(editor->kills.items, editor->kills.count);
    drop_texts(editor->pastes.items, editor->pastes.count);
    drop_texts(editor->history.items, editor->history.count);
    vec_release(&editor->undo);
    vec_release(&editor->redo);
    vec_release(&editor->kills);
    vec_release(&editor->pastes);
    vec_release(&editor->history);
    free((void *)editor->draft.ptr);
    hv_buf_release(&editor->text);
}

/* ---- undo -------------------------------------------------------------------------------------------------------- */

static void drop_oldest(struct editor *editor)
{
    free((void *)editor->undo.items[0].text.ptr);
    memmove(editor->undo.items, editor->undo.items + 1, --editor->undo.count * sizeof *editor->undo.items);
}

static void save(struct editor *editor)
{
    size_t bytes = editor->text.len;
    for (size_t i = 0; i < editor->undo.count; i++)
        bytes += editor->undo.items[i].text.len;
    while (editor->undo.count && (editor->undo.count == UNDO_MAX || bytes > UNDO_BYTES_MAX)) {
        bytes -= editor->undo.items[0].text.len;
        drop_oldest(editor);
    }
    *vec_push(&editor->undo) = (struct editor_state){copy(view(editor)), editor->caret};
    editor->saved_len = editor->text.len;
    drop_states(editor->redo.items, editor->redo.count);
    editor->redo.count = 0;
}

static void restore(struct editor *editor, struct editor_state state)
{
    hv_buf_clear(&editor->text);
    hv_buf_add_str(&editor->text, state.text);
    editor->caret = state.caret;
    free((void *)state.text.ptr);
}

static void undo(struct editor *editor)
{
    if (!editor->undo.count)
        return;
    *vec_push(&editor->redo) = (struct editor_state){copy(view(editor)), editor->caret};
    restore(editor, editor->undo.items[--editor->undo.count]);
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

/* Without a step of undo. The text may be a part of the editor's. Too long: nothing is changed. */
static void splice(struct editor *editor, size_t from, size_t to, struct hv_str text)
{
    struct hv_buf *buf = &editor->text;
    size_t kept = buf->len - (to - from);
    if (text.len > EDITOR_TEXT_MAX - kept)
        return;
    struct hv_str own = copy(text);
    if (kept + own.len > buf->len)
        hv_buf_reserve(buf, kept + own.len - buf->len);
    if (buf->data) {
        memmove(buf->data + from + own.len, buf->data + to, buf->len - to);
        memcpy(buf->data + from, own.ptr, own.len);
    }
    buf->len = kept + own.len;
    free((void *)own.ptr);
    editor->caret = from + text.len;
    editor->goal = SIZE_MAX;
}

void editor_replace(struct editor *editor, size_t from, size_t to, struct hv_str text)
{
    save(editor);
    splice(editor, from, to, text);
    editor->typed = EDITOR_NOT_TYPING;
}

void editor_insert(struct editor *editor, struct hv_str text)
{
    /* Each step is a copy of all: in a long text one is a part of it, not a word. */
    size_t len = editor->text.len;
    bool part = editor->typed == EDITOR_BETWEEN_WORDS && len > LONG_TEXT && len < editor->saved_len + len / 16;
    if (editor->typed != EDITOR_IN_WORD && !part)
        save(editor);
    splice(editor, editor->caret, editor->caret, text);
    editor->typed = hv_str_is(text, " ") || hv_str_is(text, "\n") ? EDITOR_BETWEEN_WORDS : EDITOR_IN_WORD;
}

void editor_set(struct editor *editor, struct hv_str text)
{
    save(editor);
    splice(editor, 0, editor->text.len, text);
    editor->typed = EDITOR_NOT_TYPING;
}

void editor_clear(struct editor *editor)
{
    hv_buf_clear(&editor->text);
    editor->caret = 0;
    editor->typed = EDITOR_NOT_TYPING;
    editor->killed = editor->yanked = false;
    editor->goal = SIZE_MAX;
    drop_states(editor->undo.items, editor->undo.count);
    drop_states(editor->redo.items, editor->redo.count);
    editor->undo.count = editor->redo.count = 0;
    drop_texts(editor->pastes.items, editor->pastes.count);
    editor->pastes.count = 0;
    editor->history_at = editor->history.count;
}

/* ---- pastes ------------------------------------------------------------------------------------------------------ */

/* A paste is text: what is no UTF-8, escapes and controls in it act as nothing and stay visible to the model as what
 * they are, but for line ends, which become newlines, and characters that would pass for chips. */
static void clean_paste(struct hv_str text, struct hv_buf *out)
{
    for (size_t at = 0; at < text.len;) {
        uint32_t rune;
        size_t len = utf8_decode(text, at, &rune);
        if (rune == '\r') {
            hv_buf_add_byte(out, '\n');
            if (at + 1 < text.len && text.ptr[at + 1] == '\n')
                at++;
        } else if (rune == UTF8_INVALID || (rune >= EDITOR_CHIP_FIRST && rune < EDITOR_CHIP_FIRST + EDITOR_CHIPS_MAX)) {
            hv_buf_add_cstr(out, UTF8_REPLACEMENT);
        } else if (rune != 0) {
            hv_buf_add(out, text.ptr + at, len);
        }
        at += len;
    }
}

static size_t count_lines(struct hv_str text)
{
    size_t count = 1;
    for (size_t at = 0; (at = hv_str_find_byte(text, '\n', at)) != SIZE_MAX; at++)
        count++;
    return count;
}

void editor_paste(struct editor *editor, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf clean = {0};
    hv_buf_init(&clean, (size_t)KEYS_PASTE_MAX * 3);
    clean_paste(text, &clean);
    struct hv_str paste = hv_buf_str(&clean);
    editor->typed = EDITOR_NOT_TYPING;
    if ((paste.len < CHIP_BYTES && count_lines(paste) <= CHIP_LINES) || editor->pastes.count == EDITOR_CHIPS_MAX) {
        editor_insert(editor, paste);
        editor->typed = EDITOR_NOT_TYPING;
        return;
    }
    char chip[4];
    size_t len = utf8_encode(chip, EDITOR_CHIP_FIRST + (uint32_t)editor->pastes.count);
    *vec_push(&editor->pastes) = copy(paste);
    editor_insert(editor, hv_str_of(chip, len));
    editor->typed = EDITOR_NOT_TYPING;
}

static const struct hv_str *paste_of(const struct editor *editor, uint32_t rune)
{
    bool is_chip = rune >= EDITOR_CHIP_FIRST && rune != UTF8_INVALID && rune - EDITOR_CHIP_FIRST < editor->pastes.count;
    return is_chip ? &editor->pastes.items[rune - EDITOR_CHIP_FIRST] : NULL;
}

bool editor_chip(const struct editor *editor, uint32_t rune, struct hv_buf *out)
{
    const struct hv_str *paste = paste_of(editor, rune);
    if (!paste)
        return false;
    size_t lines = count_lines(*paste);
    hv_buf_addf(out, "[paste %u: %zu line%s]", rune - EDITOR_CHIP_FIRST + 1, lines, lines == 1 ? "" : "s");
    return true;
}

void editor_text(const struct editor *editor, struct hv_buf *out)
{
    struct hv_str text = view(editor);
    for (size_t at = 0; at < text.len;) {
        uint32_t rune;
        size_t len = utf8_decode(text, at, &rune);
        const struct hv_str *paste = paste_of(editor, rune);
        hv_buf_add_str(out, paste ? *paste : hv_str_slice(text, at, at + len));
        at += len;
    }
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static size_t line_start(const struct editor *editor, size_t at)
{
    size_t newline = hv_str_rfind_byte(hv_str_slice(view(editor), 0, at), '\n');
    return newline == SIZE_MAX ? 0 : newline + 1;
}

static size_t line_end(const struct editor *editor, size_t at)
{
    size_t newline = hv_str_find_byte(view(editor), '\n', at);
    return newline == SIZE_MAX ? editor->text.len : newline;
}

static size_t next_at(const struct editor *editor, size_t at)
{
    unsigned width;
    return at < editor->text.len ? at + cluster_next(view(editor), at, &width) : at;
}

static size_t previous_at(const struct editor *editor, size_t at)
{
    return at > 0 ? cluster_before(view(editor), at) : 0;
}

static bool is_word(const struct editor *editor, size_t at)
{
    unsigned char byte = (unsigned char)editor->text.data[at];
    return byte >= 0x80 || (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static size_t word_end(const struct editor *editor, size_t at)
{
    while (at < editor->text.len && !is_word(editor, at))
        at = next_at(editor, at);
    while (at < editor->text.len && is_word(editor, at))
        at = next_at(editor, at);
    return at;
}

static size_t word_start(const struct editor *editor, size_t at)
{
    while (at > 0 && !is_word(editor, previous_at(editor, at)))
        at = previous_at(editor, at);
    while (at > 0 && is_word(editor, previous_at(editor, at)))
        at = previous_at(editor, at);
    return at;
}

/* As Ctrl-W does: up to the blank before it. */
static size_t blank_word_start(const struct editor *editor, size_t at)
{
    const char *text = editor->text.data;
    while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\n'))
        at--;
    while (at > 0 && text[at - 1] != ' ' && text[at - 1] != '\n')
        at--;
    return at;
}

static void move(struct editor *editor, size_t to)
{
    editor->caret = to;
    editor->goal = SIZE_MAX;
}

/* One line up or down, in the column that the walk began in. False at the first or last line. */
static bool move_line(struct editor *editor, bool up)
{
    size_t start = line_start(editor, editor->caret), end = line_end(editor, editor->caret);
    if (up ? start == 0 : end == editor->text.len)
        return false;
    if (editor->goal == SIZE_MAX)
        editor->goal = cluster_width(hv_str_slice(view(editor), start, editor->caret));
    size_t at = up ? line_start(editor, start - 1) : end + 1;
    size_t stop = line_end(editor, at), cells = 0;
    while (at < stop && cells < editor->goal) {
        unsigned width;
        at += cluster_next(view(editor), at, &width);
        cells += width;
    }
    editor->caret = at < stop ? at : stop;
    return true;
}

/* ---- killing ----------------------------------------------------------------------------------------------------- */

static void kill(struct editor *editor, size_t from, size_t to, bool backwards)
{
    if (from == to)
        return;
    struct hv_str gone = hv_str_slice(view(editor), from, to);
    if (editor->killed && editor->kills.count) {
        struct hv_str *last = &editor->kills.items[editor->kills.count - 1];
        char *joined = hv_malloc(last->len + gone.len + 1);
        struct hv_str first = backwards ? gone : *last, second = backwards ? *last : gone;
        memcpy(joined, first.ptr, first.len);
        memcpy(joined + first.len, second.ptr, second.len);
        size_t len = first.len + second.len;
        free((void *)last->ptr);
        *last = hv_str_of(joined, len);
    } else {
        if (editor->kills.count == KILLS_MAX) {
            free((void *)editor->kills.items[0].ptr);
            memmove(editor->kills.items, editor->kills.items + 1, --editor->kills.count * sizeof *editor->kills.items);
        }
        *vec_push(&editor->kills) = copy(gone);
    }
    editor_replace(editor, from, to, HV_STR(""));
}

static void yank(struct editor *editor)
{
    if (!editor->kills.count)
        return;
    editor->yank_start = editor->caret;
    editor->yank_index = editor->kills.count - 1;
    editor_replace(editor, editor->caret, editor->caret, editor->kills.items[editor->yank_index]);
}

/* Alt-Y: the kill before it in place of what was yanked. */
static void yank_earlier(struct editor *editor)
{
    if (!editor->kills.count) /* a yank of nothing came before */
        return;
    editor->yank_index = editor->yank_index ? editor->yank_index - 1 : editor->kills.count - 1;
    editor_replace(editor, editor->yank_start, editor->caret, editor->kills.items[editor->yank_index]);
}

static void transpose(struct editor *editor)
{
    size_t at = editor->caret == line_end(editor, editor->caret) ? previous_at(editor, editor->caret) : editor->caret;
    if (at == line_start(editor, at))
        return;
    size_t before = previous_at(editor, at), after = next_at(editor, at);
    CLEANUP_BUF struct hv_buf swapped = {.max = 4096};
    hv_buf_add_str(&swapped, hv_str_slice(view(editor), at, after));
    hv_buf_add_str(&swapped, hv_str_slice(view(editor), before, at));
    if (!swapped.failed)
        editor_replace(editor, before, after, hv_buf_str(&swapped));
}

/* ---- history ----------------------------------------------------------------------------------------------------- */

void editor_remember(struct editor *editor, struct hv_str text)
{
    bool same = editor->history.count && hv_str_eq(editor->history.items[editor->history.count - 1], text);
    if (text.len && !same) {
        if (editor->history.count == HISTORY_MAX) {
            free((void *)editor->history.items[0].ptr);
            memmove(editor->history.items, editor->history.items + 1,
                    --editor->history.count * sizeof *editor->history.items);
        }
        *vec_push(&editor->history) = copy(text);
    }
    editor->history_at = editor->history.count;
}

static void show_history(struct editor *editor)
{
    bool at_draft = editor->history_at == editor->history.count;
    editor_set(editor, at_draft ? editor->draft : editor->history.items[editor->history_at]);
}

bool editor_earlier(struct editor *editor)
{
    if (editor->history_at == 0)
        return false;
    if (editor->history_at == editor->history.count) {
        free((void *)editor->draft.ptr);
        editor->draft = copy(view(editor));
    }
    editor->history_at--;
    show_history(editor);
    return true;
}

bool editor_later(struct editor *editor)
{
    if (editor->history_at >= editor->history.count)
        return false;
    editor->history_at++;
    show_history(editor);
    return true;
}

size_t editor_find(const struct editor *editor, struct hv_str needle, size_t before)
{
    for (size_t i = before < editor->history.count ? before : editor->history.count; i-- > 0;)
        if (hv_str_find(editor->history.items[i], needle, 0) != SIZE_MAX)
            return i;
    return SIZE_MAX;
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static bool control_key(struct editor *editor, uint32_t rune)
{
    size_t caret = editor->caret;
    switch (rune) {
    case 'a': move(editor, line_start(editor, caret)); break;
    case 'e': move(editor, line_end(editor, caret)); break;
    case 'b': move(editor, previous_at(editor, caret)); break;
    case 'f': move(editor, next_at(editor, caret)); break;
    case 'h': editor_replace(editor, previous_at(editor, caret), caret, HV_STR("")); break;
    case 'd':
        if (!editor->text.len)
            return false; /* the end of the input */
        editor_replace(editor, caret, next_at(editor, caret), HV_STR(""));
        editor->caret = caret;
        break;
    case 'j': editor_insert(editor, HV_STR("\n")); break;
    case 'k': {
        size_t end = line_end(editor, caret);
        kill(editor, caret, end == caret ? next_at(editor, caret) : end, false);
        break;
    }
    case 'u': {
        size_t start = line_start(editor, caret);
        kill(editor, start == caret ? previous_at(editor, caret) : start, caret, true);
        break;
    }
    case 'w': kill(editor, blank_word_start(editor, caret), caret, true); break;
    case 'y': yank(editor); break;
    case 't': transpose(editor); break;
    case '_':
    case 'z': undo(editor); break;
    case 'p': return move_line(editor, true) || editor_earlier(editor);
    case 'n': return move_line(editor, false) || editor_later(editor);
    default: return false;
    }
    return true;
}

static bool alt_key(struct editor *editor, uint32_t rune)
{
    size_t caret = editor->caret;
    switch (rune) {
    case 'b': move(editor, word_start(editor, caret)); return true;
    case 'f': move(editor, word_end(editor, caret)); return true;
    case 'd': kill(editor, caret, word_end(editor, caret), false); return true;
    case '<': move(editor, 0); return true;
    case '>': move(editor, editor->text.len); return true;
    case 'y':
        if (editor->yanked)
            yank_earlier(editor);
        return true;
    default: return false;
    }
}

static bool move_key(struct editor *editor, const struct key *key)
{
    bool words = key->modifiers & (KEY_CTRL | KEY_ALT);
    size_t caret = editor->caret;
    switch (key->type) {
    case KEY_LEFT: move(editor, words ? word_start(editor, caret) : previous_at(editor, caret)); return true;
    case KEY_RIGHT: move(editor, words ? word_end(editor, caret) : next_at(editor, caret)); return true;
    case KEY_HOME: move(editor, words ? 0 : line_start(editor, caret)); return true;
    case KEY_END: move(editor, words ? editor->text.len : line_end(editor, caret)); return true;
    case KEY_UP: return move_line(editor, true) || editor_earlier(editor);
    case KEY_DOWN: return move_line(editor, false) || editor_later(editor);
    case KEY_BACKSPACE:
        if (words)
            kill(editor, word_start(editor, caret), caret, true);
        else
            editor_replace(editor, previous_at(editor, caret), caret, HV_STR(""));
        return true;
    case KEY_DELETE:
        editor_replace(editor, caret, next_at(editor, caret), HV_STR(""));
        editor->caret = caret;
        return true;
    default: return false;
    }
}

static bool char_key(struct editor *editor, const struct key *key)
{
    char bytes[4];
    if (key->modifiers & KEY_CTRL)
        return control_key(editor, key->rune);
    if (key->modifiers & KEY_ALT)
        return alt_key(editor, key->rune);
    uint32_t rune = key->rune;
    if (rune >= EDITOR_CHIP_FIRST)
        return true; /* nobody types these */
    editor_insert(editor, hv_str_of(bytes, utf8_encode(bytes, rune)));
    return true;
}

bool editor_key(struct editor *editor, const struct key *key)
{
    bool killed = key->type == KEY_CHAR && (((key->modifiers & KEY_CTRL) && memchr("kuw", (int)key->rune & 0x7f, 3)) ||
                                            ((key->modifiers & KEY_ALT) && key->rune == 'd'));
    bool yanked = key->type == KEY_CHAR && key->rune == 'y' && (key->modifiers & (KEY_CTRL | KEY_ALT));
    bool typing = key->type == KEY_CHAR && !(key->modifiers & (KEY_CTRL | KEY_ALT));
    if (!typing)
        editor->typed = EDITOR_NOT_TYPING;
    if (key->type == KEY_PASTE) {
        editor_paste(editor, key->text);
        return true;
    }
    bool done = key->type == KEY_CHAR ? char_key(editor, key) : move_key(editor, key);
    editor->killed = killed;
    editor->yanked = yanked && (editor->yanked || (key->modifiers & KEY_CTRL));
    return done;
}
