/* hazard.c: see hazard.h. */
#include "policy/hazard.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "policy/led_out.h"

static void worsen(struct hazard *hazard, enum shell_danger_level level, struct hv_str what,
                   const struct policy_part *part)
{
    if (level > hazard->level)
        *hazard = (struct hazard){level, what, part};
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* Directories under which nothing is ever written. */
static bool is_kernel_place(const struct policy_path *path)
{
    static const struct hv_str places[] = {HV_STR("/proc"), HV_STR("/sys"), HV_STR("/boot")};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (path_inside(path->written, places[i]) || path_inside(path->resolved, places[i]))
            return true;
    return false;
}

static enum shell_danger_level level_of(const struct policy_path *path, enum policy_path_class class, bool writing)
{
    switch (class) {
    case POLICY_PATH_CREDENTIAL:
    case POLICY_PATH_PROTECTED: return SHELL_DANGER_CONFIRM;
    case POLICY_PATH_FORBIDDEN: return writing && is_kernel_place(path) ? SHELL_DANGER_FORBID : SHELL_DANGER_NONE;
    case POLICY_PATH_SPECIAL:
        if (shell_is_block_device(path->written) || shell_is_block_device(path->resolved))
            return writing ? SHELL_DANGER_FORBID : SHELL_DANGER_CONFIRM;
        return writing && is_kernel_place(path) ? SHELL_DANGER_FORBID : SHELL_DANGER_CONFIRM;
    default: return SHELL_DANGER_NONE;
    }
}

/* The directory of the last path, and whether names alone tell of what is in it: asked from the second path on. */
struct neighbours {
    struct hv_str directory;
    bool asked, by_name;
};

/* One of many files of one directory, with a name that says nothing: it has no class. */
static bool is_plain_neighbour(const struct policy *policy, struct neighbours *neighbours,
                               const struct policy_path *path)
{
    size_t slash = hv_str_rfind_byte(path->written, '/');
    if (slash == SIZE_MAX || slash == 0 || !hv_str_eq(path->written, path->resolved))
        return false;
    struct hv_str directory = hv_str_slice(path->written, 0, slash);
    if (!hv_str_eq(directory, neighbours->directory)) {
        *neighbours = (struct neighbours){.directory = directory};
        return false;
    }
    const struct policy_path tree = {.written = directory, .resolved = directory};
    if (!neighbours->asked)
        neighbours->by_name = path_classes_by_name(policy->classes, &tree, true);
    neighbours->asked = true;
    return neighbours->by_name && !path_is_suspect(policy->classes, path->written, slash + 1);
}

/* `ls -l /dev/serial/by-id`, `stat /dev/kvm`: tells of a device, and opens none. */
static bool only_lists_device(const struct policy_part *part, const struct policy_path *path)
{
    static const struct hv_str devices = HV_STR("/dev");
    if (!part || !part->act->word_count || !part->act->words[0].known ||
        !shell_is_one_of(shell_base_name(part->act->words[0].value), "ls dir vdir stat") ||
        !path_inside(path->written, devices) || !path_inside(path->resolved, devices))
        return false;
    for (size_t i = 0; i < part->act->command->redirect_count; i++)
        if (part->act->command->redirects[i].kind == SHELL_REDIRECT_READ)
            return false;
    return true;
}

static void look_at_path(struct hazard *hazard, const struct policy *policy, const struct policy_part *part,
                         const struct policy_path *path, bool writing, struct hv_arena *arena)
{
    if (!path->written.len || path_is_free_device(path->written) || path_is_free_device(path->resolved))
        return;
    struct policy_path by_name = *path;
    by_name.kind = HV_FILE_UNKNOWN; /* a FIFO or socket is for a command to use */
    struct path_class class = path_classify(policy->classes, &by_name, writing);
    enum shell_danger_level level = level_of(path, class.class, writing);
    if (class.class == POLICY_PATH_SPECIAL && !writing && only_lists_device(part, path))
        return;
    if (level > hazard->level)
        worsen(hazard, level,
               hv_arena_format(arena, "it %s %.*s: %s", level == SHELL_DANGER_FORBID ? "writes" : "touches",
                               HV_STR_ARG(path->written), class.what),
               part);
}

/* A word that the reader could not tell, but whose text alone is telling: *.pem, $dir/.ssh/x */
static void look_at_open_word(struct hazard *hazard, const struct policy *policy, const struct policy_part *part,
                              const struct shell_access *access, bool writing, struct hv_arena *arena)
{
    struct hv_str directory = part->act->command->directory;
    if (!access->word || access->word->known)
        return;
    struct hv_str from = directory.len ? directory : HV_STR("/");
    struct hv_str texts[] = {access->word->text, access->word->value, access->word->tail};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct policy_path path = {.written = path_expand(arena, texts[i], from, policy->home.written)};
        path.resolved = path.written;
        if (texts[i].len > 1)
            look_at_path(hazard, policy, part, &path, writing, arena);
    }
}

