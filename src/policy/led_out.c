/* led_out.c: see led_out.h. */
#include "policy/led_out.h"

#include "base/path.h"
#include "shell/runs.h"

/* Trees of the system: nobody who writes in a workspace puts links there, and some are full of them. */
static bool is_of_the_system(struct hv_str path)
{
    static const struct hv_str trees[] = {HV_STR("/usr"),  HV_STR("/bin"),   HV_STR("/sbin"),
                                          HV_STR("/lib"),  HV_STR("/lib64"), HV_STR("/opt"),
                                          HV_STR("/proc"), HV_STR("/sys"),   HV_STR("/etc")};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
        if (path.len > 1 && path.ptr[1] == trees[i].ptr[1] && path_inside(path, trees[i]))
            return true;
    return false;
}

static struct hv_str without_slashes(struct hv_str text)
{
    while (text.len && text.ptr[text.len - 1] == '/')
        text.len--;
    return text;
}

/* How many components the pattern in text has, from the one on that holds its first sign; 0: that does not show. */
static unsigned depth_of(struct hv_str text)
{
    size_t at = 0;
    unsigned depth = 1;
    for (size_t i = 0; i < text.len; i++)
        if (hv_str_find_byte(HV_STR("{$`"), text.ptr[i], 0) != SIZE_MAX)
            return 0;
    while (at < text.len && hv_str_find_byte(HV_STR("*?[("), text.ptr[at], 0) == SIZE_MAX)
        at++;
    if (at == text.len || hv_str_find(text, HV_STR("**"), 0) != SIZE_MAX)
        return 0;
    for (text = without_slashes(text); at < text.len; at++)
        depth += text.ptr[at] == '/';
    return depth;
}

static struct hv_str behind_slash(struct hv_str text)
{
    size_t slash = hv_str_rfind_byte(text, '/');
    return slash == SIZE_MAX ? text : hv_str_slice(text, slash + 1, text.len);
}

/* The word is one of letters, or the beginning of longer. `bare`: letters need no dash (tar chf FILE). */
static bool has_option(struct hv_str word, const char *letters, const char *longer, bool bare)
{
    bool dashed = word.len > 1 && word.ptr[0] == '-';
    if (word.len > 3 && hv_str_starts(hv_str_from(longer), word))
        return true;
    if ((!dashed && !bare) || hv_str_starts(word, HV_STR("--")))
        return false;
    for (; *letters; letters++)
        if (hv_str_find_byte(word, *letters, dashed) != SIZE_MAX)
            return true;
    return false;
}

/* Programs that follow links on their way through a tree when they are told to: what they show may lie anywhere. */
static bool follows_links(const struct shell_act *act)
{
    static const struct {
        const char *programs, *letters, *longer;
    } rows[] = {
        {"ls dir vdir du lsd cp", "L", "--dereference"},
        {"exa eza", "X", "--dereference"},
        {"tar gtar bsdtar", "hL", "--dereference"},
        {"pdfgrep", "R", "--dereference-recursive"},
        {"ack", "", "--follow"},
        {"grep egrep fgrep zgrep", "R", "--dereference-recursive"},
        {"find", "L", "-follow"},
        {"rg fd fdfind", "L", "--follow"},
        {"ag", "f", "--follow"},
        {"tree", "l", "--"},
    };
    if (!act->word_count)
        return false;
    struct hv_str name = shell_base_name(act->words[0].value);
    if (hv_str_is(name, "helm"))
        return true; /* in a chart it always does */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool is_meant = shell_is_one_of(name, rows[i].programs);
        for (size_t at = 1; is_meant && at < act->word_count; at++) {
            struct hv_str word = act->words[at].value;
            bool is_word_of_find = hv_str_is(name, "find") && word.len > 2;
            bool bare = at == 1 && shell_is_one_of(name, "tar gtar bsdtar");
            if (has_option(word, is_word_of_find ? "" : rows[i].letters, rows[i].longer, bare))
                return true;
        }
    }
    return false;
}

/* Those that compare directories open what links in them lead to, unless they are told not to. */
static bool opens_all_below(const struct shell_act *act)
{
    if (!act->word_count || !shell_is_one_of(shell_base_name(act->words[0].value), "diff colordiff sdiff"))
        return false;
    /* Behind other words than these it may be the value of an option. */
    static const char plain[] = "-r -u -q -ru -rq -ur -qr -rN -ruN -urN -Nur --recursive --brief";
    for (size_t at = 1; at < act->word_count; at++)
        if (hv_str_is(act->words[at].value, "--no-dereference"))
            return false;
        else if (!shell_is_one_of(act->words[at].value, plain))
            return true;
    return true;
}

