/* demo.h: the recording that is part of the program. */
#ifndef MODEL_DEMO_H
#define MODEL_DEMO_H

#include <helve/str.h>

/* The bytes of demo.jsonl; valid for ever. */
struct hv_str demo_recording(void);

#endif
