/* git_config.c: see git_config.h. */
#include "fs/git_config.h"

#include <string.h>

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') || byte == '-';
}

/* The byte at the reader, or 0 at the end. A NUL in the text ends it, too. */
static char peek(const struct git_config_reader *reader)
{
    return reader->at < reader->text.len ? reader->text.ptr[reader->at] : '\0';
}

static void skip_line(struct git_config_reader *reader)
{
    while (peek(reader) && peek(reader) != '\n')
        reader->at++;
}

static void skip_blanks(struct git_config_reader *reader)
{
    while (is_blank(peek(reader)))
        reader->at++;
}

/* Go past `[name]` or `[name "second"]`. */
static bool read_section(struct git_config_reader *reader)
{
    size_t begin = ++reader->at;
    while (is_name_byte(peek(reader)) || peek(reader) == '.')
        reader->at++;
    reader->section = hv_str_slice(reader->text, begin, reader->at);
    skip_blanks(reader);
    reader->subsection = peek(reader) == '"';
    if (reader->subsection) {
        begin = ++reader->at;
        while (peek(reader) && peek(reader) != '"' && peek(reader) != '\n')
            reader->at += peek(reader) == '\\' ? 2 : 1;
        if (peek(reader) != '"')
            return false;
        reader->second = hv_str_slice(reader->text, begin, reader->at++);
    }
    if (peek(reader) != ']')
        return false;
    reader->at++;
    return true;
}

/* What a byte after a backslash stands for; 0 for what git refuses. */
static char unescape(char byte)
{
    switch (byte) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'b': return '\b';
    case '"':
    case '\\': return byte;
    default: return '\0';
    }
}

/* A value goes up to the end of its line. The decoded text is never longer than what is left of the file. */
static bool read_value(struct git_config_reader *reader, struct hv_arena *arena, struct hv_str *value)
{
    size_t end = reader->at;
    while (end < reader->text.len && (reader->text.ptr[end] != '\n' || reader->text.ptr[end - 1] == '\\' ||
                                      (reader->text.ptr[end - 1] == '\r' && reader->text.ptr[end - 2] == '\\')))
        end++;
    char *out = hv_arena_alloc(arena, end - reader->at + 1);
    size_t len = 0, kept = 0; /* blanks after kept are dropped when nothing follows them */
    bool quoted = false;
    for (char byte; (byte = peek(reader)) && byte != '\n'; reader->at++) {
        if (!quoted && (byte == '#' || byte == ';')) {
            skip_line(reader);
            break;
        }
        if (byte == '"') {
            quoted = !quoted;
            kept = len;
            continue;
        }
        if (byte == '\\') {
            reader->at++;
            if (peek(reader) == '\r')
                reader->at++;
            if (peek(reader) == '\n')
                continue;
            byte = unescape(peek(reader));
            if (!byte)
                return false;
            out[len++] = byte;
            kept = len;
            continue;
        }
        if (!quoted && is_blank(byte) && !len)
            continue;
        out[len++] = byte;
        if (quoted || !is_blank(byte))
            kept = len;
    }
    *value = hv_str_of(out, kept);
    out[kept] = '\0';
    return !quoted;
}

bool git_config_next(struct git_config_reader *reader, struct hv_arena *arena, struct git_config_variable *variable)
{
    if (reader->at == 0 && hv_str_starts(reader->text, HV_STR("\xef\xbb\xbf")))
        reader->at = 3;
    for (char byte; (byte = peek(reader));) {
        if (byte == '\n' || is_blank(byte)) {
            reader->at++;
        } else if (byte == '#' || byte == ';') {
            skip_line(reader);
        } else if (byte == '[') {
            if (!read_section(reader))
                return false;
        } else {
            size_t begin = reader->at;
            while (is_name_byte(peek(reader)))
                reader->at++;
            *variable = (struct git_config_variable){
                .section = reader->section, .subsection = reader->subsection, .second = reader->second};
            variable->name = hv_str_slice(reader->text, begin, reader->at);
            skip_blanks(reader);
            bool alone = peek(reader) != '=';
            if (!variable->name.len || (alone && peek(reader) && !strchr("\n#;", peek(reader))))
                return false;
            if (alone)
                return true;
            reader->at++;
            return read_value(reader, arena, &variable->value);
        }
    }
    return false;
}

/* The second name of the section, without the backslashes that are not part of it; in arena. */
static struct hv_str git_config_second(struct hv_arena *arena, const struct git_config_variable *variable)
{
    char *out = hv_arena_alloc(arena, variable->second.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < variable->second.len; i++) {
        i += variable->second.ptr[i] == '\\' && i + 1 < variable->second.len;
        out[len++] = variable->second.ptr[i];
    }
    return hv_str_of(out, len);
}

bool git_config_true(struct hv_str value)
{
    int64_t number;
    if (!value.ptr || (hv_str_to_int64(value, &number) && number))
        return true;
    return hv_str_eq_nocase(value, HV_STR("true")) || hv_str_eq_nocase(value, HV_STR("yes")) ||
           hv_str_eq_nocase(value, HV_STR("on"));
}

static bool has_names(const struct git_config_variable *variable, const char *section, const char *name)
{
    return hv_str_eq_nocase(variable->section, hv_str_from(section)) &&
           hv_str_eq_nocase(variable->name, hv_str_from(name));
}

static bool is_variable(const struct git_config_variable *variable, const char *section, const char *name)
{
    return !variable->subsection && has_names(variable, section, name);
}

/* "native" is what the machine has: LF. What git does not know, it refuses; here it counts as unset. */
static enum git_line_ends line_ends(struct hv_str value)
{
    if (hv_str_eq_nocase(value, HV_STR("crlf")))
        return GIT_LINE_ENDS_CRLF;
    bool lf = hv_str_eq_nocase(value, HV_STR("lf")) || hv_str_eq_nocase(value, HV_STR("native"));
    return lf ? GIT_LINE_ENDS_LF : GIT_LINE_ENDS_UNSET;
}

static enum git_line_ends automatic_line_ends(struct hv_str value)
{
    if (hv_str_eq_nocase(value, HV_STR("input")))
        return GIT_LINE_ENDS_AS_STORED;
    return git_config_true(value) ? GIT_LINE_ENDS_CRLF : GIT_LINE_ENDS_UNSET;
}

void git_settings_read(struct hv_arena *arena, struct hv_str text, const struct git_config_includes *includes,
                       struct git_settings *settings)
{
    struct git_config_reader reader = {.text = text};
    struct git_config_variable variable;
    while (git_config_next(&reader, arena, &variable)) {
        if (is_variable(&variable, "core", "excludesfile"))
            settings->excludes_file = variable.value.ptr ? variable.value : HV_STR("");
        else if (is_variable(&variable, "core", "ignorecase"))
            settings->ignore_case = git_config_true(variable.value);
        else if (is_variable(&variable, "core", "autocrlf"))
            settings->autocrlf = automatic_line_ends(variable.value);
        else if (is_variable(&variable, "core", "eol"))
            settings->eol = line_ends(variable.value);
        else if (is_variable(&variable, "extensions", "worktreeconfig"))
            settings->worktree_config = git_config_true(variable.value);
        else if (includes && variable.value.len && is_variable(&variable, "include", "path"))
            includes->include(includes->user, hv_str_of(NULL, 0), variable.value, settings);
        else if (includes && variable.value.len && variable.subsection && has_names(&variable, "includeif", "path"))
            includes->include(includes->user, git_config_second(arena, &variable), variable.value, settings);
    }
}
