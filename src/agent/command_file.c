/* command_file.c: see command_file.h. */
#include "agent/command_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "text/front_matter.h"

enum { DEPTH_MAX = 4, DESCRIPTION_MAX = 200, FILLED_MAX = 16 << 20, YOUNG_NS = 50000000 };

/* ---- finding ----------------------------------------------------------------------------------------------------- */

struct finder {
    const struct hv_host *host;
    struct hv_arena *arena;
    VEC(struct command_file) files;
    VEC(struct command_stamp) stamps;
    struct hv_str inside; /* files lie here, links resolved: a project's link cannot fetch a key from elsewhere */
    bool is_own;
};

static struct hv_file_stat look_at(const struct hv_host *host, struct hv_str path)
{
    struct hv_file_stat stat;
    return host->stat(host, path, true, &stat, NULL) == HV_OK ? stat : (struct hv_file_stat){0};
}

/* Before it is read: what changes meanwhile shows later. */
static void put_stamp(struct finder *finder, struct hv_str path)
{
    struct command_stamp stamp = {.path = path, .stat = look_at(finder->host, path)};
    stamp.is_young = stamp.stat.kind && finder->host->wall_ns(finder->host) < stamp.stat.ctime_ns + YOUNG_NS;
    *vec_push(&finder->stamps) = stamp;
}

/* Without front matter its first line says what it does. */
static struct hv_str first_line(struct hv_str body)
{
    struct hv_str line = hv_str_trim(body);
    line = hv_str_slice(line, 0, hv_str_find_byte(line, '\n', 0));
    while (line.len && (line.ptr[0] == '#' || line.ptr[0] == ' '))
        line = hv_str_slice(line, 1, line.len);
    return hv_str_trim(hv_str_slice(line, 0, DESCRIPTION_MAX));
}

static void read_file(struct finder *finder, struct command_file *file)
{
    struct hv_buf bytes = {0};
    struct hv_file_stat stat;
    struct front_matter matter;
    struct hv_str resolved;
    put_stamp(finder, file->path);
    if (finder->host->resolve(finder->host, finder->arena, file->path, &resolved, NULL) != HV_OK ||
        !path_inside(resolved, finder->inside)) {
        file->fault = "it is a link that leads elsewhere";
        return;
    }
    hv_buf_init(&bytes, COMMAND_FILE_MAX + 1);
    enum hv_code code = finder->host->read(finder->host, file->path, 0, COMMAND_FILE_MAX + 1, &bytes, &stat, NULL);
    struct hv_str text = hv_arena_str(finder->arena, hv_buf_str(&bytes));
    hv_buf_release(&bytes);
    if (code != HV_OK || stat.size > COMMAND_FILE_MAX) {
        file->fault = code != HV_OK ? "it cannot be read" : "it is larger than 256 KiB";
        return;
    }
    if (!utf8_valid(text) || memchr(text.ptr, 0, text.len)) {
        file->fault = "it is no text";
        return;
    }
    front_matter_read(finder->arena, text, &matter);
    file->fault = matter.fault;
    file->line = matter.fault_line;
    file->body = matter.body;
    file->description = front_matter_get(&matter, "description");
    file->argument_hint = front_matter_get(&matter, "argument-hint");
    file->allowed_tools = front_matter_get(&matter, "allowed-tools");
    if (!file->description.len)
        file->description = first_line(matter.body);
}

static bool is_known(const struct finder *finder, struct hv_str name)
{
    for (size_t i = 0; i < finder->files.count; i++)
        if (hv_str_eq(finder->files.items[i].name, name))
            return true;
    return false;
}

static bool is_name(struct hv_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.ptr[i] <= ' ' || name.ptr[i] == '/' || name.ptr[i] == 0x7f)
            return false;
    return name.len > 0 && name.ptr[0] != '.' && utf8_valid(name);
}

static int by_name(const void *a, const void *b)
{
    const struct hv_directory_entry *first = a, *second = b;
    return hv_str_compare(first->name, second->name);
}

static void find_below(struct finder *finder, struct hv_str directory, int depth)
{
    struct hv_directory_entry *entries;
    size_t count;
    bool more;
    put_stamp(finder, directory);
    if (finder->host->list(finder->host, finder->arena, directory, COMMAND_FILES_MAX, &entries, &count, &more, NULL) !=
        HV_OK)
        return;
    qsort(entries, count, sizeof *entries, by_name);
    for (size_t i = 0; i < count && finder->files.count < COMMAND_FILES_MAX; i++) {
        struct hv_str name = entries[i].name;
        struct hv_str path = hv_arena_format(finder->arena, "%.*s/%.*s", HV_STR_ARG(directory), HV_STR_ARG(name));
        if (entries[i].kind == HV_FILE_DIRECTORY && depth < DEPTH_MAX) {
            find_below(finder, path, depth + 1);
            continue;
        }
        if (!hv_str_ends(name, HV_STR(".md")))
            continue;
        name = hv_str_slice(name, 0, name.len - 3);
        if (!is_name(name) || is_known(finder, name))
            continue;
        struct command_file *file = vec_push(&finder->files);
        *file = (struct command_file){.name = name, .path = path, .is_own = finder->is_own};
        read_file(finder, file);
    }
}

