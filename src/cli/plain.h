/* plain.h: the interactive session line by line: for dumb terminals, pipes and screen readers. What was written is
 * never changed or repeated, nothing moves by itself. */
#ifndef CLI_PLAIN_H
#define CLI_PLAIN_H

#include "ui/front.h"

/* The table of the interface, as the module's (ui/front.h). */
const struct ui_functions *plain_table(void);

#endif
