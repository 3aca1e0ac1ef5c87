/*
 * image_helper.h: what helve tells its helper for images (image_helper.c) and what that answers; and the confinement
 * that the helper puts on itself.
 *
 *   helve-image FORMAT WIDTH HEIGHT ORIENTATION BYTES_MAX     the file on stdin
 *
 *   helve-image draw KIND COLUMNS ROWS CELL_WIDTH CELL_HEIGHT FORMAT WIDTH HEIGHT ORIENTATION
 *
 * draws it for a terminal: KIND is enum image_draw_kind (image_draw.h); on stdout "drawn COLUMNS ROWS\n" and what the
 * terminal is to be sent, or "png …" as above.
 *
 * Numbers are decimal; FORMAT is enum image_format; WIDTH and HEIGHT are what the picture is to be shrunk to, before it
 * is turned by ORIENTATION. BYTES_MAX 0: only find out whether it can be decoded. On stdout: "png 1568 882\n" (or
 * "jpeg", or "sound" for BYTES_MAX 0) and then the new file.
 */
#ifndef MEDIA_IMAGE_HELPER_H
#define MEDIA_IMAGE_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the helper exits with. */
enum image_helper_exit {
    IMAGE_HELPER_DONE = 0,
    IMAGE_HELPER_USAGE = 2,
    IMAGE_HELPER_BROKEN,     /* the decoder refuses the file */
    IMAGE_HELPER_MEMORY,     /* there is not enough of it under the limit */
    IMAGE_HELPER_TOO_LARGE,  /* no way of writing it stays within BYTES_MAX */
    IMAGE_HELPER_UNCONFINED, /* this system does not let it confine itself: nothing was decoded */
    IMAGE_HELPER_UNDRAWN,    /* libchafa is not there, or does not draw it */
};

enum { IMAGE_HELPER_MEMORY_LIMIT = 512 << 20, IMAGE_HELPER_CPU_SECONDS = 20, IMAGE_HELPER_INPUT_MAX = 64 << 20 };

/*
 * From here on this process can only use memory (IMAGE_HELPER_MEMORY_LIMIT of it), read stdin, write stdout and stderr,
 * look at a clock, and end; anything else (opening a file, a socket, another process) kills it at once (SIGSYS), as
 * does using more than its share of the processor. False: the system has no such filter. Cannot be undone.
 */
bool image_helper_confine(void);

#endif
