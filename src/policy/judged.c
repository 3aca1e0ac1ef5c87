/*
 * judged.c: the one look at the world before a command is decided on: programs are looked up, links followed; all that
 * comes after is pure. See judged.h.
 */
#include "policy/judged.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "fs/settings_alias.h"
#include "policy/arriving.h"
#include "policy/asked.h"
#include "policy/command.h"
#include "policy/hazard.h"
#include "policy/led_out.h"
#include "policy/lookups.h"
#include "policy/match.h"
#include "policy/parts.h"
#include "policy/sought.h"

#include <string.h>

/* Words that may be paths; a command that a rule can allow has fewer. */
enum { LOOKED_AT_MAX = 10000 };

/* ---- what the command sees of the world -------------------------------------------------------------------------- */

static struct hv_str plain_variable(void *user, struct hv_str name)
{
    const struct policy_surroundings *surroundings = user;
    return shell_known_variable(surroundings->environment, name);
}

/* user: the struct lookups. */
static struct hv_str follow(void *user, struct hv_arena *arena, struct hv_str path)
{
    struct lookups *lookups = user;
    (void)arena;
    return lookups->host ? lookups_find(lookups, path)->resolved : (struct hv_str){0};
}

/* ---- the parts --------------------------------------------------------------------------------------------------- */

/* A judgement in the making. */
struct judging {
    const struct policy *policy;
    const struct policy_surroundings *surroundings;
    struct hv_arena *arena;
    struct policy_command *command;
    struct policy_facts *facts;
    struct lookups lookups; /* used only where there is a host */
    struct leading leading;
    struct map second_names;                  /* what is written: where each leads, a struct hv_str */
    struct home_links links;                  /* found when something is written first */
    struct map brought;                       /* the paths where parts that may bring links along write */
    const struct shell_command *only_bringer; /* the one command that may, where it runs once */
    struct hv_str brought_below;              /* the last directory that was asked about, and the answer */
    bool is_brought_below, links_are_brought;
};

/* The part may make links, or move them. Some only take files away, or change or make plain ones. */
static bool brings_links(const struct shell_act *act)
{
    static const char plain[] = "rm rmdir unlink touch mkdir chmod chown chgrp truncate";
    bool by_plain = act->class == SHELL_WRITES && act->word_count && act->words[0].known &&
                    shell_is_one_of(act->words[0].value, plain);
    return !by_plain && shell_act_brings_names(act);
}

/* It stands in the script itself, where it runs but once. */
static bool runs_once(const struct shell_script *script, const struct shell_command *command)
{
    const unsigned often = SHELL_IN_LOOP | SHELL_IN_FUNCTION | SHELL_IN_SPAWNED;
    return command >= script->commands && command < script->commands + script->count && !(command->place & often);
}

static void find_bringers(struct judging *judging)
{
    const struct shell_judgement *judgement = &judging->command->judgement;
    for (size_t i = 0; judgement->brings_names && i < judgement->count; i++) {
        const struct shell_act *act = &judgement->acts[i];
        if (!brings_links(act))
            continue;
        bool is_only = !judging->links_are_brought && runs_once(&judgement->script, act->command);
        judging->only_bringer = is_only || judging->only_bringer == act->command ? act->command : NULL;
        judging->links_are_brought = true;
    }
}

/* The parts that bring links along: where they write. */
static void find_brought(struct judging *judging)
{
    const struct shell_judgement *judgement = &judging->command->judgement;
    find_bringers(judging);
    for (size_t i = 0; judging->links_are_brought && i < judgement->count; i++) {
        const struct shell_act *act = &judgement->acts[i];
        if (act->first < i || !act->write_count || !brings_links(act))
            continue;
        for (size_t j = 0; j < act->write_count; j++)
            if (!act->writes[j].redirect && act->writes[j].path.len)
                (void)map_set(&judging->brought, act->writes[j].path, judging);
    }
}

