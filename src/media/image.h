/*
 * image.h: a picture as a model takes it. What a provider would refuse must never reach it, since a conversation with
 * such a block in it is refused ever after: so every picture is decoded once, by a helper that has locked itself in
 * (image_helper.h); one that is small enough and of a usual format then goes out as the bytes it is.
 */
#ifndef MEDIA_IMAGE_H
#define MEDIA_IMAGE_H

#include "media/media.h"
#include "text/image_head.h"

enum {
    IMAGE_SIDE_MAX = 1568,                   /* pixels of the longer side: more are shrunk away by the providers */
    IMAGE_BYTES_MAX = 5 * (1 << 20) / 4 * 3, /* 5 MB of base64 */
    IMAGE_FILE_MAX = 64 << 20,
};

struct image {
    struct image_head head; /* of the file */
    struct hv_str bytes;    /* what is shown: the file's own bytes (a view), or new ones in the arena */
    enum image_format format;
    uint32_t width, height; /* as shown: turned upright, shrunk */
    bool changed;           /* bytes are new ones */
    bool plain;             /* all of it is one colour (told of unchanged ones only) */
};

/*
 * Make a picture of at most bytes_max (IMAGE_BYTES_MAX or less) out of a file's bytes. Errors, the message without a
 * path: those of image_head_read; HV_ETOOBIG: more pixels or bytes than can be decoded within the limits; HV_EINVAL: it
 * cannot be decoded; HV_ETIMEOUT, HV_ECANCELLED; HV_EUNSUPPORTED: the decoder cannot be run here. Of an
 * animation that must be shrunk, the first picture is made. Blocks for the time of decoding (0.1 s for what a camera
 * makes). Any thread.
 */
enum hv_code image_prepare(const struct media *media, struct hv_str bytes, size_t bytes_max, struct image *out,
                           struct hv_error *err) HV_MUST_CHECK;

#endif