static bool says_same(const struct shell_word *a, const struct shell_word *b)
{
    if (!a || a->known || !b || b->known)
        return (!a || a->known) && (!b || b->known);
    return hv_str_eq(a->text, b->text) && hv_str_eq(a->value, b->value) && hv_str_eq(a->tail, b->tail);
}

/* The accesses of one kind, in their order: one that is the one before once more needs no look. */
static void look_at_accesses(struct hazard *hazard, const struct policy *policy, const struct policy_part *part,
                             struct neighbours *neighbours, bool writing, struct hv_arena *arena)
{
    const struct shell_access *accesses = writing ? part->act->writes : part->act->reads;
    const struct policy_path *paths = writing ? part->writes : part->reads;
    size_t count = writing ? part->act->write_count : part->act->read_count;
    for (size_t i = 0; i < count; i++) {
        if (i && hv_str_eq(paths[i].written, paths[i - 1].written) &&
            hv_str_eq(paths[i].resolved, paths[i - 1].resolved) && says_same(accesses[i].word, accesses[i - 1].word))
            continue;
        if (!is_plain_neighbour(policy, neighbours, &paths[i]))
            look_at_path(hazard, policy, part, &paths[i], writing, arena);
        struct policy_path secret = {.written = paths[i].secret, .resolved = paths[i].secret};
        look_at_path(hazard, policy, part, &secret, writing, arena);
        look_at_open_word(hazard, policy, part, &accesses[i], writing, arena);
    }
}

/* ---- where it is not known in which directory a part runs -------------------------------------------------------- */

/* A word that may be relative to a directory that is not known. */
static void look_for_astray(struct hazard *hazard, const struct policy *policy, const struct policy_command *command,
                            const struct policy_part *part, struct hv_str word, bool writing, struct hv_arena *arena)
{
    enum { LONGEST = 4096 };
    if (!word.len || word.len > LONGEST || strchr("/~-", word.ptr[0]))
        return;
    struct hv_str there;
    if (hazard->level)
        return;
    const char *what = path_credential_astray(policy->classes, arena, word, &there);
    if (what)
        worsen(hazard, SHELL_DANGER_CONFIRM, hv_arena_format(arena, "it touches %.*s: %s", HV_STR_ARG(there), what),
               part);
    bool suspect = path_name_is_suspect(policy->classes, path_name(word));
    size_t count = suspect ? command->places.count : command->telling_places;
    for (size_t i = 0; i < count && !hazard->level; i++) {
        struct hv_str path = path_expand(arena, word, command->places.items[i], policy->home.written);
        struct policy_path one = {.written = path, .resolved = path};
        look_at_path(hazard, policy, part, &one, false, arena);
        if (writing)
            look_at_path(hazard, policy, part, &one, true, arena);
    }
}

static void report_astray(struct hazard *hazard, const struct hazard *found, const struct policy_part *part,
                          struct hv_arena *arena)
{
    if (found->level) /* nothing is forbidden for what it may be */
        worsen(hazard, SHELL_DANGER_CONFIRM,
               hv_arena_format(arena, "in which directory it runs is not known; %.*s", HV_STR_ARG(found->what)), part);
}

static void look_at_astray(struct hazard *hazard, const struct policy *policy, const struct policy_command *command,
                           const struct policy_part *part, struct hv_arena *arena)
{
    const struct shell_act *act = part->act;
    struct hazard found = {0};
    bool listed = act->reads_listed && act->writes_listed, writes = act->class != SHELL_READ_ONLY;
    for (size_t i = 1; !listed && i < act->word_count; i++)
        if (act->words[i].known)
            look_for_astray(&found, policy, command, part, act->words[i].value, writes, arena);
    for (size_t i = 0; i < act->read_count + act->write_count; i++) {
        bool writing = i >= act->read_count;
        const struct shell_access *access = writing ? &act->writes[i - act->read_count] : &act->reads[i];
        if (!access->path.len && access->word && access->word->known)
            look_for_astray(&found, policy, command, part, access->word->value, writing, arena);
    }
    report_astray(hazard, &found, part, arena);
}

