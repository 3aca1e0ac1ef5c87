/* fed.c: see fed.h. */
#include "shell/fed.h"

#include "base/base64.h"
#include "base/cleanup.h"
#include "shell/runs.h"

#include <string.h>

/* Scans: looks over all commands of a script for who feeds a shell. Steps: programs that hand on what they are fed. */
enum { SCANS_MAX = 64, STEPS_MAX = 8, TEXT_MAX = SHELL_SCRIPT_MAX };

/* The word as it would be read again: what is not known becomes a variable that nobody knows. */
void shell_add_code(struct hv_buf *buf, const struct shell_word *word)
{
    if (word->known) {
        hv_buf_add_str(buf, word->value);
    } else if (!(word->flags & ~(unsigned)(SHELL_WORD_GLOB | SHELL_WORD_HOME | SHELL_WORD_MANY))) {
        hv_buf_add_str(buf, word->text);
    } else {
        hv_buf_add_str(buf, word->value);
        hv_buf_add_cstr(buf, "$unknown");
        hv_buf_add_str(buf, word->tail);
    }
}

/* "\x2f", "\057": the byte that it stands for; 0: it is none. */
static char escaped_byte(struct hv_str text, size_t *width)
{
    bool is_hex = hv_str_starts(text, HV_STR("\\x"));
    int base = is_hex ? 16 : 8, value = 0;
    size_t at = is_hex ? 2 : 1, end = is_hex ? 4 : 5;
    for (; at < text.len && at < end; at++) {
        char byte = text.ptr[at];
        int digit = byte >= '0' && byte <= '9' ? byte - '0' : (byte | 32) >= 'a' ? (byte | 32) - 'a' + 10 : 99;
        if (digit >= base || value * base + digit > 127)
            break;
        value = value * base + digit;
    }
    *width = at;
    return (char)value;
}

/* \n is the end of a line, and other escapes are what they stand for, whether this echo knows them or not. */
static void take_escapes(struct hv_buf *text)
{
    size_t out = 0, width = 0;
    for (size_t i = 0; i < text->len; i++) {
        struct hv_str rest = hv_str_of(text->data + i, text->len - i);
        bool escapes = rest.ptr[0] == '\\' && rest.len > 1;
        char byte = escapes ? escaped_byte(rest, &width) : 0;
        if (escapes && rest.ptr[1] == 'n') {
            text->data[out++] = '\n';
            i++;
        } else if (byte) {
            text->data[out++] = byte;
            i += width - 1;
        } else {
            text->data[out++] = rest.ptr[0];
        }
    }
    text->len = out;
}

/* "%s", "%-9s", at the beginning of format: its length; 0: it is no place for a word. */
static size_t place_length(struct hv_str format)
{
    size_t at = 1;
    if (!hv_str_starts(format, HV_STR("%")))
        return 0;
    while (at < format.len && format.ptr[at] && strchr("-+ #.0123456789", format.ptr[at]))
        at++;
    return at < format.len && format.ptr[at] && strchr("sbq", format.ptr[at]) ? at + 1 : 0;
}

/* printf FORMAT WORD…: each word in the place that the format has for one, or behind it. first: the format's. */
static void add_formatted(struct hv_buf *text, const struct shell_command *command, size_t first)
{
    size_t next = first + 1;
    struct hv_str format = shell_word_text(&command->words[first]);
    for (size_t i = 0, place; i < format.len; i += place ? place : 1) {
        place = place_length(hv_str_slice(format, i, format.len));
        if (place && next < command->word_count)
            shell_add_code(text, &command->words[next++]);
        else if (!place)
            hv_buf_add_byte(text, format.ptr[i]);
    }
    for (; next < command->word_count; next++) {
        hv_buf_add_byte(text, ' ');
        shell_add_code(text, &command->words[next]);
    }
}

/* What is fed to a command that hands it on: by the pipe before it, or a here-document. */
static void add_fed(struct shell_feeding *feeding, const struct shell_script *script,
                    const struct shell_command *command, struct hv_buf *text)
{
    for (size_t i = 0; i < command->redirect_count; i++)
        if (command->redirects[i].kind == SHELL_REDIRECT_HERE ||
            command->redirects[i].kind == SHELL_REDIRECT_HERE_STRING)
            shell_add_code(text, &command->redirects[i].target);
    if (!text->len && feeding->steps < STEPS_MAX) {
        feeding->steps++;
        hv_buf_add_str(text, shell_fed_to(feeding, script, command, false));
        feeding->steps--;
    }
}