static void set_tree(struct finder *finder, struct hv_str directory)
{
    if (finder->host->resolve(finder->host, finder->arena, directory, &finder->inside, NULL) != HV_OK)
        finder->inside = directory;
}

static int by_command(const void *a, const void *b)
{
    const struct command_file *first = a, *second = b;
    return hv_str_compare(first->name, second->name);
}

void command_files_find(const struct command_places *places, struct hv_arena *arena, struct command_files *out)
{
    struct finder finder = {.host = places->host, .arena = arena};
    static const char *const folders[] = {".helve/commands", ".claude/commands"};
    set_tree(&finder, places->directory);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        find_below(&finder, hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(places->directory), folders[i]), 0);
    finder.is_own = true;
    set_tree(&finder, places->home.len ? places->home : places->user_directory);
    if (places->user_directory.len)
        find_below(&finder, hv_arena_format(arena, "%.*s/commands", HV_STR_ARG(places->user_directory)), 0);
    if (places->home.len)
        find_below(&finder, hv_arena_format(arena, "%.*s/.claude/commands", HV_STR_ARG(places->home)), 0);
    out->count = finder.files.count;
    out->items = hv_arena_array(arena, struct command_file, out->count + 1);
    if (out->count)
        memcpy(out->items, finder.files.items, out->count * sizeof *out->items);
    qsort(out->items, out->count, sizeof *out->items, by_command);
    out->stamp_count = finder.stamps.count;
    out->stamps = hv_arena_array(arena, struct command_stamp, out->stamp_count + 1);
    if (out->stamp_count)
        memcpy(out->stamps, finder.stamps.items, out->stamp_count * sizeof *out->stamps);
    vec_release(&finder.files);
    vec_release(&finder.stamps);
}

bool command_files_changed(const struct hv_host *host, const struct command_files *files)
{
    for (size_t i = 0; i < files->stamp_count; i++) {
        const struct hv_file_stat *before = &files->stamps[i].stat;
        struct hv_file_stat now = look_at(host, files->stamps[i].path);
        if (files->stamps[i].is_young || now.kind != before->kind || now.inode != before->inode ||
            now.device != before->device || now.size != before->size || now.mtime_ns != before->mtime_ns ||
            now.ctime_ns != before->ctime_ns)
            return true;
    }
    return false;
}

const struct command_file *command_files_get(const struct command_files *files, struct hv_str name)
{
    for (size_t i = 0; i < files->count; i++)
        if (hv_str_eq(files->items[i].name, name))
            return &files->items[i];
    return NULL;
}

/* ---- filling in -------------------------------------------------------------------------------------------------- */

struct splitter {
    struct hv_arena *arena;
    struct hv_str arguments, words[9];
    VEC(struct command_part) parts;
    struct hv_buf text;
    bool took_arguments;
};

/* "two words" and 'two words' are one argument. */
static void split_words(struct splitter *splitter)
{
    struct hv_str text = splitter->arguments;
    size_t at = 0;
    for (size_t count = 0; count < 9; count++) {
        while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t' || text.ptr[at] == '\n'))
            at++;
        if (at >= text.len)
            return;
        char quote = text.ptr[at] == '"' || text.ptr[at] == '\'' ? text.ptr[at] : 0;
        size_t close = quote ? hv_str_find_byte(text, quote, at + 1) : SIZE_MAX;
        size_t end = at;
        while (end < text.len && text.ptr[end] != ' ' && text.ptr[end] != '\t' && text.ptr[end] != '\n')
            end++;
        splitter->words[count] = close != SIZE_MAX ? hv_str_slice(text, at + 1, close) : hv_str_slice(text, at, end);
        at = close != SIZE_MAX ? close + 1 : end;
    }
}

/* $ARGUMENTS or $1 at this place: its length, or 0. */
static size_t put_argument(struct splitter *splitter, struct hv_str body, size_t at, struct hv_buf *out)
{
    static const char all[] = "$ARGUMENTS";
    struct hv_str rest = hv_str_slice(body, at, body.len);
    if (hv_str_starts(rest, HV_STR("$ARGUMENTS"))) {
        hv_buf_add_str(out, splitter->arguments);
        splitter->took_arguments = true;
        return sizeof all - 1;
    }
    bool digit = rest.len >= 2 && rest.ptr[1] >= '1' && rest.ptr[1] <= '9';
    if (!digit || (rest.len > 2 && rest.ptr[2] >= '0' && rest.ptr[2] <= '9'))
        return 0;
    hv_buf_add_str(out, splitter->words[rest.ptr[1] - '1']);
    splitter->took_arguments = true;
    return 2;
}

