/* ini.h: reads configuration in the INI format: sections in brackets, "key = value" lines, comments after ; or #. */
#ifndef INI_H
#define INI_H

#include <stdbool.h>
#include <stddef.h>

struct ini;

/* Parse text (need not end in NUL). Returns NULL when a line is neither a section, a key, a comment nor blank; *line is
 * then its number, from 1. Free with ini_free. */
struct ini *ini_parse(const char *text, size_t length, size_t *line);
void ini_free(struct ini *ini);

/* The value of a key in a section ("" is the part before the first section), or NULL. Valid until ini_free. */
const char *ini_get(const struct ini *ini, const char *section, const char *key);
bool ini_get_int(const struct ini *ini, const char *section, const char *key, long *value);
size_t ini_count(const struct ini *ini);

#endif
