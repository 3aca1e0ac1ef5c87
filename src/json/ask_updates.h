/* ask_updates.h: `updatedPermissions`, by which a program or a hook that answers a question gives leave for longer. */
#ifndef JSON_ASK_UPDATES_H
#define JSON_ASK_UPDATES_H

#include <helve/ask.h>
#include <helve/json.h>

/* Take the rules of the first update that allows some into answer, with their scope; their texts are in arena or in the
 * JSON's. updates: an array, or NULL. */
void ask_read_updates(const struct hv_json *updates, struct hv_arena *arena, struct hv_answer *answer);

#endif