/* Programs that open nothing that their words name, or show nothing of it. */
static bool only_tells_names(struct hv_str name)
{
    return shell_is_one_of(name, "echo printf cd pushd popd ls test [ [[ exit return export local declare true false");
}

/* Code in arguments: sh -c 'cd "$1" && cat shadow'. */
static void look_at_astray_code(struct hazard *hazard, const struct policy *policy,
                                const struct policy_command *command, struct hv_arena *arena)
{
    struct hazard found = {0};
    for (size_t i = 0; i < command->runs.count && !found.level; i++) {
        const struct shell_run *run = &command->runs.items[i];
        const struct shell_command *place = run->command;
        bool astray = !place->directory.len && !place->places && !place->likely_places && !place->likely_directory.len;
        if (!run->is_code || !astray || only_tells_names(run->name))
            continue;
        for (size_t at = 1; at < run->word_count; at++)
            if (run->words[at].known)
                look_for_astray(&found, policy, command, NULL, run->words[at].value, false, arena);
    }
    report_astray(hazard, &found, NULL, arena);
}

static struct hazard look_at_part(const struct policy *policy, const struct policy_command *command,
                                  const struct policy_part *part, struct neighbours *neighbours, struct hv_arena *arena)
{
    struct hazard hazard = {0};
    if (part->danger)
        worsen(&hazard, part->danger, hv_str_from(part->danger_what), part);
    look_at_accesses(&hazard, policy, part, neighbours, true, arena);
    look_at_accesses(&hazard, policy, part, neighbours, false, arena);
    if (part->arrives.len && hazard.level < SHELL_DANGER_CONFIRM)
        worsen(&hazard, SHELL_DANGER_CONFIRM,
               hv_arena_format(arena,
                               part->arrives_unseen ? "what it brings to %.*s cannot be looked through"
                                                    : "it brings %.*s, which programs obey, or which leads out",
                               HV_STR_ARG(part->arrives)),
               part);
    if (part->act->astray && hazard.level == SHELL_DANGER_NONE)
        look_at_astray(&hazard, policy, command, part, arena);
    return hazard;
}

/* A word that begins with what is known, of a part that opens what others print: cat /etc/$x. */
struct joined {
    const struct policy_part *part;
    const struct shell_word *word;
};

/* The names that are sought, as far as they were looked at. */
struct sought {
    struct hazard *hazard;
    const struct policy *policy;
    const struct policy_command *command;
    struct hv_arena *arena;
    size_t tried;
    VEC(struct joined) joined;
};

static void find_joined(struct sought *sought)
{
    const struct policy_command *command = sought->command;
    for (size_t i = 0; i < command->part_count; i++) {
        const struct shell_act *act = command->parts[i].act;
        bool opens = act_opens_listed(act);
        for (size_t at = 1; opens && at < act->word_count; at++) {
            const struct shell_word *word = &act->words[at];
            if (!word->known && word->value.len && word->flags & (SHELL_WORD_VARIABLE | SHELL_WORD_COMMAND))
                *vec_push(&sought->joined) = (struct joined){&command->parts[i], word};
        }
    }
}

static void look_at_printed_path(struct sought *sought, const struct policy_part *part, struct hv_str text)
{
    struct hv_str from = part->act->command->directory, home = sought->policy->home.written;
    struct policy_path path = {.written = path_expand(sought->arena, text, from.len ? from : HV_STR("/"), home)};
    path.resolved = path.written;
    look_at_path(sought->hazard, sought->policy, part, &path, false, sought->arena);
}

/* What part prints, or hands to read: as a path, and behind what another part puts before it (cat /etc/$x). */
static void look_at_printed(struct sought *sought, const struct policy_part *part, struct hv_str text)
{
    enum { TRIED_MAX = 1024, LONGEST = 4096 };
    if (!text.len || text.len > LONGEST)
        return;
    look_at_printed_path(sought, part, text);
    for (size_t i = 0; i < sought->joined.count && text.ptr[0] != '/' && sought->tried < TRIED_MAX; i++) {
        const struct joined *one = &sought->joined.items[i];
        sought->tried++;
        look_at_printed_path(
            sought, one->part,
            hv_arena_join(sought->arena, hv_arena_join(sought->arena, one->word->value, text), one->word->tail));
    }
}

