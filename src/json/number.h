/* number.h: what the text of a JSON number means, whatever the locale of the process. Pure. */
#ifndef JSON_NUMBER_H
#define JSON_NUMBER_H

#include <helve/str.h>

/* All take the text of a valid JSON number. */
bool number_to_int64(struct hv_str text, int64_t *out); /* false when not whole or too large */
bool number_to_double(struct hv_str text, double *out); /* nearest double; false on overflow */
bool number_equal(struct hv_str a, struct hv_str b);    /* same value, exactly: 1.0 and 10e-1 are equal */

enum { NUMBER_TEXT_MAX = 32 };
/* The shortest decimal that reads back as value (finite); returns its length. */
size_t number_format(char out[NUMBER_TEXT_MAX], double value);

#endif
