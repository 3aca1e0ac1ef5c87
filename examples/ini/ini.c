#include "ini.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *section, *key, *value;
};

struct ini {
    struct entry *entries;
    size_t count, capacity;
};

struct slice {
    const char *start;
    size_t length;
};

static struct slice trim(struct slice text)
{
    while (text.length > 0 && isspace((unsigned char)text.start[0])) {
        text.start++;
        text.length--;
    }
    return text;
}

/* Like trim, and without the blanks at the end. */
static struct slice trim_end(struct slice text)
{
    text = trim(text);
    while (text.length > 0 && isspace((unsigned char)text.start[text.length - 1]))
        text.length--;
    return text;
}

/* A comment starts at ; or # at the beginning of the text or after a blank. */
static struct slice without_comment(struct slice text)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.start[i];
        if ((c == ';' || c == '#') && (i == 0 || isspace((unsigned char)text.start[i - 1])))
            return (struct slice){text.start, i};
    }
    return text;
}

static struct slice unquote(struct slice text)
{
    if (text.length >= 2 && text.start[0] == '"' && text.start[text.length - 1] == '"')
        return (struct slice){text.start + 1, text.length - 2};
    return text;
}

static char *copy(struct slice text)
{
    char *string = malloc(text.length + 1);
    if (!string)
        abort();
    memcpy(string, text.start, text.length);
    string[text.length] = '\0';
    return string;
}

static void add(struct ini *ini, const char *section, struct slice key, struct slice value)
{
    if (ini->count == ini->capacity) {
        ini->capacity = ini->capacity ? ini->capacity * 2 : 8;
        ini->entries = realloc(ini->entries, ini->capacity * sizeof *ini->entries);
        if (!ini->entries)
            abort();
    }
    ini->entries[ini->count++] = (struct entry){copy((struct slice){section, strlen(section)}), copy(key), copy(value)};
}

/* One line without its newline; false when it is nothing that may stand in a file. */
static bool parse_line(struct ini *ini, char **section, struct slice line)
{
    struct slice text = without_comment(trim(line));
    if (trim(text).length == 0)
        return true;
    if (text.start[0] == '[') {
        struct slice head = trim_end(text);
        if (head.start[head.length - 1] != ']')
            return false;
        free(*section);
        *section = copy(trim_end((struct slice){head.start + 1, head.length - 2}));
        return true;
    }
    const char *equals = memchr(text.start, '=', text.length);
    if (!equals)
        return false;
    struct slice key = trim_end((struct slice){text.start, (size_t)(equals - text.start)});
    struct slice value = trim_end((struct slice){equals + 1, (size_t)(text.start + text.length - equals - 1)});
    if (key.length == 0)
        return false;
    add(ini, *section, key, unquote(value));
    return true;
}

struct ini *ini_parse(const char *text, size_t length, size_t *line)
{
    struct ini *ini = calloc(1, sizeof *ini);
    char *section = copy((struct slice){"", 0});
    size_t number = 0;
    bool fine = ini != NULL;
    for (size_t at = 0; fine && at < length;) {
        const char *newline = memchr(text + at, '\n', length - at);
        size_t end = newline ? (size_t)(newline - text) : length;
        number++;
        fine = parse_line(ini, &section, (struct slice){text + at, end - at});
        at = end + 1;
    }
    free(section);
    if (!fine) {
        *line = number;
        ini_free(ini);
        return NULL;
    }
    return ini;
}

void ini_free(struct ini *ini)
{
    if (!ini)
        return;
    for (size_t i = 0; i < ini->count; i++) {
        free(ini->entries[i].section);
        free(ini->entries[i].key);
        free(ini->entries[i].value);
    }
    free(ini->entries);
    free(ini);
}

const char *ini_get(const struct ini *ini, const char *section, const char *key)
{
    /* The last one wins, so that a later line can override an earlier one. */
    for (size_t i = ini->count; i-- > 0;)
        if (strcmp(ini->entries[i].section, section) == 0 && strcmp(ini->entries[i].key, key) == 0)
            return ini->entries[i].value;
    return NULL;
}

bool ini_get_int(const struct ini *ini, const char *section, const char *key, long *value)
{
    const char *text = ini_get(ini, section, key);
    char *end;
    if (!text || !*text)
        return false;
    errno = 0;
    long number = strtol(text, &end, 10);
    if (errno || *end)
        return false;
    *value = number;
    return true;
}

size_t ini_count(const struct ini *ini)
{
    return ini->count;
}