/* read f <<< id_rsa, xargs cat <<< 'a b': each word of it. */
static void look_at_given_text(struct sought *sought, const struct policy_part *part)
{
    enum { LONGEST = 4096 };
    const struct shell_command *command = part->act->command;
    for (size_t i = 0; i < command->redirect_count; i++) {
        const struct shell_redirect *redirect = &command->redirects[i];
        bool given = redirect->kind == SHELL_REDIRECT_HERE || redirect->kind == SHELL_REDIRECT_HERE_STRING;
        struct hv_str text = redirect->target.value;
        for (size_t start = 0, at = 0; given && text.len <= LONGEST && at <= text.len; at++)
            if (at == text.len || strchr(" \t\n", text.ptr[at])) {
                look_at_printed(sought, part, hv_str_slice(text, start, at));
                start = at + 1;
            }
    }
}

/* `find . -name id_rsa | xargs cat` and `cat $(echo id_rsa)` show the key that they name. */
static void look_at_sought(struct hazard *hazard, const struct policy *policy, const struct policy_command *command,
                           struct hv_arena *arena)
{
    bool shown = false;
    struct sought sought = {.hazard = hazard, .policy = policy, .command = command, .arena = arena};
    struct policy_path found = {.written = command->sought, .resolved = command->sought};
    look_at_path(hazard, policy, NULL, &found, false, arena);
    if (command->sought_in_vain)
        worsen(hazard, SHELL_DANGER_CONFIRM,
               HV_STR("it opens what it lists in too many places to look for credentials among it"), NULL);
    for (size_t i = 0; i < command->part_count; i++)
        shown |= act_shows_listed(command->parts[i].act) || act_opens_listed(command->parts[i].act);
    if (shown)
        find_joined(&sought);
    for (size_t i = 0; shown && i < command->part_count; i++) {
        const struct policy_part *part = &command->parts[i];
        const struct shell_word *words = part->act->words;
        look_at_given_text(&sought, part);
        if (!part->act->word_count ||
            !shell_is_one_of(shell_base_name(words[0].value), "find fd fdfind echo printf basename"))
            continue;
        for (size_t at = 1; at < part->act->word_count; at++) {
            struct hv_str before = at > 1 ? words[at - 2].value : (struct hv_str){0};
            if (!words[at].known || shell_is_one_of(before, "! -not"))
                continue;
            look_at_printed(&sought, part, words[at].value);
            size_t slash = hv_str_rfind_byte(words[at].value, '/');
            if (slash != SIZE_MAX && hv_str_is(shell_base_name(words[0].value), "basename"))
                look_at_printed(&sought, part, hv_str_slice(words[at].value, slash + 1, SIZE_MAX));
        }
    }
    vec_release(&sought.joined);
}

struct hazard hazard_of_part(const struct policy *policy, const struct policy_command *command,
                             const struct policy_part *part, struct hv_arena *arena)
{
    struct neighbours neighbours = {0};
    return command->policy == policy ? part->hazard : look_at_part(policy, command, part, &neighbours, arena);
}

/* ---- words and text ---------------------------------------------------------------------------------------------- */

struct word_search {
    const struct match_call *call;
    struct hv_arena *arena;
    struct hazard *hazard;
};

/* A word of a command that may be a file. What the command does with it is not known: only some surely do not write. */
static bool look_at_word(void *user, const struct policy_path *word)
{
    struct word_search *search = user;
    const struct policy *policy = search->call->policy;
    struct path_class class = path_classify(policy->classes, word, false);
    /* What a process has open is there under names that no rule knows. */
    if (word->kind == HV_FILE_SYMLINK ||
        (class.class == POLICY_PATH_SPECIAL && path_inside(word->written, HV_STR("/proc")) &&
         !mention_is_own_stream(word->written))) {
        worsen(
            search->hazard, SHELL_DANGER_CONFIRM,
            hv_arena_format(search->arena, "it names %.*s, a way round the checks of paths", HV_STR_ARG(word->written)),
            NULL);
        return true;
    }
    if (class.class == POLICY_PATH_OUTSIDE && !search->call->command_reads)
        class = path_classify(policy->classes, word, true);
    if (class.class != POLICY_PATH_CREDENTIAL && class.class != POLICY_PATH_PROTECTED)
        return false;
    worsen(search->hazard, SHELL_DANGER_CONFIRM,
           hv_arena_format(search->arena, "it touches %.*s: %s", HV_STR_ARG(word->written), class.what), NULL);
    return true;
}