/* base64 -d: the text may stand in several lines. */
static void decode(struct hv_buf *text)
{
    CLEANUP_BUF struct hv_buf bytes = {0};
    size_t out = 0;
    hv_buf_init(&bytes, TEXT_MAX);
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] != '\n')
            text->data[out++] = text->data[i];
    text->len = out;
    bool decoded = base64_decode(&bytes, hv_str_trim(hv_buf_str(text)), BASE64_STANDARD, NULL) == HV_OK;
    hv_buf_clear(text);
    if (decoded)
        hv_buf_add_str(text, hv_buf_str(&bytes));
}

/* The first word that is written, and no option: echo -n -e, printf --. */
static size_t first_written(const struct shell_command *command)
{
    size_t first = 1;
    while (first < command->word_count && shell_is_one_of(shell_word_text(&command->words[first]), "-n -e -E -ne -en"))
        first++;
    return first == 1 && command->word_count > 1 && hv_str_starts(shell_word_text(&command->words[1]), HV_STR("-"))
               ? 2
               : first;
}

static bool has_decoding_option(const struct shell_command *command)
{
    for (size_t i = 1; i < command->word_count; i++)
        if (shell_is_one_of(shell_word_text(&command->words[i]),
                            "-d -D -di -id --d --de --dec --deco --decod --decode"))
            return true;
    return false;
}

/* What a command writes, as code, where that can be told: echo and printf of known words, and what hands these on. */
static struct hv_str output_of(struct shell_feeding *feeding, const struct shell_script *script,
                               const struct shell_command *command)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, TEXT_MAX);
    if (!command->word_count || !command->words->known)
        return (struct hv_str){0};
    struct hv_str name = shell_base_name(command->words->value);
    size_t first = first_written(command);
    if (shell_is_one_of(name, "cat tee")) {
        add_fed(feeding, script, command, &text);
    } else if (shell_is_one_of(name, "base64") && has_decoding_option(command)) {
        add_fed(feeding, script, command, &text);
        decode(&text);
    } else if (shell_is_one_of(name, "printf") && first + 1 < command->word_count && command->words[first].known) {
        add_formatted(&text, command, first);
        take_escapes(&text);
    } else if (shell_is_one_of(name, "echo printf")) {
        for (size_t i = first; i < command->word_count; i++) {
            if (i > first)
                hv_buf_add_byte(&text, ' ');
            shell_add_code(&text, &command->words[i]);
        }
        take_escapes(&text);
    }
    return hv_arena_str(feeding->arena, hv_buf_str(&text));
}

/* The index of a command in its script; SIZE_MAX when it is none of its commands. */
static size_t index_of(const struct shell_script *script, const struct shell_command *command)
{
    bool inside = command >= script->commands && command < script->commands + script->count;
    return inside ? (size_t)(command - script->commands) : SIZE_MAX;
}

static const struct shell_command *parent_of(const struct shell_script *script, const struct shell_command *command)
{
    return command->parent < script->count ? &script->commands[command->parent] : NULL;
}

static bool may_scan(struct shell_feeding *feeding)
{
    if (++feeding->scans <= SCANS_MAX)
        return true;
    feeding->exhausted = true;
    return false;
}

/* The output of the command before this one in a pipe, or of its substitutions, when it is known. */
struct hv_str shell_fed_to(struct shell_feeding *feeding, const struct shell_script *script,
                           const struct shell_command *command, bool substitutions)
{
    size_t self = index_of(script, command);
    const struct shell_command *piped = command;
    while (piped && !(piped->pipeline && piped->position))
        piped = parent_of(script, piped);
    if ((!piped && !substitutions) || !may_scan(feeding))
        return (struct hv_str){0};
    struct hv_str found = {0};
    uint32_t pipeline = 0;
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *other = &script->commands[i];
        bool feeds = piped && other->pipeline == piped->pipeline && other->position + 1 == piped->position;
        bool inside =
            substitutions && self != SIZE_MAX && other->parent == self && other->place & SHELL_IN_SUBSTITUTION;
        bool goes_on = found.len && pipeline && other->pipeline == pipeline; /* $(echo x | base64 -d) */
        struct hv_str text =
            feeds || (inside && (!found.len || goes_on)) ? output_of(feeding, script, other) : (struct hv_str){0};
        if (text.len && feeds)
            return text;
        found = text.len ? text : found;
        pipeline = text.len ? other->pipeline : pipeline;
    }
    return found;
}
