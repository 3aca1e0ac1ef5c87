/*
 * blocks.h: the line-wise reader of what a person is shown (helve/show.h): for pipes, plain terminals and screen
 * readers, and for what is printed of earlier sessions. Knows no tool. Pure; any thread.
 */
#ifndef CLI_BLOCKS_H
#define CLI_BLOCKS_H

#include <helve/show.h>

struct blocks_style {
    bool colour;
    const char *margin; /* in front of every line: so that none of what a model wrote looks like a line of ours */
    size_t lines;       /* of each block, at most; 0: all */
};

/* Append a list of blocks. Nothing of it steers the terminal, hides or turns around. */
void blocks_put(struct hv_str blocks, const struct blocks_style *style, struct hv_buf *out);
/* Append one unified diff in the same way. */
void blocks_put_diff(struct hv_str diff, const struct blocks_style *style, struct hv_buf *out);

#endif