/* shutil.rmtree("/"), fs.rmSync('/home'), FileUtils.rm_rf "~": the literal that follows is what would be gone. */
static bool code_removes_tree(struct hv_str code)
{
    static const struct hv_str names[] = {HV_STR("rmtree"), HV_STR("rmSync"), HV_STR("rm_rf"), HV_STR("rmdirSync"),
                                          HV_STR("remove_tree")};
    static const char roots[] = "/ /* ~ ~/ /home /etc /usr /var /root /bin /lib /boot /opt /sbin $HOME";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t at = 0; (at = hv_str_find(code, names[i], at)) != SIZE_MAX; at++) {
            struct hv_str rest = hv_str_slice(code, at + names[i].len, at + names[i].len + 40);
            size_t open = 0;
            while (open < rest.len && rest.ptr[open] != '\'' && rest.ptr[open] != '"')
                open++;
            size_t close = open < rest.len ? hv_str_find_byte(rest, rest.ptr[open], open + 1) : SIZE_MAX;
            if (close != SIZE_MAX && shell_is_one_of(hv_str_slice(rest, open + 1, close), roots))
                return true;
        }
    return false;
}

/* Code in another language, in an argument: its text. */
static void look_at_code(struct hazard *hazard, const struct shell_run *run)
{
    bool is_language = run->word_count > 2 && !(run->traits & SHELL_NAME_SHELL);
    char option = is_language ? shell_code_option(run->name) : 0;
    if (!option)
        return;
    for (size_t i = 1; i + 1 < run->word_count; i++) {
        CLEANUP_ARENA struct hv_arena scratch = {0};
        struct hv_str word = shell_word_text(&run->words[i]);
        struct command_text code;
        if (word.len < 2 || word.ptr[0] != '-' || hv_str_find_byte(word, option, 1) == SIZE_MAX)
            continue;
        command_prepare(&scratch, shell_word_text(&run->words[i + 1]), &code);
        const char *why = code.forbidden;
        if (!why && code_removes_tree(code.raw))
            why = "it would destroy a root or home directory";
        if (why)
            worsen(hazard, SHELL_DANGER_FORBID, hv_str_from(why), NULL);
    }
}

static void look_at_piece(struct hazard *hazard, struct hv_str text)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct command_text code;
    command_prepare(&scratch, text, &code);
    if (code.forbidden)
        worsen(hazard, SHELL_DANGER_FORBID, hv_str_from(code.forbidden), NULL);
    else if (code_removes_tree(code.raw))
        worsen(hazard, SHELL_DANGER_FORBID, HV_STR("it would destroy a root or home directory"), NULL);
}

/* Programs in whose words a command may stand, and what stands before it; "": the whole word is one. */
static void look_at_carried(struct hazard *hazard, const struct shell_run *run)
{
    static const struct {
        const char *programs, *marks[2];
    } rows[] = {
        {"awk gawk mawk nawk", {"system(", "| \""}},
        {"ex nvim vi view vim vimdiff", {"!"}},
        {"sqlite3", {".shell ", ".system "}},
        {"gdb lldb", {"shell ", "!"}},
        {"bsdtar gtar tar", {"exec=", "--to-command="}},
        {"expect", {"spawn ", "exec "}},
        {"ruby", {"system ", "exec "}},
        {"tmux xterm", {""}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!shell_is_one_of(run->name, rows[i].programs))
            continue;
        for (size_t at = 1; at < run->word_count; at++)
            for (size_t mark = 0; mark < 2 && rows[i].marks[mark]; mark++) {
                struct hv_str word = shell_word_text(&run->words[at]), before = hv_str_from(rows[i].marks[mark]);
                size_t place = hv_str_find(word, before, 0);
                if (place == SIZE_MAX)
                    continue;
                word = hv_str_slice(word, place + before.len, word.len);
                size_t quote = hv_str_ends(before, HV_STR("\"")) ? hv_str_find_byte(word, '"', 0) : SIZE_MAX;
                look_at_piece(hazard, word);
                if (quote != SIZE_MAX)
                    look_at_piece(hazard, hv_str_slice(word, 0, quote)); /* … "rm x"} */
            }
    }
}

/* make takes its rules from what it reads. */
static bool reads_rules(const struct shell_run *run)
{
    for (size_t i = 1; i < run->word_count; i++) {
        bool after_f = shell_is_one_of(run->words[i - 1].value, "-f --file --makefile");
        if (shell_is_one_of(run->words[i].value, "-f- --file=- --makefile=-") ||
            (after_f && hv_str_is(run->words[i].value, "-")))
            return true;
    }
    return false;
}

