/* image_run.h: a run of the helper for images; shared by image.c and image_draw.c. */
#ifndef MEDIA_IMAGE_RUN_H
#define MEDIA_IMAGE_RUN_H

#include "media/media.h"
#include "text/image_head.h"

/* Whether it can be decoded within the limits. */
enum hv_code image_check_size(const struct image_head *head, size_t bytes, struct hv_error *err) HV_MUST_CHECK;
/* Run it with these words, the file on its stdin; what it writes is appended to answer. */
enum hv_code image_run(const struct media *media, const struct image_head *head, const char *const *words, size_t count,
                       struct hv_str bytes, struct hv_buf *answer, struct hv_error *err) HV_MUST_CHECK;

#endif
