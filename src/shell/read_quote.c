/* read_quote.c: quoted stretches of words: '…', "…", $'…'. bash(1), "QUOTING". */
#include "base/utf8.h"
#include "shell/read.h"

void read_add_text(struct reader *reader, struct hv_str text, bool quoted)
{
    *vec_push(&reader->parts) = (struct part){.kind = PART_TEXT, .text = text, .quoted = quoted};
}

bool read_is_plain_quoted(const struct reader *reader, const char *others)
{
    struct hv_str text = reader->source.text;
    size_t from = reader->source.at + 1, end = hv_str_find_byte(text, text.ptr[reader->source.at], from);
    for (size_t at = from; at < end && end != SIZE_MAX; at++)
        if (!text.ptr[at] || strchr("`\\{}\n", text.ptr[at]) || strchr(others, text.ptr[at]))
            return false;
    return end != SIZE_MAX;
}

bool read_single_quoted(struct reader *reader)
{
    size_t from = reader->source.at + 1;
    size_t end = hv_str_find_byte(reader->source.text, '\'', from);
    if (end == SIZE_MAX)
        return read_stop(reader, "a single quote is not closed");
    read_add_text(reader, read_slice(reader, from, end), true);
    reader->source.at = end + 1;
    return true;
}

/* A backslash within double quotes; *run is where the text that was not added yet begins. */
static void read_escape(struct reader *reader, size_t *run)
{
    size_t at = reader->source.at;
    int next = read_peek(reader, 1);
    reader->source.at += 2;
    if (next != '$' && next != '`' && next != '"' && next != '\\' && next != '\n')
        return;
    if (at > *run)
        read_add_text(reader, read_slice(reader, *run, at), true);
    *run = next == '\n' ? at + 2 : at + 1;
}

/* What is special within double quotes stands at the place; false at the end or when reading stopped. */
static bool read_in_double(struct reader *reader, size_t *run)
{
    struct hv_str text = reader->source.text;
    size_t *at = &reader->source.at;
    while (*at < text.len && text.ptr[*at] != '"' && text.ptr[*at] != '\\' && text.ptr[*at] != '$' &&
           text.ptr[*at] != '`')
        (*at)++;
    if (*at >= text.len || (text.ptr[*at] == '\\' && *at + 1 >= text.len))
        return read_stop(reader, "a double quote is not closed");
    if (text.ptr[*at] == '\\') {
        read_escape(reader, run);
        return true;
    }
    if (*at > *run)
        read_add_text(reader, read_slice(reader, *run, *at), true);
    if (text.ptr[*at] == '"')
        return false;
    if (!(text.ptr[*at] == '$' ? read_dollar(reader, true, false) : read_backquoted(reader, true, !reader->operands)))
        return false;
    *run = *at;
    return true;
}

bool read_double_quoted(struct reader *reader)
{
    size_t run = ++reader->source.at;
    read_add_text(reader, HV_STR(""), true);
    while (read_in_double(reader, &run))
        continue;
    reader->source.at++;
    return !reader->reason;
}

/* ---- $'…' -------------------------------------------------------------------------------------------------------- */

