/*
 * Cards as a terminal shows them: each kind of block at 40, 80 and 200 columns, dark, light and without colours,
 * through libvterm, against screens that are kept in tests/unit/ui/cards (HELVE_GOLDEN=write makes them anew: look at
 * the difference). Colours stand below a row: a letter for each cell that has one.
 */
#include "base/cleanup.h"
#include "ui/session/view.h"
#include "ui/text/theme.h"

#include <stdio.h>
#include <stdlib.h>
#include <vterm.h>

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

enum { ROWS = 60 };

static const struct card {
    const char *name, *blocks;
    bool brief;
} cards[] = {
    {"bash",
     "[{\"type\":\"output\",\"above\":3,\"text\":\"cc -c a.c\\ncc -c b.c\\nok 1\\nok 2\\nok 3\\nok 4\\nnot ok 5 - a "
     "line "
     "that is longer than the narrow terminal\\u001b[2J and ends here\"}]",
     true},
    {"read",
     "[{\"type\":\"code\",\"path\":\"src/a.c\",\"start\":98,\"text\":\"/* why */\\nstatic int answer(void)\\n{\\n    "
     "return 42; // \\u202e turned\\n}\\n\"}]",
     false},
    {"read_brief", "[{\"type\":\"code\",\"path\":\"a.py\",\"start\":1,\"text\":\"a\\nb\\nc\\nd\\ne\\n\"}]", true},
    {"edit",
     "[{\"type\":\"diff\",\"text\":\"--- a.c\\n+++ a.c\\n@@ -1,3 +1,3 @@\\n one\\n-the old word stands\\n+the new word "
     "stands\\n three\\n\"}]",
     true},
    {"grep",
     "[{\"type\":\"table\",\"columns\":[\"File\",\"Matches\"],\"rows\":[[\"src/a.c\",\"12\"],[\"src/long/name/of.c\","
     "\"3\"],[\"日本語.txt\",\"1\"]]}]",
     true},
    {"todo",
     "[{\"type\":\"list\",\"items\":[{\"text\":\"first\",\"state\":\"done\"},{\"text\":\"doing second\",\"state\":"
     "\"active\"},{\"text\":\"third\",\"state\":\"open\"},{\"text\":\"free\"}]}]",
     true},
    {"error", "[{\"type\":\"text\",\"text\":\"The text to replace was not found in a.c\\nThe nearest: line 3\"}]",
     true},
    {"question",
     "[{\"type\":\"text\",\"text\":\"$ rm -r build\\n2 commands\"},{\"type\":\"facts\",\"facts\":[{\"name\":\"effect\","
     "\"text\":\"changes files\"},{\"name\":\"effect\",\"text\":\"cannot be undone\"}]},{\"type\":\"future\",\"x\":1}]",
     false},
};

/* One letter a colour, capital when it is bold; '.' dim is not known to this terminal. */
static char letter_of(const VTermScreenCell *cell)
{
    static const char letters[] = "krgybmcw";
    static const struct {
        uint8_t index;
        char letter;
    } light[] = {{124, 'r'}, {22, 'g'}, {94, 'y'}, {19, 'b'}, {90, 'm'}, {24, 'c'}, {240, 'd'}};
    bool coloured = VTERM_COLOR_IS_INDEXED(&cell->fg) && !VTERM_COLOR_IS_DEFAULT_FG(&cell->fg);
    char letter = coloured ? letters[cell->fg.indexed.idx % 8] : ' ';
    for (size_t i = 0; coloured && i < sizeof light / sizeof *light; i++)
        letter = cell->fg.indexed.idx == light[i].index ? light[i].letter : letter;
    if (cell->attrs.reverse)
        return '#';
    if (cell->attrs.bold)
        return coloured ? (char)(letter - 'a' + 'A') : '*';
    return letter;
}

static void put_trimmed(const char *row, size_t len, const char *margin, struct hv_buf *out)
{
    while (len && row[len - 1] == ' ')
        len--;
    if (len)
        hv_buf_addf(out, "%s%.*s\n", margin, (int)len, row);
}

