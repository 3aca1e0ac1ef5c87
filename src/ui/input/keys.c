/* keys.c: see keys.h. A sequence is gathered until its final byte has come, then read as a whole. */
#include "ui/input/keys.h"

#include <string.h>

#include "base/utf8.h"

enum { ESC = 0x1b, PARAMETERS_MAX = 8 };

typedef void key_function(void *user, const struct key *key);

struct target {
    key_function *function;
    void *user;
};

static void give(const struct target *to, struct key key)
{
    if (key.type != KEY_NONE)
        to->function(to->user, &key);
}

/* ---- single characters ------------------------------------------------------------------------------------------- */

static struct key control_key(unsigned char byte, unsigned modifiers)
{
    switch (byte) {
    case '\r': return (struct key){.type = KEY_ENTER, .modifiers = modifiers};
    case '\n': return (struct key){.type = KEY_CHAR, .rune = 'j', .modifiers = modifiers | KEY_CTRL};
    case '\t': return (struct key){.type = KEY_TAB, .modifiers = modifiers};
    case ESC: return (struct key){.type = KEY_ESCAPE, .modifiers = modifiers};
    case 0x7f:
    case '\b': return (struct key){.type = KEY_BACKSPACE, .modifiers = modifiers};
    case 0: return (struct key){.type = KEY_CHAR, .rune = ' ', .modifiers = modifiers | KEY_CTRL};
    case 0x1f: return (struct key){.type = KEY_CHAR, .rune = '_', .modifiers = modifiers | KEY_CTRL};
    default: break;
    }
    uint32_t rune = byte < 27 ? (uint32_t)byte + 'a' - 1 : (uint32_t)byte + '@';
    return (struct key){.type = KEY_CHAR, .rune = rune, .modifiers = modifiers | KEY_CTRL};
}

static struct key rune_key(uint32_t rune, unsigned modifiers)
{
    if (rune < 0x20 || rune == 0x7f)
        return control_key((unsigned char)rune, modifiers);
    return (struct key){.type = KEY_CHAR, .rune = rune, .modifiers = modifiers};
}

/* ---- CSI --------------------------------------------------------------------------------------------------------- */

struct csi {
    char prefix; /* '?', '<', '=', '>' or 0 */
    char middle; /* the last intermediate byte, or 0 */
    char final;
    unsigned count, values[PARAMETERS_MAX], subvalues[PARAMETERS_MAX]; /* subvalue: behind the first ':' */
};

static void read_csi(struct hv_str body, struct csi *out)
{
    *out = (struct csi){.final = body.ptr[body.len - 1]};
    size_t at = 0;
    if (body.ptr[0] >= '<' && body.ptr[0] <= '?')
        out->prefix = body.ptr[at++];
    unsigned colons = 0;
    for (; at + 1 < body.len; at++) {
        char byte = body.ptr[at];
        unsigned *value =
            out->count < PARAMETERS_MAX ? colons ? &out->subvalues[out->count] : &out->values[out->count] : NULL;
        if (byte >= '0' && byte <= '9' && value && colons < 2)
            *value = *value < 100000000 ? *value * 10 + (unsigned)(byte - '0') : *value;
        else if (byte == ':')
            colons++;
        else if (byte == ';')
            out->count++, colons = 0;
        else if (byte < '0')
            out->middle = byte;
    }
    out->count++;
}

static unsigned modifiers_of(const struct csi *csi, unsigned index)
{
    unsigned value = index < PARAMETERS_MAX && index < csi->count ? csi->values[index] : 0;
    return value ? (value - 1) & (KEY_SHIFT | KEY_ALT | KEY_CTRL) : 0;
}

/* Keys that kitty reports by numbers of its own, and the keypad's. */
static struct key kitty_key(uint32_t code, unsigned modifiers)
{
    static const struct {
        uint32_t code;
        enum key_type type;
    } keypad[] = {{57414, KEY_ENTER}, {57417, KEY_LEFT},    {57418, KEY_RIGHT},     {57419, KEY_UP},
                  {57420, KEY_DOWN},  {57421, KEY_PAGE_UP}, {57422, KEY_PAGE_DOWN}, {57423, KEY_HOME},
                  {57424, KEY_END},   {57426, KEY_DELETE}};
    if (code >= 57399 && code <= 57408)
        return (struct key){.type = KEY_CHAR, .rune = '0' + code - 57399, .modifiers = modifiers};
    for (size_t i = 0; i < sizeof keypad / sizeof *keypad; i++)
        if (keypad[i].code == code)
            return (struct key){.type = keypad[i].type, .modifiers = modifiers};
    if (code >= 0xe000 && code <= 0xf8ff)
        return (struct key){0}; /* modifiers alone, media keys */
    struct key key = rune_key(code, modifiers);
    if (key.type == KEY_CHAR && (modifiers & KEY_CTRL) && code >= 'A' && code <= 'Z')
        key.rune = code - 'A' + 'a';
    return key;
}