static struct hv_str place_of(const struct shell_access *access)
{
    return access->untidy.len ? access->untidy : access->path;
}

static bool is_same(const struct leading_question *a, const struct leading_question *b)
{
    return a->is_tree == b->is_tree && a->depth == b->depth && hv_str_eq(a->directory, b->directory) &&
           hv_str_eq(a->prefix, b->prefix) && hv_str_eq(a->suffix, b->suffix);
}

static bool find_out(struct fs_trees *trees, const struct leading_question *question)
{
    const struct fs_names names = {.prefix = question->prefix, .suffix = question->suffix, .depth = question->depth};
    return question->is_tree ? fs_is_plain(trees, question->directory, &(struct fs_plain){.links = true})
                             : fs_names_stay(trees, question->directory, &names);
}

/* Not found out: the command asks too much. */
static bool give_up(struct leading *leading)
{
    leading->too_many = true;
    return true;
}

static bool leads_out(struct leading *leading, const struct leading_question *question)
{
    size_t count = leading->asked < LEADING_KEPT ? leading->asked : LEADING_KEPT;
    for (size_t i = 0; i < count; i++)
        if (is_same(&leading->kept[i].question, question))
            return !leading->kept[i].stay;
    if (leading->asked == LEADING_MAX)
        return give_up(leading);
    size_t place = leading->asked++ % LEADING_KEPT;
    leading->kept[place].question = *question;
    leading->kept[place].stay = find_out(leading->trees, question);
    if (!leading->kept[place].stay && leading->trees->exhausted)
        return give_up(leading);
    return !leading->kept[place].stay;
}

static bool tree_leads_out(struct leading *leading, const struct shell_act *act, const struct shell_access *access)
{
    struct leading_question question = {.directory = place_of(access)};
    if (leading->act != act) {
        leading->follows = follows_links(act);
        leading->opens = opens_all_below(act);
    }
    leading->act = act;
    question.is_tree = !leading->opens;
    return (leading->opens || leading->follows) && leads_out(leading, &question);
}

static struct fs_names names_of(const struct shell_access *access)
{
    const struct shell_word *word = access->word;
    return (struct fs_names){
        .prefix = behind_slash(word->value),
        .suffix = behind_slash(without_slashes(word->tail)),
        .depth = access->names == SHELL_NAMES_DIRECT ? 1 : depth_of(word->text),
    };
}

static bool is_pattern(const struct shell_access *access)
{
    const struct shell_word *word = access->word;
    return word && !word->known && word->flags & (SHELL_WORD_GLOB | SHELL_WORD_FILLED | SHELL_WORD_PLAIN) &&
           access->names != SHELL_NAMES_FOLLOWED;
}

bool access_leads_out(struct leading *leading, const struct shell_act *act, const struct shell_access *access)
{
    if (!access->path.len || is_of_the_system(access->path))
        return false;
    if (!access->redirect && tree_leads_out(leading, act, access))
        return true;
    if (!is_pattern(access))
        return false;
    const struct fs_names names = names_of(access);
    /* Where they stand at any depth, the last component is not looked at. */
    struct hv_str suffix = names.depth ? names.suffix : (struct hv_str){0};
    const struct leading_question question = {place_of(access), names.prefix, suffix, names.depth};
    return leads_out(leading, &question);
}

/* ---- credentials among the names --------------------------------------------------------------------------------- */

/* What is shown of a file is its name, its size and the like. */
static bool shows_no_contents(const struct shell_act *act)
{
    static const char programs[] =
        "ls dir vdir exa eza lsd stat du wc file test [ [[ realpath readlink basename dirname tree find fd fdfind cd "
        "pushd md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum getfacl getfattr lsattr";
    if (!act->word_count)
        return true;
    struct hv_str name = shell_base_name(act->words[0].value);
    if (!hv_str_is(name, "git"))
        return shell_is_one_of(name, programs);
    for (size_t at = 1; at < act->word_count; at++)
        if (hv_str_is(act->words[at].value, "--no-index"))
            return false;
    return true;
}

struct credential_search {
    const struct path_classes *classes;
    struct hv_arena *arena;
    struct hv_str directory; /* the last one, in arena: what a link leads to is told in a place that is gone then */
    bool by_name;            /* names alone tell of what is in it */
};

