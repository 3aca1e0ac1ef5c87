/* theme.c: see theme.h. */
#include "ui/text/theme.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/nearest.h"
#include "policy/visible.h"

#include <helve/json.h>

/* Dark: the colours that the person has chosen for the terminal, which are made for its background. */
static const struct paint_palette dark = {{
    [PAINT_BOLD] = "1",
    [PAINT_ITALIC] = "3",
    [PAINT_DIM] = "2",
    [PAINT_STRIKE] = "9",
    [PAINT_HEADING] = "1;36",
    [PAINT_CODE] = "36",
    [PAINT_LINK] = "4;34",
    [PAINT_KEYWORD] = "35",
    [PAINT_STRING] = "32",
    [PAINT_COMMENT] = "2",
    [PAINT_NUMBER] = "36",
    [PAINT_GOOD] = "32",
    [PAINT_BAD] = "31",
    [PAINT_WARN] = "33",
    [PAINT_ACCENT] = "36",
    [PAINT_REVERSE] = "7",
    [PAINT_ADDED] = "32",
    [PAINT_REMOVED] = "31",
}};
/* Light: of the 16 colours green, yellow and cyan can often not be read on white, so that these are fixed ones. */
static const struct paint_palette light = {{
    [PAINT_BOLD] = "1",
    [PAINT_ITALIC] = "3",
    [PAINT_DIM] = "38;5;240",
    [PAINT_STRIKE] = "9",
    [PAINT_HEADING] = "1;38;5;24",
    [PAINT_CODE] = "38;5;24",
    [PAINT_LINK] = "4;38;5;19",
    [PAINT_KEYWORD] = "38;5;90",
    [PAINT_STRING] = "38;5;22",
    [PAINT_COMMENT] = "38;5;240",
    [PAINT_NUMBER] = "38;5;24",
    [PAINT_GOOD] = "38;5;22",
    [PAINT_BAD] = "38;5;124",
    [PAINT_WARN] = "38;5;94",
    [PAINT_ACCENT] = "38;5;24",
    [PAINT_REVERSE] = "7",
    [PAINT_ADDED] = "38;5;22",
    [PAINT_REMOVED] = "38;5;124",
}};

static const struct {
    struct hv_str name;
    enum paint_style style;
} styles[] = {
    {HV_STR("bold"), PAINT_BOLD},       {HV_STR("italic"), PAINT_ITALIC},   {HV_STR("dim"), PAINT_DIM},
    {HV_STR("strike"), PAINT_STRIKE},   {HV_STR("heading"), PAINT_HEADING}, {HV_STR("code"), PAINT_CODE},
    {HV_STR("link"), PAINT_LINK},       {HV_STR("keyword"), PAINT_KEYWORD}, {HV_STR("string"), PAINT_STRING},
    {HV_STR("comment"), PAINT_COMMENT}, {HV_STR("number"), PAINT_NUMBER},   {HV_STR("good"), PAINT_GOOD},
    {HV_STR("bad"), PAINT_BAD},         {HV_STR("warn"), PAINT_WARN},       {HV_STR("accent"), PAINT_ACCENT},
    {HV_STR("reverse"), PAINT_REVERSE}, {HV_STR("added"), PAINT_ADDED},     {HV_STR("removed"), PAINT_REMOVED},
};
enum { STYLE_COUNT = sizeof styles / sizeof *styles };

const struct paint_palette *theme_built_in(struct hv_str name)
{
    return hv_str_is(name, "dark") ? &dark : hv_str_is(name, "light") ? &light : NULL;
}

/* ---- what one style is ------------------------------------------------------------------------------------------- */

/* "plain" is no attribute at all, "bright" belongs to the colour after it. */
static const struct {
    const char *name, *code;
} attributes[] = {{"bold", "1"},    {"dim", "2"},    {"italic", "3"}, {"underline", "4"},
                  {"reverse", "7"}, {"strike", "9"}, {"plain", ""}};
static const char *const colours[] = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};

static void put_code(struct hv_buf *codes, const char *code)
{
    if (*code)
        hv_buf_addf(codes, "%s%s", codes->len ? ";" : "", code);
}