static void put_filled(struct splitter *splitter, struct hv_str text, struct hv_buf *out)
{
    for (size_t at = 0; at < text.len;) {
        size_t taken = text.ptr[at] == '$' ? put_argument(splitter, text, at, out) : 0;
        if (!taken)
            hv_buf_add_byte(out, text.ptr[at++]);
        at += taken;
    }
}

static void end_text(struct splitter *splitter)
{
    if (splitter->text.len)
        *vec_push(&splitter->parts) =
            (struct command_part){.text = hv_arena_str(splitter->arena, hv_buf_str(&splitter->text))};
    hv_buf_clear(&splitter->text);
}

static void add_part(struct splitter *splitter, enum command_part_type type, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf filled = {.max = FILLED_MAX};
    put_filled(splitter, text, &filled);
    end_text(splitter);
    *vec_push(&splitter->parts) =
        (struct command_part){.type = type, .text = hv_arena_str(splitter->arena, hv_buf_str(&filled))};
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* !`command`: its length, or 0. */
static size_t take_shell(struct splitter *splitter, struct hv_str body, size_t at)
{
    size_t close = at + 1 < body.len && body.ptr[at + 1] == '`' ? hv_str_find_byte(body, '`', at + 2) : SIZE_MAX;
    if (close == SIZE_MAX || close == at + 2 || hv_str_find_byte(hv_str_slice(body, at, close), '\n', 0) != SIZE_MAX)
        return 0;
    add_part(splitter, COMMAND_SHELL, hv_str_slice(body, at + 2, close));
    return close + 1 - at;
}

/* @path at the beginning of a word: its length, or 0. The end of a sentence is none of the path. */
static size_t take_file(struct splitter *splitter, struct hv_str body, size_t at)
{
    size_t end = at + 1;
    if (at > 0 && !is_blank(body.ptr[at - 1]) && body.ptr[at - 1] != '(')
        return 0;
    while (end < body.len && !is_blank(body.ptr[end]) && body.ptr[end] != '`')
        end++;
    while (end > at + 1 && strchr(".,;:!?)", body.ptr[end - 1]))
        end--;
    if (end == at + 1)
        return 0;
    add_part(splitter, COMMAND_FILE, hv_str_slice(body, at + 1, end));
    return end - at;
}

struct command_part *command_split(struct hv_arena *arena, struct hv_str body, struct hv_str arguments, size_t *count)
{
    struct splitter splitter = {.arena = arena, .arguments = hv_str_trim(arguments), .text = {.max = FILLED_MAX}};
    split_words(&splitter);
    for (size_t at = 0; at < body.len;) {
        size_t taken = 0;
        bool room = splitter.parts.count + 2 < COMMAND_PARTS_MAX;
        if (body.ptr[at] == '!' && room)
            taken = take_shell(&splitter, body, at);
        else if (body.ptr[at] == '@' && room)
            taken = take_file(&splitter, body, at);
        else if (body.ptr[at] == '$')
            taken = put_argument(&splitter, body, at, &splitter.text);
        if (!taken)
            hv_buf_add_byte(&splitter.text, body.ptr[at++]);
        at += taken;
    }
    if (!splitter.took_arguments && splitter.arguments.len)
        hv_buf_addf(&splitter.text, "\n\n%.*s", HV_STR_ARG(splitter.arguments));
    end_text(&splitter);
    hv_buf_release(&splitter.text);
    *count = splitter.parts.count;
    struct command_part *parts = hv_arena_array(arena, struct command_part, *count + 1);
    if (*count)
        memcpy(parts, splitter.parts.items, *count * sizeof *parts);
    vec_release(&splitter.parts);
    return parts;
}

struct hv_str *command_rules(struct hv_arena *arena, struct hv_str allowed_tools, size_t *count)
{
    struct hv_str *rules = hv_arena_array(arena, struct hv_str, allowed_tools.len / 2 + 2);
    size_t start = 0, depth = 0;
    *count = 0;
    for (size_t at = 0; at <= allowed_tools.len; at++) {
        char byte = at < allowed_tools.len ? allowed_tools.ptr[at] : ',';
        depth += byte == '(';
        depth -= depth && byte == ')';
        bool ends = (byte == ',' || byte == ' ' || byte == '\n') && (!depth || at == allowed_tools.len);
        if (!ends)
            continue;
        struct hv_str rule = hv_str_trim(hv_str_slice(allowed_tools, start, at));
        if (rule.len)
            rules[(*count)++] = rule;
        start = at + 1;
    }
    return rules;
}