static bool is_credential(void *user, struct hv_str path)
{
    struct credential_search *search = user;
    struct hv_str directory = path_parent(path);
    if (!hv_str_eq(directory, search->directory)) {
        search->directory = hv_arena_str(search->arena, directory);
        search->by_name = path_classes_by_name(
            search->classes, &(struct policy_path){.written = directory, .resolved = directory}, false);
    }
    if (search->by_name && !path_name_is_suspect(search->classes, path_name(path)))
        return false;
    struct policy_path one = {.written = path, .resolved = path};
    return path_classify(search->classes, &one, false).class == POLICY_PATH_CREDENTIAL;
}

static bool has_one_of(struct hv_str text, struct hv_str signs)
{
    for (size_t i = 0; i < text.len; i++)
        if (hv_str_find_byte(signs, text.ptr[i], 0) != SIZE_MAX)
            return true;
    return false;
}

/* Itself, or as the value of a variable that is not quoted. */
static bool is_written_as_pattern(const struct shell_word *word)
{
    return has_one_of(word->text, word->flags & SHELL_WORD_MANY ? HV_STR("*?[$") : HV_STR("*?["));
}

struct hv_str access_finds_credential(struct leading *leading, struct hv_arena *arena,
                                      const struct path_classes *classes, const struct shell_act *act,
                                      const struct shell_access *access)
{
    struct credential_search search = {.classes = classes, .arena = arena};
    if (!access->path.len || !is_pattern(access) || (!access->redirect && shows_no_contents(act)))
        return (struct hv_str){0};
    struct hv_str directory = place_of(access);
    struct fs_names names = names_of(access);
    /* All below a directory, as `find -exec` hands it on, is like a search through it, which is not asked about. */
    if (!names.depth && !is_written_as_pattern(access->word))
        return (struct hv_str){0};
    if (!names.depth && !names.suffix.len)
        names.depth = 1;
    bool again = leading->searched.ptr && leading->searched_depth == names.depth &&
                 hv_str_eq(leading->searched, directory) && hv_str_eq(leading->searched_prefix, names.prefix) &&
                 hv_str_eq(leading->searched_suffix, names.suffix);
    if (again) {
        leading->too_many |= leading->searched_in_vain;
        return leading->credential;
    }
    leading->searched = directory;
    leading->searched_prefix = names.prefix;
    leading->searched_suffix = names.suffix;
    leading->searched_depth = names.depth;
    leading->credential = (struct hv_str){0};
    leading->searched_in_vain = leading->searches == LEADING_MAX;
    if (!leading->searched_in_vain) {
        leading->searches++;
        leading->credential = fs_names_find(leading->trees, arena, directory, &names, is_credential, &search);
        leading->searched_in_vain = !leading->credential.len && leading->trees->exhausted;
    }
    leading->too_many |= leading->searched_in_vain;
    return leading->credential;
}

bool act_shows_listed(const struct shell_act *act)
{
    bool listed = false;
    for (size_t i = 0; !listed && i < act->read_count; i++) {
        const struct shell_word *word = act->reads[i].word;
        listed = word && !word->known && !has_one_of(word->text, HV_STR("*?["));
    }
    return listed && !shows_no_contents(act);
}

struct hv_str names_find_credential(struct leading *leading, struct hv_arena *arena, const struct path_classes *classes,
                                    struct hv_str directory, const struct fs_names *names)
{
    struct credential_search search = {.classes = classes, .arena = arena};
    return fs_names_find(leading->trees, arena, directory, names, is_credential, &search);
}

/* It may hold what another command prints. */
static bool may_be_printed(const struct shell_word *word)
{
    return word && !word->known && (!has_one_of(word->text, HV_STR("*?[")) || has_one_of(word->text, HV_STR("$`")));
}

bool act_opens_listed(const struct shell_act *act)
{
    bool named = false;
    for (size_t i = 0; i < act->read_count; i++) {
        bool printed = may_be_printed(act->reads[i].word);
        if (printed && act->reads[i].redirect)
            return true;
        named |= printed;
    }
    for (size_t i = 1; !named && !act->reads_listed && i < act->word_count; i++)
        named = act->words[i].flags & (SHELL_WORD_VARIABLE | SHELL_WORD_COMMAND) && may_be_printed(&act->words[i]);
    return named && !shows_no_contents(act);
}
