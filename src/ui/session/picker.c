/* picker.c: a list that a person chooses from, in place of the prompt: typed words narrow it, the chosen entry shows
 * what is in it. */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "ui/session/view.h"

#include <strings.h>

enum { PREVIEW_LINES = 6, WORDS_MAX = 200 };

static bool contains_word(struct hv_str text, struct hv_str word)
{
    for (size_t at = 0; at + word.len <= text.len; at++)
        if (strncasecmp(text.ptr + at, word.ptr, word.len) == 0)
            return true;
    return false;
}

/* Every word stands in it somewhere. */
static bool fits(const struct ui_choice *choice, struct hv_str words)
{
    struct hv_str word;
    while (hv_str_split(&words, ' ', &word))
        if (word.len && !contains_word(choice->text, word) && !contains_word(choice->preview, word) &&
            !contains_word(choice->search, word))
            return false;
    return true;
}

/* The entry that stands in row `row` of those that fit; SIZE_MAX: there are fewer. */
static size_t choice_at(const struct picker_view *picker, size_t row)
{
    for (size_t i = 0; i < picker->count; i++)
        if (fits(&picker->choices[i], hv_buf_str(&picker->words)) && row-- == 0)
            return i;
    return SIZE_MAX;
}

static size_t count_fitting(const struct picker_view *picker)
{
    size_t count = 0;
    for (size_t i = 0; i < picker->count; i++)
        count += fits(&picker->choices[i], hv_buf_str(&picker->words));
    return count;
}

void picker_open(struct ui *ui, const struct ui_picker *given)
{
    struct picker_view *picker = &ui->picker;
    picker_close(ui);
    struct hv_arena *arena = &picker->arena;
    picker->title = hv_arena_str(arena, hv_str_from(given->title));
    picker->control_keys = hv_arena_str(arena, hv_str_from(given->control_keys ? given->control_keys : ""));
    picker->help = hv_arena_str(arena, hv_str_from(given->help ? given->help : ""));
    picker->steps = given->steps;
    picker->count = given->count;
    picker->choices = hv_arena_array(arena, struct ui_choice, given->count + 1);
    for (size_t i = 0; i < given->count; i++)
        picker->choices[i] = (struct ui_choice){.text = hv_arena_str(arena, given->choices[i].text),
                                                .preview = hv_arena_str(arena, given->choices[i].preview),
                                                .search = hv_arena_str(arena, given->choices[i].search)};
    hv_buf_init(&picker->words, WORDS_MAX);
    picker->done = given->done;
    picker->user = given->user;
    picker->open = true;
    view_dirty(ui);
}

void picker_close(struct ui *ui)
{
    hv_buf_release(&ui->picker.words);
    hv_arena_release(&ui->picker.arena);
    ui->picker = (struct picker_view){0};
}

static void finish(struct ui *ui, size_t index, uint32_t key)
{
    void (*done)(void *user, size_t index, uint32_t key) = ui->picker.done;
    void *user = ui->picker.user;
    picker_close(ui);
    done(user, index, key);
    view_dirty(ui);
}

static bool steps_by(const struct picker_view *picker, const struct key *key, uint32_t rune)
{
    return picker->steps && key->type == KEY_CHAR && !(key->modifiers & ~(unsigned)KEY_SHIFT) && key->rune == rune;
}

