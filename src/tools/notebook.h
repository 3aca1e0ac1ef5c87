/*
 * notebook.h: Jupyter notebooks (nbformat 4) changed cell by cell. The change is computed as splices of the file's own
 * bytes, so that everything else in it, the order of members and the layout included, stays as it is. Pure.
 * Format: https://nbformat.readthedocs.io/en/latest/format_description.html
 */
#ifndef TOOLS_NOTEBOOK_H
#define TOOLS_NOTEBOOK_H

#include "text/edit.h"

#include <helve/json.h>

enum notebook_cell { NOTEBOOK_SAME = 0, NOTEBOOK_CODE, NOTEBOOK_MARKDOWN, NOTEBOOK_RAW };
enum notebook_mode { NOTEBOOK_REPLACE = 0, NOTEBOOK_INSERT, NOTEBOOK_DELETE };

struct notebook_request {
    enum notebook_mode mode;
    struct hv_str cell_id;   /* the cell's id, or "cell-N" with its number; absent: see cell_number */
    int64_t cell_number;     /* from 0; -1: not given. INSERT puts the new cell behind the one named, or first of all */
    struct hv_str source;    /* not of DELETE */
    enum notebook_cell type; /* SAME: of a replaced cell its own, of a new one code */
};

struct notebook_outcome {
    struct edit edit;
    size_t index;     /* of the cell that was replaced, put in or taken out */
    struct hv_str id; /* its id; absent when it has none */
};

/*
 * Compute a change of the notebook in file. The outputs and the execution count of a replaced code cell are cleared.
 * Splices and texts are in arena. HV_EINVAL: no notebook of format 4, or the request lacks something; HV_ENOTFOUND: no
 * such cell (the hint tells which there are).
 */
enum hv_code notebook_compute(struct hv_arena *arena, struct hv_str file, const struct notebook_request *request,
                              struct notebook_outcome *out, struct hv_error *err) HV_MUST_CHECK;

/* Parse file as a notebook of format 4: *notebook is its tree, whose "cells" are an array of objects. */
enum hv_code notebook_parse(struct hv_arena *arena, struct hv_str file, const struct hv_json **notebook,
                            struct hv_error *err) HV_MUST_CHECK;
/* A text that stands as a string or as an array of strings (source, output text); in arena. */
struct hv_str notebook_text(struct hv_arena *arena, const struct hv_json *value);

#endif