/* Such a part writes directory, or a tree around it. */
static bool is_written_with(const struct judging *judging, struct hv_str directory)
{
    for (;; directory = path_parent(directory)) {
        if (map_get(&judging->brought, directory))
            return true;
        if (hv_str_is(directory, "/"))
            return false;
    }
}

/* It copies or moves one file, which it reads before anything comes of it. */
static bool is_only_source(const struct shell_act *act, const struct shell_access *access, enum hv_file_kind kind)
{
    return kind == HV_FILE_REGULAR && act->read_count == 1 && hv_str_eq(act->reads[0].path, access->path) &&
           shell_is_one_of(shell_base_name(act->words[0].value), "cp mv install");
}

/*
 * What the only part that brings links is itself given was there before: bash makes names of a pattern before it starts
 * a program, and a directory that stands there is not replaced by what is moved into it.
 */
static bool was_before(const struct judging *judging, const struct shell_act *act, const struct shell_access *access,
                       enum hv_file_kind kind)
{
    if (act->command != judging->only_bringer || act->words != act->command->words || !access->word)
        return false;
    return access->word->known ? kind == HV_FILE_DIRECTORY || is_only_source(act, access, kind)
                               : !(access->word->flags & ~(SHELL_WORD_GLOB | SHELL_WORD_MANY));
}

/* Such a part may have made path, below what it writes, a link. */
static bool is_brought(struct judging *judging, const struct shell_act *act, const struct shell_access *access,
                       enum hv_file_kind kind)
{
    if (!judging->links_are_brought || !access->path.len || was_before(judging, act, access, kind))
        return false;
    if (access->word && !access->word->known)
        return true;
    struct hv_str directory = path_parent(access->path);
    if (!judging->brought.count || hv_str_is(access->path, "/"))
        return false;
    if (!hv_str_eq(directory, judging->brought_below))
        judging->is_brought_below = is_written_with(judging, directory);
    judging->brought_below = directory;
    return judging->is_brought_below;
}

static struct policy_path resolve_access(struct judging *judging, const struct shell_act *act,
                                         const struct shell_access *access)
{
    struct policy_path path = {.written = access->path};
    if (!access->path.len)
        return path;
    if (!judging->lookups.host) {
        path.resolved = path.written;
        return path;
    }
    struct lookup *found = lookups_find(&judging->lookups, access->untidy.len ? access->untidy : access->path);
    path.resolved = found->resolved;
    path.kind = lookups_kind(&judging->lookups, found);
    if (judging->surroundings->show)
        judging->surroundings->show(judging->surroundings->show_user, judging->arena, &path);
    judging->leading.too_many = false;
    path.leads_out = is_brought(judging, act, access, path.kind) || access_leads_out(&judging->leading, act, access);
    path.secret = access_finds_credential(&judging->leading, judging->arena, judging->policy->classes, act, access);
    path.too_many = judging->leading.too_many;
    path.leads_out |= path.too_many;
    return path;
}

static struct policy_path *resolve_accesses(struct judging *judging, const struct shell_act *act,
                                            const struct shell_access *accesses, size_t count)
{
    if (!count)
        return NULL;
    struct policy_path *paths = hv_arena_alloc(judging->arena, count * sizeof *paths);
    for (size_t i = 0; i < count; i++)
        paths[i] = resolve_access(judging, act, &accesses[i]);
    return paths;
}

static struct hv_str home_of(const struct judging *judging)
{
    struct hv_str home = judging->surroundings->home;
    return home.len ? home : judging->policy->home.written;
}

