/* buf.h: what large buffers can do beside helve/str.h. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <helve/str.h>

/* Empty the buffer and keep its memory for later; until it is written to again the kernel may take the pages back, and
 * does so when memory is short. */
void buf_rest(struct hv_buf *buf);

#endif
