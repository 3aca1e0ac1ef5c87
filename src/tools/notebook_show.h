/* notebook_show.h: a notebook as Read shows it: cells with their numbers, ids and kinds, and what they put out. */
#ifndef TOOLS_NOTEBOOK_SHOW_H
#define TOOLS_NOTEBOOK_SHOW_H

#include "media/media.h"

#include <helve/content.h>
#include <helve/json.h>

/*
 * Add the notebook (a tree of notebook_parse) to result: text blocks, and images between them. At most `budget` bytes
 * of text; what is left out is told. Pictures are decoded once and shrunk as those in files are (media/image.h).
 * Returns how many cells were shown.
 */
size_t notebook_show(const struct media *media, const struct hv_json *notebook, size_t budget,
                     struct hv_result *result);

#endif
