/* media.h: what the readers of foreign formats need of the call that they work for. */
#ifndef MEDIA_MEDIA_H
#define MEDIA_MEDIA_H

#include <helve/host.h>

struct media {
    const struct hv_host *host;     /* runs the decoders */
    const struct hv_cancel *cancel; /* may be NULL */
    struct hv_arena *arena;         /* for what is returned */
};

#endif
