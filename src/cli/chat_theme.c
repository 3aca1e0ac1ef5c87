/* chat_theme.c: which theme the terminal gets: the setting's, which `/config theme NAME` changes. */
#include "base/cleanup.h"
#include "cli/chat.h"

enum { THEME_MAX = 64 << 10, THEMES_MAX = 1000 };

static bool is_built_in(struct hv_str name)
{
    return !name.len || hv_str_is(name, "auto") || hv_str_is(name, "dark") || hv_str_is(name, "light");
}

static struct hv_str themes_folder(struct chat *chat, struct hv_arena *arena)
{
    return hv_arena_format(arena, "%.*s/themes", HV_STR_ARG(chat->setup.settings->user_directory));
}

/* "auto, dark, light" and the files of the person's. */
static struct hv_str list_names(struct chat *chat, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf names = {.max = 64 << 10};
    const struct hv_host *host = chat->setup.host;
    struct hv_directory_entry *entries = NULL;
    size_t count = 0;
    bool more;
    hv_buf_add_cstr(&names, "auto, dark, light");
    if (host->list(host, arena, themes_folder(chat, arena), THEMES_MAX, &entries, &count, &more, NULL) != HV_OK)
        count = 0;
    for (size_t i = 0; i < count; i++)
        if (entries[i].name.len > 5 && hv_str_ends(entries[i].name, HV_STR(".json")))
            hv_buf_addf(&names, ", %.*s", HV_STR_ARG(hv_str_slice(entries[i].name, 0, entries[i].name.len - 5)));
    return hv_arena_str(arena, hv_buf_str(&names));
}

/* A name is no path: nothing else of the disk is read by it. */
static bool is_plain_name(struct hv_str name)
{
    return name.len <= 100 && name.ptr[0] != '.' && hv_str_find_byte(name, '/', 0) == SIZE_MAX &&
           hv_str_find_byte(name, '\0', 0) == SIZE_MAX;
}

enum hv_code chat_read_theme(struct chat *chat, struct hv_arena *arena, struct hv_str name, struct ui_theme *theme,
                             struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {.max = THEME_MAX};
    const struct hv_host *host = chat->setup.host;
    struct hv_file_stat stat;
    *theme = (struct ui_theme){.name = hv_arena_str(arena, name)};
    if (is_built_in(name))
        return HV_OK;
    *theme = (struct ui_theme){0};
    struct hv_str path =
        hv_arena_format(arena, "%.*s/%.*s.json", HV_STR_ARG(themes_folder(chat, arena)), HV_STR_ARG(name));
    if (!is_plain_name(name) || host->stat(host, path, true, &stat, NULL) != HV_OK) {
        hv_fail(err, HV_ENOTFOUND, "there is no theme \"%.*s\"", HV_STR_ARG(name));
        hv_error_hint(err, "There are: %.*s. A file %.*s/NAME.json makes another one.",
                      HV_STR_ARG(list_names(chat, arena)), HV_STR_ARG(themes_folder(chat, arena)));
        return HV_ENOTFOUND;
    }
    enum hv_code code = stat.size > THEME_MAX
                            ? hv_fail(err, HV_ETOOBIG, "the theme %.*s is larger than 64 kB", HV_STR_ARG(path))
                            : host->read(host, path, 0, THEME_MAX, &text, NULL, err);
    if (code == HV_OK)
        *theme = (struct ui_theme){
            .name = hv_arena_str(arena, name), .text = hv_arena_str(arena, hv_buf_str(&text)), .file = path};
    return code;
}

/* What the files say now: a session keeps the settings that it began with. */
static struct hv_str theme_of_files(struct chat *chat, struct hv_arena *arena)
{
    struct settings *fresh;
    struct hv_str name = chat->setup.settings->theme;
    if (settings_load(&chat->setup.settings_options, &fresh, NULL) == HV_OK) {
        name = hv_arena_str(arena, fresh->theme);
        settings_unref(fresh);
    }
    return name.len ? name : HV_STR("auto");
}

static void save_theme(struct chat *chat, struct hv_arena *arena, struct hv_str name, struct hv_buf *out)
{
    struct hv_error err;
    const struct settings_options *options = &chat->setup.settings_options;
    if (settings_set_text(options, SETTINGS_USER, "theme", name, &err) != HV_OK) {
        hv_buf_addf(out, "The theme is `%.*s` in this session only: %s.", HV_STR_ARG(name), err.message);
        return;
    }
    struct hv_str next = theme_of_files(chat, arena);
    hv_buf_addf(out, "The theme is `%.*s`, and is kept in `%.*s`.", HV_STR_ARG(name),
                HV_STR_ARG(settings_file(options, arena, SETTINGS_USER)));
    if (!hv_str_eq(next, name))
        hv_buf_addf(out, " Here other settings go before: they say `%.*s`.", HV_STR_ARG(next));
}

void chat_choose_theme(struct chat *chat, struct hv_str name, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct ui_theme theme;
    struct hv_error err;
    if (!chat->functions->set_theme) {
        hv_buf_add_cstr(out, "Themes have no meaning line by line.");
        return;
    }
    if (!name.len) {
        hv_buf_addf(out, "The theme of your settings is `%.*s`. There are: %.*s.",
                    HV_STR_ARG(theme_of_files(chat, &arena)), HV_STR_ARG(list_names(chat, &arena)));
        return;
    }
    if (chat_read_theme(chat, &arena, name, &theme, &err) != HV_OK) {
        hv_buf_addf(out, "**%s**\n\n%s\n", err.message, err.hint);
        return;
    }
    chat->functions->set_theme(chat->ui, &theme);
    save_theme(chat, &arena, name, out);
}