/* Where what is written leads: another name of a settings or start-up file leads to it as a link would. */
static struct hv_str find_second_name(struct judging *judging, const struct policy_path *path)
{
    const struct policy_surroundings *around = judging->surroundings;
    const struct hv_host *host = around->host;
    const struct settings_places places = {judging->facts->directory, home_of(judging), around->environment};
    struct hv_file_stat stat;
    struct hv_str first = {0}, settings;
    if (path->kind == HV_FILE_REGULAR && host->stat(host, path->resolved, true, &stat, NULL) == HV_OK && stat.links > 1)
        first = fs_settings_alias(host, judging->arena, &places, path->resolved);
    if (first.len && host->resolve(host, judging->arena, first, &settings, NULL) == HV_OK)
        return settings;
    settings = home_links_name(&judging->links, host, judging->arena, path->resolved);
    return settings.len ? settings : path->resolved;
}

static void follow_second_name(struct judging *judging, struct policy_path *path)
{
    struct hv_str *found = map_get(&judging->second_names, path->resolved);
    if (!found) {
        found = hv_arena_new(judging->arena, struct hv_str);
        *found = find_second_name(judging, path);
        (void)map_set(&judging->second_names, path->resolved, found);
    }
    path->resolved = *found;
}

static const struct policy_path *resolve_writes(struct judging *judging, const struct shell_act *act)
{
    struct policy_path *paths = resolve_accesses(judging, act, act->writes, act->write_count);
    for (size_t i = 0; judging->lookups.host && i < act->write_count; i++) {
        if (!paths[i].resolved.len || paths[i].kind == HV_FILE_DEVICE) /* /dev/null, as often as not */
            continue;
        if (!judging->links.items)
            home_links_find(judging->lookups.host, judging->arena, home_of(judging), &judging->links);
        struct hv_str linked = act_replaces_linked(&judging->links, act, &act->writes[i], &paths[i]);
        if (linked.len)
            paths[i].resolved = linked;
        else
            follow_second_name(judging, &paths[i]);
    }
    return paths;
}

static struct hv_str join_words(struct hv_arena *arena, const struct shell_word *words, size_t count)
{
    size_t size = 0, at = 0;
    if (count == 1)
        return shell_word_text(&words[0]);
    for (size_t i = 0; i < count; i++)
        size += shell_word_text(&words[i]).len + 1;
    char *text = hv_arena_alloc(arena, size);
    for (size_t i = 0; i < count; i++) {
        struct hv_str word = shell_word_text(&words[i]);
        if (word.len)
            memcpy(text + at, word.ptr, word.len);
        at += word.len;
        text[at++] = ' ';
    }
    text[--at] = '\0';
    return hv_str_of(text, at);
}

static bool is_there(const struct judging *judging, struct hv_str path)
{
    const struct hv_host *host = judging->surroundings->host;
    struct hv_file_stat stat;
    return !host || host->stat(host, path, false, &stat, NULL) == HV_OK;
}

/* Whether path stands below a tree that the part reads as a whole. */
static bool is_read_with_tree(const struct policy_part *part, struct hv_str path)
{
    for (size_t i = 0; i < part->act->read_count; i++)
        if (parts_act_takes_trees(part->act, i) && path.len > part->reads[i].resolved.len &&
            (path_inside(path, part->reads[i].written) || path_inside(path, part->reads[i].resolved)))
            return true;
    return false;
}

static void find_guarded(struct judging *judging, struct policy_part *part)
{
    VEC(struct hv_str) found = {0};
    for (size_t i = 0; i < judging->policy->rule_count; i++) {
        const struct rule *rule = &judging->policy->rules[i];
        if (rule->verdict == HV_ALLOW || !rule_guards_files(rule, false))
            continue;
        for (size_t j = 0; j < rule->path_count; j++)
            if (is_read_with_tree(part, rule->paths[j].reach) && is_there(judging, rule->paths[j].reach))
                *(struct hv_str *)vec_push(&found) = hv_arena_str(judging->arena, rule->paths[j].reach);
    }
    if (found.count) {
        struct hv_str *guarded = hv_arena_array(judging->arena, struct hv_str, found.count);
        memcpy(guarded, found.items, found.count * sizeof *guarded);
        part->guarded = guarded;
    }
    part->guarded_count = found.count;
    vec_release(&found);
}

