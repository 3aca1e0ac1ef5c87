/*
 * fingerprint.c: what a project has that helve obeys once it is trusted: its settings, .mcp.json and the scripts of its
 * hooks. Of what was trusted a sum stands in the trust store, and a copy beside it, so that a change can be shown.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "config/loader.h"
#include "text/diff.h"

enum { SCRIPTS_MAX = 200, SHOWN_MAX = 64 << 10, COPY_MAX = 8 << 20 };

/* One file: below the project's folder. */
struct obeyed {
    struct hv_str name, text;
    enum hv_code code; /* why there is no text */
};

struct obeyed_files {
    VEC(struct obeyed) list;
    bool too_many;
};

/* What is no file is not obeyed, and does not count. */
static void add_file(struct obeyed_files *files, const struct settings_options *options, struct hv_str project,
                     struct hv_arena *arena, struct hv_str name)
{
    struct obeyed file = {.name = name};
    struct hv_file_stat found;
    if (options->host->stat(options->host, path_join(arena, project, name), true, &found, NULL) == HV_OK &&
        found.kind != HV_FILE_REGULAR)
        return;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, SETTINGS_FILE_MAX + 1);
    file.code = options->host->read(options->host, path_join(arena, project, name), 0, SETTINGS_FILE_MAX + 1, &text,
                                    NULL, NULL);
    if (file.code == HV_ENOTFOUND)
        return;
    file.text = file.code == HV_OK ? hv_arena_str(arena, hv_buf_str(&text)) : HV_STR("");
    *vec_push(&files->list) = file;
}

static int compare_entries(const void *a, const void *b)
{
    return hv_str_compare(((const struct hv_directory_entry *)a)->name, ((const struct hv_directory_entry *)b)->name);
}

/* The scripts that hooks of a project usually name. */
static void add_scripts(struct obeyed_files *files, const struct settings_options *options, struct hv_str project,
                        struct hv_arena *arena, struct hv_str folder)
{
    struct hv_directory_entry *entries;
    size_t count;
    bool more;
    if (options->host->list(options->host, arena, path_join(arena, project, folder), SCRIPTS_MAX, &entries, &count,
                            &more, NULL) != HV_OK)
        return;
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i++)
        if (entries[i].kind != HV_FILE_DIRECTORY)
            add_file(files, options, project, arena, path_join(arena, folder, entries[i].name));
    files->too_many |= more;
}

static void collect(struct obeyed_files *files, const struct settings_options *options,
                    const struct locations *locations, struct hv_arena *arena)
{
    static const char *const folders[] = {".helve", ".claude"};
    *files = (struct obeyed_files){0};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct hv_str folder = hv_str_from(folders[i]);
        if (i == 1 && locations->is_home) /* the person's own */
            continue;
        add_file(files, options, locations->project, arena, path_join(arena, folder, HV_STR("settings.json")));
        add_file(files, options, locations->project, arena, path_join(arena, folder, HV_STR("settings.local.json")));
        add_scripts(files, options, locations->project, arena, path_join(arena, folder, HV_STR("hooks")));
    }
    add_file(files, options, locations->project, arena, HV_STR(".mcp.json"));
}

static struct hv_str sum_of(const struct obeyed_files *files, struct hv_arena *arena)
{
    struct sha256 sum;
    char hex[SHA256_HEX + 1];
    sha256_begin(&sum);
    for (size_t i = 0; i < files->list.count; i++) {
        const struct obeyed *file = &files->list.items[i];
        struct hv_str head =
            hv_arena_format(arena, "%.*s %d %zu", HV_STR_ARG(file->name), (int)file->code, file->text.len);
        sha256_add(&sum, head.ptr, head.len + 1);
        if (file->text.len)
            sha256_add(&sum, file->text.ptr, file->text.len);
    }
    sha256_add(&sum, files->too_many ? "more" : "", files->too_many ? 4 : 0);
    sha256_end(&sum, hex);
    return hv_arena_str(arena, hv_str_of(hex, SHA256_HEX));
}

struct hv_str fingerprint_of(const struct settings_options *options, const struct locations *locations,
                             struct hv_arena *arena)
{
    struct obeyed_files files;
    collect(&files, options, locations, arena);
    struct hv_str sum = sum_of(&files, arena);
    vec_release(&files.list);
    return sum;
}

/* ---- the copy ---------------------------------------------------------------------------------------------------- */

static struct hv_str copy_file(const struct locations *locations, struct hv_arena *arena, struct hv_str folder)
{
    struct sha256 sum;
    char hex[SHA256_HEX + 1];
    sha256_begin(&sum);
    sha256_add(&sum, folder.ptr, folder.len);
    sha256_end(&sum, hex);
    return path_join(arena, locations->state_directory, hv_arena_format(arena, "trusted/%s.json", hex));
}

struct hv_str fingerprint_keep(const struct settings_options *options, const struct locations *locations,
                               struct hv_arena *arena, struct hv_str folder)
{
    struct obeyed_files files;
    CLEANUP_BUF struct hv_buf out = {0};
    struct hv_json_writer writer;
    collect(&files, options, locations, arena);
    struct hv_str sum = sum_of(&files, arena);
    hv_buf_init(&out, COPY_MAX);
    hv_json_writer_init(&writer, &out);
    hv_json_begin_object(&writer);
    for (size_t i = 0; i < files.list.count; i++) {
        const struct obeyed *file = &files.list.items[i];
        if (!utf8_valid(file->text) || !utf8_valid(file->name))
            continue;
        hv_json_name_str(&writer, file->name);
        hv_json_put_string(&writer, file->text);
    }
    hv_json_end_object(&writer);
    struct hv_write_options how = {.make_parents = true, .mode = 0600};
    /* Without it a change is noticed all the same, and only not shown. */
    if (!out.failed)
        (void)options->host->write(options->host, copy_file(locations, arena, folder), hv_buf_str(&out), &how, NULL,
                                   NULL);
    vec_release(&files.list);
    return sum;
}

static void show(struct hv_str name, struct hv_str before, struct hv_str after, struct hv_buf *out)
{
    const struct diff_options how = {.context = 2,
                                     .max_lines = 200,
                                     .max_bytes = SHOWN_MAX,
                                     .max_line_bytes = 500,
                                     .old_name = name,
                                     .new_name = name};
    diff_unified(before, after, &how, out, NULL);
}

void fingerprint_changes(const struct settings_options *options, const struct locations *locations,
                         struct hv_arena *arena, struct hv_str folder, struct hv_buf *out)
{
    struct obeyed_files files;
    CLEANUP_BUF struct hv_buf bytes = {0};
    const struct hv_json *kept = NULL;
    hv_buf_init(&bytes, COPY_MAX);
    if (options->host->read(options->host, copy_file(locations, arena, folder), 0, COPY_MAX, &bytes, NULL, NULL) ==
        HV_OK)
        (void)!hv_json_parse(arena, hv_buf_str(&bytes), 0, &kept, NULL);
    collect(&files, options, locations, arena);
    for (size_t i = 0; i < files.list.count; i++) {
        const struct hv_json *before = hv_json_get_str(kept, files.list.items[i].name);
        show(files.list.items[i].name, before && before->type == HV_JSON_STRING ? before->text : HV_STR(""),
             files.list.items[i].text, out);
    }
    hv_json_each(item, kept)
    {
        bool there = false;
        for (size_t i = 0; i < files.list.count && !there; i++)
            there = hv_str_eq(files.list.items[i].name, item->key);
        if (!there && item->type == HV_JSON_STRING)
            show(item->key, item->text, HV_STR(""), out);
    }
    vec_release(&files.list);
}