bool picker_key(struct ui *ui, const struct key *key)
{
    struct picker_view *picker = &ui->picker;
    if (!picker->open)
        return false;
    size_t count = count_fitting(picker), chosen = choice_at(picker, picker->row);
    bool control = key->type == KEY_CHAR && (key->modifiers & KEY_CTRL);
    char bytes[4];
    if (key->type == KEY_ESCAPE || (control && (key->rune == 'c' || key->rune == 'd' || key->rune == 'g')))
        finish(ui, SIZE_MAX, 0);
    else if (key->type == KEY_ENTER && chosen != SIZE_MAX)
        finish(ui, chosen, '\r');
    else if (control && chosen != SIZE_MAX && key->rune < 0x80 &&
             hv_str_find_byte(picker->control_keys, (char)key->rune, 0) != SIZE_MAX)
        finish(ui, chosen, key->rune);
    else if (key->type == KEY_UP || (control && key->rune == 'p') || steps_by(picker, key, 'N'))
        picker->row = picker->row ? picker->row - 1 : count ? count - 1 : 0;
    else if (key->type == KEY_DOWN || (control && key->rune == 'n') || steps_by(picker, key, 'n'))
        picker->row = count ? (picker->row + 1) % count : 0;
    else if (picker->steps)
        return true;
    else if (key->type == KEY_CHAR && !key->modifiers)
        hv_buf_add(&picker->words, bytes, utf8_encode(bytes, key->rune)), picker->row = 0;
    else if (key->type == KEY_PASTE)
        hv_buf_add_str(&picker->words, hv_str_slice(key->text, 0, hv_str_find_byte(key->text, '\n', 0)));
    else if (key->type == KEY_BACKSPACE && picker->words.len) {
        while (picker->words.len > 1 && ((unsigned char)picker->words.data[picker->words.len - 1] & 0xc0) == 0x80)
            picker->words.len--;
        picker->words.len--;
        picker->row = 0;
    }
    return true;
}

static void put_preview(const struct ui *ui, struct hv_str preview, struct hv_buf *rows)
{
    struct hv_str line;
    for (size_t i = 0; i < PREVIEW_LINES && paint_next_line(&preview, &line); i++) {
        hv_buf_add_cstr(rows, "    ");
        paint_put(&ui->theme, PAINT_DIM, line, rows);
        hv_buf_add_byte(rows, '\n');
    }
}

void picker_put_rows(struct ui *ui, size_t most, struct hv_buf *rows, size_t *caret_column)
{
    struct picker_view *picker = &ui->picker;
    CLEANUP_BUF struct hv_buf words = {.max = VIEW_FRAME_MAX};
    size_t shown = most > PREVIEW_LINES + 6 ? most - PREVIEW_LINES - 3 : most > 4 ? most - 3 : 1;
    size_t count = count_fitting(picker);
    if (picker->row >= count)
        picker->row = count ? count - 1 : 0;
    size_t first = picker->row >= shown ? picker->row - shown + 1 : 0;
    paint_add(&words, hv_buf_str(&picker->words));
    if (picker->steps)
        hv_buf_addf(rows, "%zu of %zu\n", count ? picker->row + 1 : 0, count);
    else
        hv_buf_addf(rows, "/ %.*s\n", HV_STR_ARG(hv_buf_str(&words)));
    *caret_column = picker->steps ? 0 : 2 + paint_width(hv_buf_str(&words));
    paint_put(&ui->theme, PAINT_BOLD, picker->title, rows);
    if (picker->steps)
        hv_buf_add_byte(rows, '\n');
    else
        hv_buf_addf(rows, " (%zu of %zu)\n", count, picker->count);
    for (size_t row = first; row < count && row < first + shown; row++) {
        const struct ui_choice *choice = &picker->choices[choice_at(picker, row)];
        bool chosen = row == picker->row;
        hv_buf_add_cstr(rows, chosen ? "> " : "  ");
        paint_put(&ui->theme, chosen ? PAINT_ACCENT : PAINT_PLAIN,
                  hv_str_slice(choice->text, 0, hv_str_find_byte(choice->text, '\n', 0)), rows);
        hv_buf_add_byte(rows, '\n');
        if (chosen && most > PREVIEW_LINES + 6)
            put_preview(ui, choice->preview, rows);
    }
    paint_begin(&ui->theme, PAINT_DIM, rows);
    hv_buf_add_cstr(rows, picker->steps ? "n and N go on and back, Enter takes it, Esc leaves"
                                        : "Enter chooses, Esc leaves, words narrow");
    if (picker->help.len)
        hv_buf_addf(rows, ", %.*s", HV_STR_ARG(picker->help));
    paint_end(&ui->theme, PAINT_DIM, rows);
    hv_buf_add_byte(rows, '\n');
}