static int digit_value(int byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* At most `most` digits of base behind the place; returns how many there are. */
static size_t read_digits(const struct reader *reader, size_t ahead, unsigned base, size_t most, uint32_t *value)
{
    size_t count = 0;
    *value = 0;
    for (; count < most; count++) {
        int byte = read_peek(reader, ahead + count), digit = byte < 0 ? -1 : digit_value(byte);
        if (digit < 0 || (unsigned)digit >= base)
            break;
        *value = *value * base + (uint32_t)digit;
    }
    return count;
}

/* A text in the making: a NUL ends it, whatever follows. */
struct ansi {
    struct hv_buf out;
    bool ended, uncertain;
};

static void add_ansi(struct ansi *ansi, char byte)
{
    ansi->ended |= !byte;
    if (!ansi->ended)
        hv_buf_add_byte(&ansi->out, byte);
}

/* A character by its number; more than ASCII depends on the locale. */
static void add_character(struct ansi *ansi, uint32_t character)
{
    char bytes[4];
    size_t length = utf8_encode(bytes, character);
    ansi->uncertain |= character > 0x7f;
    for (size_t i = 0; i < length; i++)
        add_ansi(ansi, bytes[i]);
}

/* The escape behind the backslash at the place: steps over both. False: not an escape that is modelled. */
static bool read_ansi_number(struct reader *reader, struct ansi *ansi)
{
    uint32_t value;
    int letter = read_peek(reader, 1);
    bool octal = letter >= '0' && letter <= '7';
    size_t most = octal ? 3 : letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
    size_t count = read_digits(reader, octal ? 1 : 2, octal ? 8 : 16, most, &value);
    if (!count || (letter == 'x' && read_peek(reader, 2) == '{'))
        return false;
    reader->source.at += (octal ? 1 : 2) + count;
    if (letter == 'u' || letter == 'U') {
        add_character(ansi, value);
        return true;
    }
    value &= 0xff;
    ansi->uncertain |= value == 0x01 || value == 0x7f; /* bash uses these bytes for itself */
    add_ansi(ansi, (char)value);
    return true;
}

static bool read_ansi_escape(struct reader *reader, struct ansi *ansi)
{
    static const char letters[] = "abeEfnrtv\\'\"?", bytes[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
    int letter = read_peek(reader, 1);
    if (letter < 0)
        return false;
    const char *known = letter ? strchr(letters, letter) : NULL;
    if (known) {
        add_ansi(ansi, bytes[known - letters]);
        reader->source.at += 2;
        return true;
    }
    if ((letter >= '0' && letter <= '7') || letter == 'x' || letter == 'u' || letter == 'U')
        return read_ansi_number(reader, ansi);
    if (letter == 'c') {
        int control = read_peek(reader, 2);
        bool plain = (control >= '@' && control <= '_' && control != '\\') || (control >= 'a' && control <= 'z');
        ansi->uncertain |= control == 'a' || control == 'A';
        add_ansi(ansi, (char)(control & 0x1f));
        reader->source.at += 3;
        return plain;
    }
    add_ansi(ansi, '\\');
    add_ansi(ansi, (char)letter);
    reader->source.at += 2;
    return true;
}

/* The quote that closes $'…', whose text begins at from: a backslash keeps any byte. SIZE_MAX: there is none. */
static size_t find_ansi_end(const struct reader *reader, size_t from)
{
    struct hv_str text = reader->source.text;
    for (size_t at = from; at < text.len; at++) {
        if (text.ptr[at] == '\'')
            return at;
        at += text.ptr[at] == '\\';
    }
    return SIZE_MAX;
}

/* The place is at the quote behind the $. */
bool read_ansi_quoted(struct reader *reader)
{
    struct ansi ansi = {0};
    bool good = true;
    size_t end = find_ansi_end(reader, reader->source.at + 1);
    if (end == SIZE_MAX)
        return read_stop(reader, "$'…' is not closed");
    hv_buf_init(&ansi.out, reader->source.text.len + 1);
    reader->source.at++;
    while (good && reader->source.at < end) {
        int byte = read_peek(reader, 0);
        if (byte == '\\') {
            good = read_ansi_escape(reader, &ansi);
            continue;
        }
        add_ansi(&ansi, (char)byte);
        reader->source.at++;
    }
    ansi.uncertain |= !good || reader->source.at != end; /* an escape that is not modelled */
    reader->source.at = end + 1;
    read_add_text(reader, hv_arena_str(reader->arena, hv_buf_str(&ansi.out)), true);
    hv_buf_release(&ansi.out);
    if (ansi.uncertain)
        reader->parts.items[reader->parts.count - 1].kind = PART_UNKNOWN;
    return true;
}
