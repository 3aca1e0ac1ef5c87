/* appearance.c: what the terminal takes, and the palette that fits its background or was chosen. */
#include "base/cleanup.h"
#include "ui/session/view.h"
#include "ui/text/theme.h"

enum { FAULTS_MAX = 64 << 10, FAULTS_SHOWN = 8 };

void appearance_begin(struct ui *ui)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    bool dumb = !term || !*term || hv_str_is(hv_str_from(term), "dumb");
    ui->theme.colour = !ui->front->plain && !dumb && !(no_colour && *no_colour);
    ui->theme.links = !dumb && !hv_str_is(hv_str_from(term), "linux");
    ui->background_light = theme_is_light_variable(getenv("COLORFGBG"));
    /* These cut their lines when they become narrower. */
    ui->screen.reflows = !getenv("XTERM_VERSION") && !hv_str_is(hv_str_from(term), "linux") &&
                         (getenv("TMUX") || !hv_str_starts(hv_str_from(term), HV_STR("screen")));
}

static void choose_by_background(struct ui *ui)
{
    ui->theme.palette = theme_built_in(ui->background_light ? HV_STR("light") : HV_STR("dark"));
}

static void read_own(struct ui *ui, const struct ui_theme *theme)
{
    CLEANUP_BUF struct hv_buf faults = {.max = FAULTS_MAX};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str rest, line;
    theme_read(theme->text, &ui->own_palette, &faults);
    ui->theme.palette = &ui->own_palette;
    rest = hv_buf_str(&faults);
    for (int i = 0; i < FAULTS_SHOWN && paint_next_line(&rest, &line); i++)
        view_note(ui, PAINT_WARN, "!", hv_arena_format(&arena, "%.*s:%.*s", HV_STR_ARG(theme->file), HV_STR_ARG(line)));
}

void appearance_set(struct ui *ui, const struct ui_theme *theme)
{
    const struct paint_palette *named = theme_built_in(theme->name);
    ui->theme_fixed = theme->text.ptr || named;
    if (theme->text.ptr)
        read_own(ui, theme);
    else if (named)
        ui->theme.palette = named;
    else
        choose_by_background(ui);
    view_dirty(ui);
}

void appearance_background(struct ui *ui, uint32_t colour)
{
    ui->background_light = theme_is_light_colour(colour);
    if (!ui->theme_fixed)
        choose_by_background(ui);
}
