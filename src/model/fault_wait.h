/* fault_wait.h: how long a server asks to wait, as its error's words say it. Inner to src/model; pure. */
#ifndef MODEL_FAULT_WAIT_H
#define MODEL_FAULT_WAIT_H

#include <helve/json.h>

/* The wait in milliseconds that an error object or its message asks for, at most a year, or -1. */
int64_t fault_wait_from_json(const struct hv_json *error, struct hv_str message);

/* "25 minutes", "3 hours", "16 days". In arena. */
struct hv_str fault_wait_text(struct hv_arena *arena, int64_t wait_ms);

#endif
