/* demo.c: the recording that is part of the program: demo.jsonl. See replay.c. */
#include "model/demo.h"

#include "base/embed.h"
#include "demo_stamp.h"

EMBED(recording, MODEL_DEMO_FILE)

struct hv_str demo_recording(void)
{
    return recording();
}