static struct policy_part make_part(struct judging *judging, const struct shell_act *act)
{
    struct policy_part part = {
        .act = act,
        .reads = resolve_accesses(judging, act, act->reads, act->read_count),
        .writes = resolve_writes(judging, act),
        .text = act->word_count ? join_words(judging->arena, act->words, act->word_count) : act->command->text,
    };
    find_guarded(judging, &part);
    const struct arriving arriving = {judging->leading.trees, judging->lookups.host, judging->policy, &judging->links};
    if (judging->lookups.host)
        part.arrives = act_brings_protected(&arriving, judging->arena, act,
                                            (size_t)(act - judging->command->judgement.acts), &part.arrives_unseen);
    return part;
}

static void make_parts(struct judging *judging)
{
    struct policy_command *command = judging->command;
    const struct shell_judgement *judgement = &command->judgement;
    struct policy_part *parts = hv_arena_alloc(judging->arena, judgement->count * sizeof *parts);
    for (size_t i = 0; i < judgement->count; i++) {
        const struct shell_act *act = &judgement->acts[i];
        parts[i] = act->first < i ? parts[act->first] : make_part(judging, act);
        parts[i].act = act;
        parts[i].same = act->first < i ? &parts[act->first] : NULL;
    }
    command->parts = parts;
    command->part_count = judgement->count;
}

