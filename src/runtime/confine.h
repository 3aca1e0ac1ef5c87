/* confine.h: the sandbox of a session, as its settings and its workspace ask for it. */
#ifndef RUNTIME_CONFINE_H
#define RUNTIME_CONFINE_H

#include "runtime/runtime.h"
#include "sandbox/sandbox.h"

/* The sandbox for the commands of runtime, whose host, settings and options are set; NULL where its host is not this
 * machine. Does no I/O. The caller frees it, when nothing runs any more, by sandbox_free. */
struct hv_sandbox *confine_new(struct runtime *runtime);
/* ask_network.c: as sandbox_setup.ask, by the session's service; user is the runtime. */
void ask_network(void *user, const struct sandbox_connection *connection, const struct hv_cancel *cancel,
                 struct hv_arena *arena, struct sandbox_leave *out);

#endif