static void put_row(VTermScreen *screen, int row, int columns, struct hv_buf *out)
{
    CLEANUP_BUF struct hv_buf text = {.max = 1 << 16}, paint = {.max = 1 << 16};
    for (int column = 0; column < columns; column++) {
        VTermScreenCell cell;
        vterm_screen_get_cell(screen, (VTermPos){row, column}, &cell);
        if (cell.chars[0] == (uint32_t)-1)
            continue;
        if (!cell.chars[0])
            hv_buf_add_byte(&text, ' ');
        for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && cell.chars[i]; i++) {
            char bytes[5] = {0};
            uint32_t rune = cell.chars[i];
            if (rune < 0x80)
                bytes[0] = (char)rune;
            else if (rune < 0x800)
                bytes[0] = (char)(0xc0 | rune >> 6), bytes[1] = (char)(0x80 | (rune & 0x3f));
            else
                bytes[0] = (char)(0xe0 | rune >> 12), bytes[1] = (char)(0x80 | (rune >> 6 & 0x3f)),
                bytes[2] = (char)(0x80 | (rune & 0x3f));
            hv_buf_add_cstr(&text, bytes);
        }
        hv_buf_add_byte(&paint, letter_of(&cell));
    }
    put_trimmed(text.data, text.len, "|", out);
    put_trimmed(paint.data, paint.len, " ", out);
}

/* theme: NULL: none. */
static void render(const struct card *card, int columns, const char *theme, struct hv_buf *out)
{
    const struct paint_palette *palette = theme ? theme_built_in(hv_str_from(theme)) : NULL;
    struct ui ui = {.columns = (size_t)columns, .theme = {.colour = theme, .palette = palette}};
    CLEANUP_BUF struct hv_buf painted = {.max = 1 << 20};
    struct hv_str rest, line;
    bool folded = false;
    cards_put_blocks(&ui, hv_str_from(card->blocks), card->brief, &folded, &painted);
    VTerm *terminal = vterm_new(ROWS, columns);
    vterm_set_utf8(terminal, 1);
    VTermScreen *screen = vterm_obtain_screen(terminal);
    vterm_screen_reset(screen, 1);
    for (rest = hv_buf_str(&painted); paint_next_line(&rest, &line);) {
        vterm_input_write(terminal, line.ptr, line.len);
        vterm_input_write(terminal, "\r\n", 2);
    }
    hv_buf_addf(out, "-- %d columns, %s%s\n", columns, theme ? theme : "none", folded ? ", folded" : "");
    for (int row = 0; row < ROWS; row++)
        put_row(screen, row, columns, out);
    vterm_free(terminal);
}

static void check(const struct card *card, const struct hv_buf *shown)
{
    char path[512], kept[1 << 16];
    const char *write = getenv("HELVE_GOLDEN");
    snprintf(path, sizeof path, "%s/%s.txt", CARDS, card->name);
    FILE *file = fopen(path, write ? "w" : "r");
    if (!file)
        fail_msg("%s is missing", path);
    if (write)
        assert_int_equal(fwrite(shown->data, 1, shown->len, file), shown->len);
    size_t len = write ? 0 : fread(kept, 1, sizeof kept, file);
    fclose(file);
    if (!write && !hv_str_eq(hv_str_of(kept, len), hv_buf_str(shown)))
        fail_msg("%s is not what is shown:\n%.*s", path, HV_STR_ARG(hv_buf_str(shown)));
}

static void cards_look_as_they_did(void **state)
{
    static const int widths[] = {40, 80, 200};
    (void)state;
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        CLEANUP_BUF struct hv_buf shown = {.max = 1 << 20};
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            render(&cards[i], widths[w], "dark", &shown);
            render(&cards[i], widths[w], NULL, &shown);
            render(&cards[i], widths[w], "light", &shown);
        }
        check(&cards[i], &shown);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cards_look_as_they_did)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
