/* untrusted.h: how text from outside (web, servers) is marked for a model, whatever the shape of the answer. */
#ifndef RUNTIME_UNTRUSTED_H
#define RUNTIME_UNTRUSTED_H

#include <helve/content.h>

/* Append text, wrapped so that it cannot end its own wrapping. */
void untrusted_put(struct hv_buf *out, struct hv_str text);
/* Append the text of all blocks of a result, each on lines of its own, wrapped where it is not helve's. */
void untrusted_put_result(struct hv_buf *out, const struct hv_result *result);

#endif