/* The first part of a command of the script: parts stand in the order of their commands. */
static size_t first_part_of(const struct policy_command *command, const struct shell_command *wanted)
{
    size_t low = 0, high = command->part_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (command->parts[middle].act->command < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of each run the one at the beginning of those that started it: a run stands behind the one that started it. */
static const struct shell_run **find_tops(const struct shell_runs *runs, struct hv_arena *arena)
{
    const struct shell_run **tops = hv_arena_alloc(arena, runs->count * sizeof *tops);
    for (size_t i = 0; i < runs->count; i++)
        tops[i] = runs->items[i].by == SHELL_RUN_TOP ? &runs->items[i] : tops[runs->items[i].by];
    return tops;
}

/* The part that a danger shows at: of the same command, and of the same program if there is one. */
static void mark_part(struct policy_command *command, const struct shell_run *const *tops,
                      const struct shell_danger *danger)
{
    const struct shell_run *run = danger->run ? tops[danger->run - command->runs.items] : NULL;
    struct policy_part *best = NULL;
    for (size_t i = run ? first_part_of(command, run->command) : command->part_count; i < command->part_count; i++) {
        struct policy_part *part = (struct policy_part *)&command->parts[i];
        if (part->act->command != run->command)
            break;
        bool same = part->act->word_count &&
                    hv_str_eq(shell_base_name(shell_word_text(&part->act->words[0])), danger->run->name);
        if (!best || same)
            best = part;
        if (same)
            break;
    }
    if (best && danger->level > best->danger) {
        best->danger = danger->level;
        best->danger_what = danger->what;
    }
}

/* What shows in the script as a whole may show at one of two parts that say the same. */
static void tell_dangers_apart(struct policy_command *command)
{
    for (size_t i = 0; i < command->part_count; i++) {
        struct policy_part *part = (struct policy_part *)&command->parts[i];
        if (part->same && (part->danger != part->same->danger || part->danger_what != part->same->danger_what))
            part->same = NULL;
    }
}

/* Where parts may run of which that is not known. */
static void find_places(struct judging *judging, struct hv_str home)
{
    struct policy_command *command = judging->command;
    bool astray = false;
    for (size_t i = 0; !astray && i < command->judgement.count; i++)
        astray = command->judgement.acts[i].astray;
    if (!astray)
        return;
    struct shell_named_places named;
    shell_find_named_places(judging->arena, &command->judgement.script, command->text, home, &named);
    struct hv_str *sorted = hv_arena_array(judging->arena, struct hv_str, named.count);
    for (size_t pass = 0, at = 0; pass < 2; pass++) {
        for (size_t i = 0; i < named.count; i++) {
            if (path_place_tells(judging->policy->classes, named.items[i]) == (pass == 0))
                sorted[at++] = named.items[i];
        }
        command->telling_places = pass == 0 ? at : command->telling_places;
    }
    command->places = (struct shell_named_places){sorted, named.count};
}

static void find_dangers(struct judging *judging, const struct shell_start *start)
{
    struct policy_command *command = judging->command;
    const struct policy *policy = judging->policy;
    struct hv_str *roots = hv_arena_array(judging->arena, struct hv_str, policy->root_count);
    for (size_t i = 0; i < policy->root_count; i++)
        roots[i] = policy->roots[i].resolved.len ? policy->roots[i].resolved : policy->roots[i].written;
    const struct shell_danger_world world = {
        .home = start->home,
        .roots = roots,
        .root_count = policy->root_count,
        .places = &command->places,
        .resolve = follow,
        .user = &judging->lookups,
    };
    const struct shell_script *script = &command->judgement.script;
    shell_list_runs(judging->arena, script, start, &command->runs);
    shell_find_dangers(judging->arena, script, &command->runs, &world, &command->dangers);
    const struct shell_run **tops = find_tops(&command->runs, judging->arena);
    for (size_t i = 0; i < command->dangers.count; i++)
        mark_part(command, tops, &command->dangers.items[i]);
    tell_dangers_apart(command);
}

/* ---- words that lead elsewhere ----------------------------------------------------------------------------------- */

struct mentions {
    struct hv_arena *arena;
    VEC(struct policy_mention) found;
    struct map seen; /* the untidy paths of those */
};

/* One that stands in the command many times is kept once. */
static bool keep_mention(void *user, struct hv_str path, struct hv_str untidy)
{
    struct mentions *mentions = user;
    const struct hv_str *known = map_get(&mentions->seen, untidy);
    if (known && hv_str_eq(*known, path))
        return false;
    struct policy_mention *mention = vec_push(&mentions->found);
    mention->untidy = hv_arena_str(mentions->arena, untidy);
    mention->path = hv_str_eq(path, untidy) ? mention->untidy : hv_arena_str(mentions->arena, path);
    struct hv_str *kept = hv_arena_new(mentions->arena, struct hv_str);
    *kept = mention->path;
    (void)map_set(&mentions->seen, mention->untidy, kept);
    return false;
}

static void find_mentions(struct judging *judging, const struct match_call *call)
{
    struct policy_command *command = judging->command;
    struct mentions mentions = {.arena = judging->arena};
    (void)match_each_word(call, keep_mention, &mentions);
    struct policy_mention *kept = hv_arena_array(judging->arena, struct policy_mention, mentions.found.count);
    if (mentions.found.count)
        memcpy(kept, mentions.found.items, mentions.found.count * sizeof *kept);
    command->mentions = kept;
    command->mention_count = mentions.found.count;
    vec_release(&mentions.found);
    map_release(&mentions.seen);
}

/* Where it leads, if that is elsewhere. */
static bool leads_elsewhere(struct lookups *lookups, const struct policy_mention *mention, struct policy_path *out)
{
    const struct lookup *lookup = lookups_find(lookups, mention->untidy);
    bool own = hv_str_eq(mention->path, mention->untidy) && mention_is_own_stream(mention->path);
    bool magic = lookup->code == HV_EUNSUPPORTED && !own;
    *out = (struct policy_path){
        .written = mention->path,
        .resolved = lookup->resolved,
        .kind = magic ? HV_FILE_SYMLINK : HV_FILE_UNKNOWN,
    };
    return magic || (lookup->code == HV_OK && !hv_str_eq(lookup->resolved, mention->path));
}

static void follow_mentions(struct judging *judging)
{
    const struct policy_command *command = judging->command;
    VEC(struct policy_path) found = {0};
    for (size_t i = 0; i < command->mention_count && i < LOOKED_AT_MAX; i++) {
        struct policy_path path;
        if (leads_elsewhere(&judging->lookups, &command->mentions[i], &path))
            *vec_push(&found) = path;
    }
    struct policy_path *linked = hv_arena_array(judging->arena, struct policy_path, found.count);
    if (found.count)
        memcpy(linked, found.items, found.count * sizeof *linked);
    judging->facts->linked = linked;
    judging->facts->linked_count = found.count;
    vec_release(&found);
}

static void drop_policy(void *policy)
{
    policy_unref(policy);
}

/* What all who look at the command will ask for. */
static void look_at_words(struct judging *judging)
{
    struct match_call call;
    match_begin(judging->policy, judging->facts, judging->arena, &call);
    find_mentions(judging, &call);
    if (judging->lookups.host)
        follow_mentions(judging);
    hv_arena_on_release(judging->arena, drop_policy, policy_ref((struct policy *)judging->policy));
    hazard_keep(&call, judging->command, judging->arena);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* As written and as resolved. */
static struct hv_str *list_roots(const struct policy *policy, struct hv_arena *arena, size_t *count)
{
    struct hv_str *roots = hv_arena_array(arena, struct hv_str, 2 * policy->root_count);
    *count = 0;
    for (size_t i = 0; i < policy->root_count; i++) {
        roots[(*count)++] = policy->roots[i].written;
        if (policy->roots[i].resolved.len)
            roots[(*count)++] = policy->roots[i].resolved;
    }
    return roots;
}

void policy_judge_command(const struct policy *policy, const struct policy_surroundings *surroundings,
                          struct hv_arena *arena, struct policy_facts *facts)
{
    if (!facts->tool || facts->tool->subject_kind != HV_SUBJECT_COMMAND || !facts->subject.len)
        return;
    struct policy_command *command = hv_arena_new(arena, struct policy_command);
    struct judging judging = {.policy = policy,
                              .surroundings = surroundings,
                              .arena = arena,
                              .command = command,
                              .facts = facts,
                              .lookups = {.host = surroundings->host, .arena = arena}};
    struct system_answers answers = {0};
    struct asked asked = {
        .programs = {.answers = surroundings->programs ? surroundings->programs : &answers,
                     .host = surroundings->host,
                     .environment = surroundings->environment,
                     .directory = facts->directory,
                     .user = surroundings->git},
        .home = home_of(&judging),
        .arena = arena,
    };
    asked.programs.roots = list_roots(policy, arena, &asked.programs.root_count);
    const struct shell_world world = asked_world(&asked, surroundings->git_is_tamed);
    const struct shell_start start = {
        .directory = facts->directory.len ? facts->directory : policy->directory.written,
        .home = home_of(&judging),
        .variable = plain_variable,
        .user = (void *)surroundings,
        .outermost = true,
    };
    command->text = facts->subject;
    judging.leading.trees = &asked.seen;
    shell_judge(arena, facts->subject, &start, &world, &command->judgement);
    command->too_long = facts->subject.len > COMMAND_LENGTH_MAX;
    command->accepted = command->judgement.script.accepted;
    if (!command->accepted)
        command_prepare(arena, facts->subject, &command->generous);
    find_brought(&judging);
    find_places(&judging, start.home);
    make_parts(&judging);
    if (judging.lookups.host) {
        judging.leading.too_many = false;
        command->sought = sought_credential(&judging.leading, arena, policy->classes, command, start.home);
        command->sought_in_vain = !command->sought.len && judging.leading.too_many;
    }
    find_dangers(&judging, &start);
    facts->command = command;
    facts->read_only = command->accepted && !command->too_long && command->judgement.class == SHELL_READ_ONLY;
    look_at_words(&judging);
    system_answers_release(&answers);
    asked_release(&asked);
    lookups_release(&judging.lookups);
    map_release(&judging.brought);
    map_release(&judging.second_names);
}
