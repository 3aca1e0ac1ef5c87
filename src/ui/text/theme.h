/*
 * theme.h: palettes by name, by the terminal's background, and from a person's own file. Pure.
 *
 * A file is a JSON object: "base" ("dark" or "light": what it does not say is as there) and styles by name, each a text
 * of attributes and colours: {"base": "light", "heading": "bold #005f87", "added": "green"}.
 */
#ifndef UI_TEXT_THEME_H
#define UI_TEXT_THEME_H

#include "ui/text/paint.h"

/* "dark": the terminal's own 16 colours; "light": colours that can be read on white. NULL: there is none of that name.
 */
const struct paint_palette *theme_built_in(struct hv_str name);
/*
 * Read a file into palette. Each fault becomes a line "line:column: what is wrong" of faults, and what it is about
 * stays as in the base; of a text that is no JSON object all does.
 */
void theme_read(struct hv_str text, struct paint_palette *palette, struct hv_buf *faults);
/* What the variable COLORFGBG says of the background ("0;15", "12;default;8"); NULL and what says nothing: dark. */
bool theme_is_light_variable(const char *value);
/* A background of this colour, 0xRRGGBB, is light. */
bool theme_is_light_colour(uint32_t colour);

#endif
