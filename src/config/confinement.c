/* confinement.c: the `sandbox` member; what it means is said in src/sandbox/options.h. Lists of all sources add up. */
#include "config/loader.h"

struct complaint {
    struct loader *loader;
    struct source *source;
    const struct hv_json *member;
};

static void complain(void *user, const char *key, const char *message)
{
    const struct complaint *complaint = user;
    struct hv_str shown = text_shown(complaint->loader->arena, hv_str_from(key));
    loader_warn(complaint->loader, complaint->source, complaint->member, "\"%.*s\" in \"sandbox\" %s: it is ignored",
                HV_STR_ARG(shown), message);
}

void confinement_read(struct loader *loader, struct source *source, const struct hv_json *member)
{
    struct complaint complaint = {loader, source, member};
    if (member->type != HV_JSON_OBJECT) {
        loader_warn_type(loader, source, member, "an object");
        return;
    }
    sandbox_options_add(&loader->settings->sandbox, loader->arena, member, loader->locations.project,
                        loader->options->home, complain, &complaint);
}
