/* settings_alias.c: a change of a file that is a settings or start-up file by another name is one of that. */
#include "fs/settings_alias.h"

#include "policy/policy.h"
#include "sandbox/home_links.h"

void policy_add_settings_aliases(const struct hv_host *host, struct hv_arena *arena,
                                 const struct settings_places *places, struct policy_facts *facts)
{
    struct policy_path *all = hv_arena_array(arena, struct policy_path, 2 * facts->write_count);
    struct home_links links = {0};
    size_t count = 0;
    if (host && facts->write_count)
        home_links_find(host, arena, places->home, &links);
    for (size_t i = 0; i < facts->write_count; i++) {
        const struct policy_path *path = &facts->writes[i];
        struct hv_str alias = {0};
        if (host && path->kind == HV_FILE_REGULAR)
            alias = fs_settings_alias(host, arena, places, path->written);
        if (!alias.len)
            alias = home_links_name(&links, host, arena, path->resolved);
        if (alias.len) /* first, as the answer names the first that is protected */
            policy_path_resolve(host, arena, alias, &all[count++]);
        all[count++] = *path;
    }
    facts->writes = all;
    facts->write_count = count;
}