static bool put_hex(struct hv_buf *codes, struct hv_str word)
{
    unsigned value = 0;
    if (word.len != 7)
        return false;
    for (size_t i = 1; i < word.len; i++) {
        char byte = word.ptr[i] | 0x20;
        if (!((byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f')))
            return false;
        value = value << 4 | (unsigned)(byte <= '9' ? byte - '0' : byte - 'a' + 10);
    }
    hv_buf_addf(codes, "%s38;2;%u;%u;%u", codes->len ? ";" : "", value >> 16, value >> 8 & 0xff, value & 0xff);
    return true;
}

static bool put_colour(struct hv_buf *codes, struct hv_str word)
{
    int64_t number;
    if (word.ptr[0] == '#')
        return put_hex(codes, word);
    if (hv_str_to_int64(word, &number)) {
        hv_buf_addf(codes, "%s38;5;%u", codes->len ? ";" : "", (unsigned)number & 0xff);
        return number >= 0 && number <= 255;
    }
    bool bright = hv_str_starts(word, HV_STR("bright-"));
    for (unsigned i = 0; i < sizeof colours / sizeof *colours; i++) {
        if (!hv_str_is(hv_str_slice(word, bright ? 7 : 0, word.len), colours[i]))
            continue;
        hv_buf_addf(codes, "%s%u", codes->len ? ";" : "", (bright ? 90 : 30) + i);
        return true;
    }
    return false;
}

static bool put_word(struct hv_buf *codes, struct hv_str word)
{
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (!hv_str_is(word, attributes[i].name))
            continue;
        put_code(codes, attributes[i].code);
        return true;
    }
    return put_colour(codes, word);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* A line for a person; which: of the file, that holds what it likes. */
static void put_fault(struct hv_str text, size_t offset, const char *what, struct hv_str which, struct hv_buf *faults)
{
    CLEANUP_BUF struct hv_buf shown = {.max = 4096};
    size_t line = 1, start = 0;
    for (size_t at = 0; (at = hv_str_find_byte(text, '\n', at)) < offset; start = ++at)
        line++;
    hv_buf_addf(faults, "%zu:%zu: ", line, offset - start + 1);
    visible_add(&shown, hv_str_slice(which, 0, 80));
    hv_buf_addf(faults, what, HV_STR_ARG(hv_buf_str(&shown)));
    hv_buf_add_byte(faults, '\n');
}

static void read_style(struct hv_str text, const struct hv_json *member, struct paint_palette *palette,
                       enum paint_style style, struct hv_buf *faults)
{
    CLEANUP_BUF struct hv_buf codes = {.max = PAINT_CODE_MAX - 1};
    struct hv_str rest = hv_json_string(member), word;
    if (member->type != HV_JSON_STRING) {
        put_fault(text, member->start, "\"%.*s\" must be a text", member->key, faults);
        return;
    }
    while (hv_str_split(&rest, ' ', &word)) {
        if (!word.len || put_word(&codes, word))
            continue;
        put_fault(text, member->start,
                  "\"%.*s\" is neither an attribute (bold, dim, italic, underline, reverse, strike, plain) nor a "
                  "colour (red, bright-red, 0 to 255, #rrggbb)",
                  word, faults);
        return;
    }
    if (codes.failed)
        put_fault(text, member->start, "\"%.*s\" has too many attributes", member->key, faults);
    else
        snprintf(palette->codes[style], PAINT_CODE_MAX, "%.*s", HV_STR_ARG(hv_buf_str(&codes)));
}

static void read_base(struct hv_str text, const struct hv_json *json, struct paint_palette *palette,
                      struct hv_buf *faults)
{
    const struct hv_json *base = hv_json_get(json, "base");
    const struct paint_palette *named = theme_built_in(hv_json_string(base));
    if (named)
        *palette = *named;
    else if (base)
        put_fault(text, base->start, "\"%.*s\" is \"dark\" or \"light\"", HV_STR("base"), faults);
}

static void put_unknown(struct hv_str text, const struct hv_json *member, struct hv_buf *faults)
{
    struct hv_str names[STYLE_COUNT + 1] = {HV_STR("base")};
    for (size_t i = 0; i < STYLE_COUNT; i++)
        names[i + 1] = styles[i].name;
    struct hv_str near = nearest_name(member->key, names, STYLE_COUNT + 1);
    put_fault(text, member->key_start, "there is no style \"%.*s\"", member->key, faults);
    if (near.len && faults->len) {
        faults->len--; /* its newline */
        hv_buf_addf(faults, "; \"%.*s\"?\n", HV_STR_ARG(near));
    }
}

void theme_read(struct hv_str text, struct paint_palette *palette, struct hv_buf *faults)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *json;
    struct hv_error err;
    *palette = dark;
    if (hv_json_parse(&arena, text, HV_JSON_STRICT, &json, &err) != HV_OK) {
        hv_buf_addf(faults, "%s: %s\n", err.place, err.message);
        return;
    }
    if (json->type != HV_JSON_OBJECT) {
        put_fault(text, json->start, "a theme is an object%.*s", HV_STR(""), faults);
        return;
    }
    read_base(text, json, palette, faults);
    hv_json_each(member, json)
    {
        size_t row = 0;
        while (row < STYLE_COUNT && !hv_str_eq(styles[row].name, member->key))
            row++;
        if (row < STYLE_COUNT)
            read_style(text, member, palette, styles[row].style, faults);
        else if (!hv_str_is(member->key, "base") && !hv_str_is(member->key, "$schema"))
            put_unknown(text, member, faults);
    }
}

/* ---- the background ---------------------------------------------------------------------------------------------- */

/* The last number is the background: of the 16 colours these are light ones. */
bool theme_is_light_variable(const char *value)
{
    struct hv_str text = hv_str_from(value ? value : "");
    size_t last = hv_str_rfind_byte(text, ';');
    int64_t number;
    return last != SIZE_MAX && hv_str_to_int64(hv_str_slice(text, last + 1, text.len), &number) &&
           (number == 7 || (number >= 9 && number <= 15));
}

/* By how bright it looks, weighted as the eye does. */
bool theme_is_light_colour(uint32_t colour)
{
    return 299 * (colour >> 16 & 0xff) + 587 * (colour >> 8 & 0xff) + 114 * (colour & 0xff) > 127500;
}