static struct key tilde_key(const struct csi *csi)
{
    static const enum key_type types[] = {[1] = KEY_HOME,      [3] = KEY_DELETE, [4] = KEY_END, [5] = KEY_PAGE_UP,
                                          [6] = KEY_PAGE_DOWN, [7] = KEY_HOME,   [8] = KEY_END};
    unsigned number = csi->values[0];
    if (number == 27 && csi->count >= 3) /* modifyOtherKeys */
        return kitty_key(csi->values[2], modifiers_of(csi, 1));
    if (number >= sizeof types / sizeof *types)
        return (struct key){0};
    return (struct key){.type = types[number], .modifiers = modifiers_of(csi, 1)};
}

static struct key letter_key(char final, unsigned modifiers)
{
    switch (final) {
    case 'A': return (struct key){.type = KEY_UP, .modifiers = modifiers};
    case 'B': return (struct key){.type = KEY_DOWN, .modifiers = modifiers};
    case 'C': return (struct key){.type = KEY_RIGHT, .modifiers = modifiers};
    case 'D': return (struct key){.type = KEY_LEFT, .modifiers = modifiers};
    case 'F': return (struct key){.type = KEY_END, .modifiers = modifiers};
    case 'H': return (struct key){.type = KEY_HOME, .modifiers = modifiers};
    case 'M': return (struct key){.type = KEY_ENTER, .modifiers = modifiers}; /* SS3: the keypad's */
    case 'Z': return (struct key){.type = KEY_TAB, .modifiers = modifiers | KEY_SHIFT};
    default: return (struct key){0};
    }
}

/* Device attributes: 4 stands for sixels. */
static bool has_sixels(const struct csi *csi)
{
    for (unsigned i = 0; i < csi->count; i++)
        if (csi->values[i] == 4)
            return csi->prefix == '?' && csi->final == 'c';
    return false;
}

static struct key reply_key(const struct csi *csi)
{
    if (has_sixels(csi))
        return (struct key){.type = KEY_REPLY_SIXELS};
    if (csi->prefix == '?' && csi->final == 'u')
        return (struct key){.type = KEY_REPLY_KITTY};
    if (csi->prefix == '?' && csi->final == 'y' && csi->middle == '$')
        return (struct key){.type = csi->values[0] == 2026 && csi->values[1] >= 1 && csi->values[1] <= 3
                                        ? KEY_REPLY_SYNC
                                        : KEY_REPLY_OTHER};
    return (struct key){.type = KEY_REPLY_OTHER};
}

static struct key csi_key(struct hv_str body, unsigned modifiers)
{
    struct csi csi;
    read_csi(body, &csi);
    if (csi.prefix)
        return reply_key(&csi);
    if (csi.subvalues[1] == 3)
        return (struct key){0}; /* a release */
    switch (csi.final) {
    case 'u': return kitty_key(csi.values[0], modifiers | modifiers_of(&csi, 1));
    case '~': return tilde_key(&csi);
    case 'I': return (struct key){.type = KEY_FOCUS_IN};
    case 'O': return (struct key){.type = KEY_FOCUS_OUT};
    case 'R':
        if (csi.count >= 2 && csi.values[0])
            return (struct key){.type = KEY_REPLY_CURSOR, .row = csi.values[0], .column = csi.values[1]};
        return (struct key){0};
    default: return letter_key(csi.final, modifiers | modifiers_of(&csi, 1));
    }
}

/* ---- sequences --------------------------------------------------------------------------------------------------- */

static bool is_string_start(char byte)
{
    return byte == ']' || byte == 'P' || byte == '_' || byte == '^' || byte == 'X';
}

/* The length of the sequence that pending begins with, which is an Esc; 0: it is not complete. */
static size_t sequence_length(const struct keys *keys)
{
    const char *p = keys->pending;
    size_t count = keys->pending_count, at = 1;
    if (count < 2)
        return 0;
    if (p[1] == ESC) /* Esc and another sequence: Alt with that key, or two keys */
        at = 2;
    if (count <= at)
        return 0;
    if (at == 2 && p[at] != '[' && p[at] != 'O')
        return 1;
    if (p[at] == 'O')
        return count > at + 1 ? at + 2 : 0;
    if (p[at] != '[') {
        unsigned char lead = (unsigned char)p[at];
        size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
        return count >= at + need ? at + need : 0;
    }
    if (count > at + 1 && p[at + 1] == '[') /* the Linux console's F keys */
        return count > at + 2 ? at + 3 : 0;
    for (size_t i = at + 1; i < count; i++) {
        if (p[i] >= 0x40 && p[i] <= 0x7e)
            return i + 1;
        if ((unsigned char)p[i] < 0x20 || (unsigned char)p[i] >= 0x7f)
            return i; /* broken off: what comes is something else */
    }
    return 0;
}