/* What it reads is the program: its words name none, and hold none. */
static bool reads_program(const struct shell_run *run)
{
    bool is_language = run->traits & SHELL_NAME_INTERPRETER && !(run->traits & SHELL_NAME_SHELL);
    char option = is_language ? shell_code_option(run->name) : 0;
    if (!option)
        return shell_is_one_of(run->name, "make gmake") && reads_rules(run);
    for (size_t i = 1; i < run->word_count; i++) {
        struct hv_str word = shell_word_text(&run->words[i]);
        if (hv_str_is(word, "-"))
            return true;
        bool is_long = hv_str_starts(word, HV_STR("--"));
        if (!hv_str_starts(word, HV_STR("-")) || (!is_long && hv_str_find_byte(word, option, 1) != SIZE_MAX))
            return false;
    }
    return true;
}

/* Code in another language that is read: a here-document. */
static void look_at_read_code(struct hazard *hazard, const struct shell_run *run)
{
    for (size_t i = 0; i < run->command->redirect_count; i++) {
        const struct shell_redirect *redirect = &run->command->redirects[i];
        if (redirect->kind == SHELL_REDIRECT_HERE || redirect->kind == SHELL_REDIRECT_HERE_STRING)
            look_at_piece(hazard, shell_word_text(&redirect->target));
    }
}

/* What a run is given to run in its words, and in what it reads. before: the run in the list before it, or NULL. */
static void look_at_given(struct hazard *hazard, const struct shell_run *run, const struct shell_run *before)
{
    if (!(run->traits & (SHELL_NAME_INTERPRETER | SHELL_NAME_CARRIER)))
        return;
    look_at_code(hazard, run);
    if (run->elsewhere || run->guessed)
        return;
    if (run->traits & SHELL_NAME_CARRIER)
        look_at_carried(hazard, run);
    bool was_read = before && before->command == run->command && reads_program(before);
    if (!was_read && reads_program(run))
        look_at_read_code(hazard, run);
}

static void look_at_text(struct hazard *hazard, const struct match_call *call)
{
    const struct command_text *text = &call->command;
    if (text->forbidden)
        worsen(hazard, SHELL_DANGER_FORBID, hv_str_from(text->forbidden), NULL);
    if (text->confirmed)
        worsen(hazard, SHELL_DANGER_CONFIRM, hv_str_from(text->confirmed), NULL);
}

static struct hazard look_at_all(const struct match_call *call, struct hv_arena *arena)
{
    const struct policy_command *command = call->facts->command;
    struct hazard hazard = {0};
    for (size_t i = 0; command && i < command->dangers.count; i++)
        if (!command->dangers.items[i].run)
            worsen(&hazard, command->dangers.items[i].level, hv_str_from(command->dangers.items[i].what), NULL);
    for (size_t i = 0; command && i < command->part_count; i++) {
        if (command->parts[i].same)
            continue;
        struct hazard one = hazard_of_part(call->policy, command, &command->parts[i], arena);
        worsen(&hazard, one.level, one.what, one.part);
    }
    if (command)
        look_at_sought(&hazard, call->policy, command, arena);
    if (command && hazard.level == SHELL_DANGER_NONE)
        look_at_astray_code(&hazard, call->policy, command, arena);
    /* A danger that shows at no part, and code in arguments. */
    for (size_t i = 0; command && i < command->dangers.count; i++)
        worsen(&hazard, command->dangers.items[i].level, hv_str_from(command->dangers.items[i].what), NULL);
    for (size_t i = 0; command && i < command->runs.count; i++)
        look_at_given(&hazard, &command->runs.items[i], i ? &command->runs.items[i - 1] : NULL);
    if (!call->parts)
        look_at_text(&hazard, call);
    struct word_search search = {call, arena, &hazard};
    if (hazard.level == SHELL_DANGER_NONE)
        (void)match_each_mention(call, look_at_word, &search);
    return hazard;
}

struct hazard hazard_find(const struct match_call *call, struct hv_arena *arena)
{
    const struct policy_command *command = call->facts->command;
    return command && command->policy == call->policy ? command->hazard : look_at_all(call, arena);
}

void hazard_keep(const struct match_call *call, struct policy_command *command, struct hv_arena *arena)
{
    struct neighbours neighbours = {0};
    for (size_t i = 0; i < command->part_count; i++) {
        struct policy_part *part = (struct policy_part *)&command->parts[i];
        part->hazard = part->same ? part->same->hazard : look_at_part(call->policy, command, part, &neighbours, arena);
    }
    command->policy = call->policy;
    command->hazard = look_at_all(call, arena);
}