/* What the terminal says of itself is pressed by nobody: an Esc in front of it is a key of its own. */
static void give_csi(const struct target *to, struct hv_str body, unsigned modifiers)
{
    struct key key = csi_key(body, modifiers);
    if (modifiers && (key.type == KEY_NONE || key.type >= KEY_PASTE))
        give(to, (struct key){.type = KEY_ESCAPE});
    give(to, key);
}

static void take_sequence(struct keys *keys, size_t len, const struct target *to)
{
    struct hv_str all = hv_str_of(keys->pending, len);
    unsigned modifiers = 0;
    size_t at = 1;
    if (all.len == 1) {
        give(to, (struct key){.type = KEY_ESCAPE});
        return;
    }
    if (all.len > 2 && all.ptr[1] == ESC)
        modifiers = KEY_ALT, at = 2;
    if (all.ptr[at] == 'O' && all.len > at + 1) {
        give(to, letter_key(all.ptr[at + 1], modifiers));
    } else if (all.ptr[at] == '[') {
        struct hv_str body = hv_str_slice(all, at + 1, all.len);
        if (hv_str_is(body, "200~")) {
            if (modifiers)
                give(to, (struct key){.type = KEY_ESCAPE});
            keys->pasting = true;
            hv_buf_init(&keys->paste, KEYS_PASTE_MAX);
        } else if (body.len && body.ptr[0] != '[' && body.ptr[body.len - 1] >= 0x40 && body.ptr[body.len - 1] <= 0x7e)
            give_csi(to, body, modifiers);
    } else {
        uint32_t rune;
        utf8_decode(hv_str_slice(all, at, all.len), 0, &rune);
        if (rune != UTF8_INVALID)
            give(to, rune_key(rune, KEY_ALT));
    }
}

static void drop_pending(struct keys *keys, size_t count)
{
    keys->pending_count -= count;
    memmove(keys->pending, keys->pending + count, keys->pending_count);
}

/* ---- pastes ------------------------------------------------------------------------------------------------------ */

static const char paste_end[] = "\033[201~";

static void end_paste(struct keys *keys, const struct target *to)
{
    keys->pasting = false;
    give(to, (struct key){.type = KEY_PASTE, .text = hv_buf_str(&keys->paste)});
    hv_buf_release(&keys->paste);
}

/* Bytes of a paste; returns how many of them were taken. pending holds what may be the beginning of its end. */
static size_t take_paste(struct keys *keys, struct hv_str bytes, const struct target *to)
{
    size_t at = 0;
    while (at < bytes.len) {
        if (keys->pending_count == 0) {
            size_t escape = hv_str_find_byte(bytes, ESC, at);
            size_t stop = escape == SIZE_MAX ? bytes.len : escape;
            hv_buf_add(&keys->paste, bytes.ptr + at, stop - at);
            at = stop;
            if (escape == SIZE_MAX)
                break;
        }
        if (bytes.ptr[at] == paste_end[keys->pending_count]) {
            keys->pending[keys->pending_count++] = bytes.ptr[at++];
            if (keys->pending_count < sizeof paste_end - 1)
                continue;
            keys->pending_count = 0;
            end_paste(keys, to);
            break;
        }
        hv_buf_add(&keys->paste, keys->pending, keys->pending_count);
        bool failed_at_first = keys->pending_count == 0;
        keys->pending_count = 0;
        if (failed_at_first)
            hv_buf_add_byte(&keys->paste, bytes.ptr[at++]);
    }
    return at;
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

/* One of "rgb:RRRR/GGGG/BBBB": one to four digits; the first two are taken. */
static bool read_channel(struct hv_str text, uint32_t *value)
{
    *value = 0;
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i] | 0x20;
        bool digit = byte >= '0' && byte <= '9';
        if (!digit && !(byte >= 'a' && byte <= 'f'))
            return false;
        if (i < 2)
            *value = *value << 4 | (uint32_t)(digit ? byte - '0' : byte - 'a' + 10);
    }
    *value *= text.len == 1 ? 17 : 1;
    return text.len >= 1 && text.len <= 4;
}

static const char background_answer[] = "11;rgb";

/* What a string was: the colour of the background, or nothing that anybody asked for. */
static void take_answer(const struct keys *keys, const struct target *to)
{
    struct hv_str rest = hv_str_of(keys->answer, keys->answer_count), part;
    uint32_t colour = 0, value;
    if (!hv_str_starts(rest, hv_str_from(background_answer)) || !hv_str_split(&rest, ':', &part))
        return;
    for (int i = 0; i < 3; i++) {
        if (!hv_str_split(&rest, '/', &part) || !read_channel(part, &value))
            return;
        colour = colour << 8 | value;
    }
    give(to, (struct key){.type = KEY_REPLY_BACKGROUND, .rune = colour});
}

static void keep_answer(struct keys *keys, unsigned char byte)
{
    if (byte >= ' ' && byte < 0x7f && keys->answer_count < KEYS_ANSWER_MAX)
        keys->answer[keys->answer_count++] = (char)byte;
}

/* An answer that comes in pieces over a slow line: its rest must not be taken for typed text. */
static bool is_amid_answer(const struct keys *keys)
{
    return keys->string && keys->answer_count >= sizeof background_answer - 1 && keys->answer_count < KEYS_ANSWER_MAX &&
           memcmp(keys->answer, background_answer, sizeof background_answer - 1) == 0;
}

/* Inside an OSC, DCS or their kin, or a sequence without end: until its terminator. */
static void skip_byte(struct keys *keys, unsigned char byte, const struct target *to)
{
    bool ended = byte == 0x07 || (keys->pending_count == 1 && byte == '\\') || byte == 0x18;
    if (!keys->string)
        ended = byte >= 0x40 && byte <= 0x7e;
    keys->pending_count = byte == ESC;
    keys->pending[0] = ESC;
    if (!ended) {
        keep_answer(keys, byte);
        return;
    }
    if (keys->string && byte != 0x18)
        take_answer(keys, to);
    keys->skipping = keys->string = false;
    keys->pending_count = 0;
}

static void take_plain(struct keys *keys, const struct target *to)
{
    struct hv_str text = hv_str_of(keys->pending, keys->pending_count);
    if (utf8_incomplete_tail(text) == text.len)
        return; /* more of this character comes */
    uint32_t rune;
    size_t len = utf8_decode(text, 0, &rune);
    if (rune == UTF8_INVALID)
        give(to, (struct key){.type = KEY_CHAR, .rune = 0xfffd});
    else if (rune < 0x80 || rune > 0x9f) /* C1 controls are nobody's keys */
        give(to, rune_key(rune, 0));
    drop_pending(keys, len);
}

static void take_byte(struct keys *keys, char byte, const struct target *to)
{
    if (keys->skipping) {
        skip_byte(keys, (unsigned char)byte, to);
        return;
    }
    if (keys->pending_count == KEYS_SEQUENCE_MAX) {
        keys->skipping = true;
        keys->pending_count = 0;
        skip_byte(keys, (unsigned char)byte, to);
        return;
    }
    keys->pending[keys->pending_count++] = byte;
    while (keys->pending_count && !keys->skipping && !keys->pasting) {
        size_t before = keys->pending_count;
        if (keys->pending[0] != ESC) {
            take_plain(keys, to);
        } else if (keys->pending_count >= 2 && is_string_start(keys->pending[1])) {
            keys->skipping = keys->string = true;
            keys->answer_count = keys->pending_count = 0;
        } else {
            size_t len = sequence_length(keys);
            if (len) {
                take_sequence(keys, len, to);
                drop_pending(keys, len);
            }
        }
        if (keys->pending_count == before)
            return;
    }
}

void keys_feed(struct keys *keys, struct hv_str bytes, key_function *on_key, void *user)
{
    struct target to = {on_key, user};
    for (size_t at = 0; at < bytes.len;) {
        if (keys->pasting)
            at += take_paste(keys, hv_str_slice(bytes, at, bytes.len), &to);
        else
            take_byte(keys, bytes.ptr[at++], &to);
    }
}

bool keys_waiting(const struct keys *keys)
{
    return (keys->pending_count > 0 || keys->skipping) && !keys->pasting;
}

void keys_flush(struct keys *keys, key_function *on_key, void *user)
{
    struct target to = {on_key, user};
    if (!keys_waiting(keys) || is_amid_answer(keys))
        return;
    bool escape = keys->pending_count && keys->pending[0] == ESC && keys->pending_count <= 2 && !keys->skipping;
    bool second = escape && keys->pending_count == 2;
    if (second && keys->pending[1] != ESC) {
        give(&to, (struct key){.type = KEY_CHAR, .rune = (unsigned char)keys->pending[1], .modifiers = KEY_ALT});
    } else if (escape) {
        give(&to, (struct key){.type = KEY_ESCAPE});
        if (second)
            give(&to, (struct key){.type = KEY_ESCAPE});
    }
    keys->pending_count = 0;
    keys->skipping = keys->string = false;
}

void keys_release(struct keys *keys)
{
    hv_buf_release(&keys->paste);
    *keys = (struct keys){0};
}
