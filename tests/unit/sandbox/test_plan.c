/* From settings and a picture of the files to the mounts of a sandbox, and to the words for bubblewrap. */
#include "sandbox/plan.h"

#include "base/path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A file system as a table. */
struct file {
    const char *path, *target; /* target: of a link */
    enum hv_file_kind kind;
    int64_t mtime_ns;
};

enum { LOOKED_MAX = 1000 };

struct world {
    struct hv_host host;
    struct hv_arena arena;
    struct sandbox_options options;
    const struct file *files; /* path NULL ends */
    bool folds;               /* letters of either case are the same */
    struct hv_str roots[2];
    struct sandbox_place place;
    struct sandbox_plan plan;
    struct hv_str looked[LOOKED_MAX]; /* what stat was asked for */
    size_t looked_count;
};

static const struct file *find(const struct world *world, struct hv_str path)
{
    for (const struct file *file = world->files; file->path; file++)
        if (world->folds ? hv_str_eq_nocase(path, hv_str_from(file->path)) : hv_str_is(path, file->path))
            return file;
    return NULL;
}

/* A folder of which only what lies in it is in the table is one, too. */
static bool is_folder_of_some(const struct world *world, struct hv_str path)
{
    for (const struct file *file = world->files; file->path; file++)
        if (path_inside(hv_str_from(file->path), path))
            return true;
    return false;
}

static enum hv_code look(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                         struct hv_error *err)
{
    struct world *world = host->data;
    const struct file *file = find(world, path);
    assert_false(follow);
    if (world->looked_count < LOOKED_MAX)
        world->looked[world->looked_count++] = hv_arena_str(&world->arena, path);
    if (!file && !is_folder_of_some(world, path))
        return hv_fail(err, HV_ENOTFOUND, "not there");
    *out = file ? (struct hv_file_stat){.kind = file->kind, .mtime_ns = file->mtime_ns}
                : (struct hv_file_stat){.kind = HV_FILE_DIRECTORY};
    return HV_OK;
}

/* Links of whole paths only: enough for a table. */
static enum hv_code resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                            struct hv_error *err)
{
    (void)err;
    const struct file *file = find(host->data, path);
    *out = file && file->target ? hv_str_from(file->target) : hv_arena_str(arena, path);
    return HV_OK;
}

/* A name may come more than once. */
static enum hv_code list(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, size_t limit,
                         struct hv_directory_entry **entries, size_t *count, bool *more, struct hv_error *err)
{
    const struct world *world = host->data;
    (void)err;
    *entries = hv_arena_array(arena, struct hv_directory_entry, limit);
    *count = 0;
    *more = false;
    for (const struct file *file = world->files; file->path && *count < limit; file++) {
        struct hv_str at = hv_str_from(file->path);
        if (at.len <= path.len + 1 || !hv_str_starts(at, path) || at.ptr[path.len] != '/')
            continue;
        struct hv_str name = hv_str_slice(at, path.len + 1, at.len);
        size_t end = hv_str_find_byte(name, '/', 0);
        (*entries)[(*count)++] = (struct hv_directory_entry){.name = hv_str_slice(name, 0, end),
                                                             .kind = end == SIZE_MAX ? file->kind : HV_FILE_DIRECTORY};
    }
    return HV_OK;
}

static void make(struct world *world, const struct file *files, const char *settings)
{
    const struct hv_json *json;
    *world = (struct world){.files = files, .roots = {HV_STR("/ws/project"), HV_STR("/ws/second")}};
    world->host = (struct hv_host){.data = world, .stat = look, .resolve = resolve, .list = list};
    assert_int_equal(hv_json_parse(&world->arena, hv_str_from(settings), 0, &json, NULL), HV_OK);
    sandbox_options_add(&world->options, &world->arena, json, world->roots[0], HV_STR("/home/me"), NULL, NULL);
    world->place = (struct sandbox_place){
        .host = &world->host,
        .options = &world->options,
        .home = HV_STR("/home/me"),
        .roots = world->roots,
        .root_count = 1,
        .temporary = HV_STR("/tmp/own/tmp"),
        .locked = HV_STR("/tmp/own/locked"),
    };
    sandbox_plan_make(&world->place, &world->arena, &world->plan);
}

static void drop(struct world *world)
{
    hv_arena_release(&world->arena);
}

static const char *kind_name(enum sandbox_mount_kind kind)
{
    static const char *const names[] = {"?", "read", "write", "private", "pin", "protect", "hide", "hide-folder"};
    return names[kind];
}

static struct hv_str all_mounts(struct world *world)
{
    struct hv_str text = HV_STR("");
    for (size_t i = 0; i < world->plan.mount_count; i++)
        text = hv_arena_format(&world->arena, "%.*s%s %.*s\n", HV_STR_ARG(text), kind_name(world->plan.mounts[i].kind),
                               HV_STR_ARG(world->plan.mounts[i].path));
    return text;
}

static void assert_mounts(struct world *world, const char *expected)
{
    struct hv_str found = all_mounts(world);
    if (!hv_str_is(found, expected))
        fail_msg("found:\n%.*sexpected:\n%s", HV_STR_ARG(found), expected);
}

static bool is_missing(const struct world *world, const char *path)
{
    for (size_t i = 0; i < world->plan.missing_count; i++)
        if (hv_str_is(world->plan.missing[i], path))
            return true;
    return false;
}

#define FOLDER(name)                                                                                                   \
    {                                                                                                                  \
        name, NULL, HV_FILE_DIRECTORY, 0                                                                               \
    }
#define FILE_AT(name)                                                                                                  \
    {                                                                                                                  \
        name, NULL, HV_FILE_REGULAR, 0                                                                                 \
    }

static void what_is_there_is_protected_what_is_not_is_named(void **state)
{
    static const struct file files[] = {FOLDER("/ws/project"),
                                        FOLDER("/ws/project/.git"),
                                        FOLDER("/ws/project/.git/hooks"),
                                        FILE_AT("/ws/project/.git/config"),
                                        FILE_AT("/ws/project/.mcp.json"),
                                        FILE_AT("/ws/project/.bashrc"),
                                        FOLDER("/tmp/own/tmp"),
                                        FOLDER("/home/me/.ssh"),
                                        FILE_AT("/home/me/.netrc"),
                                        {0}};
    struct world world;
    (void)state;
    make(&world, files, "{}");
    assert_mounts(&world, "hide /home/me/.netrc\n"
                          "hide-folder /home/me/.ssh\n"
                          "private /tmp\n"
                          "write /ws/project\n"
                          "protect /ws/project/.bashrc\n"
                          "pin /ws/project/.git\n"
                          "protect /ws/project/.git/config\n"
                          "protect /ws/project/.git/hooks\n"
                          "protect /ws/project/.mcp.json\n");
    assert_true(is_missing(&world, "/ws/project/.helve"));
    assert_true(is_missing(&world, "/ws/project/.vscode"));
    assert_true(is_missing(&world, "/ws/project/.claude"));
    assert_false(is_missing(&world, "/ws/project/.zshrc"));
    assert_int_equal(world.plan.weakness.len, 0);
    drop(&world);
}

static void settings_widen_and_narrow(void **state)
{
    static const struct file files[] = {FOLDER("/ws/project"),       FOLDER("/ws/project/kept"),
                                        FILE_AT("/ws/project/.env"), FOLDER("/srv/cache"),
                                        FOLDER("/home/me/.ssh"),     FILE_AT("/home/me/.ssh/known_hosts"),
                                        FILE_AT("/home/me/.netrc"),  {0}};
    struct world world;
    (void)state;
    make(&world, files,
         "{\"filesystem\":{\"allowWrite\":[\"/srv/cache\",\"/not/"
         "there\"],\"denyWrite\":[\"kept\"],\"denyRead\":[\".env\"],"
         "\"allowRead\":[\"~/.ssh/known_hosts\",\"~/.netrc\"]}}");
    assert_mounts(&world, "hide-folder /home/me/.ssh\n"
                          "read /home/me/.ssh/known_hosts\n"
                          "write /srv/cache\n"
                          "write /ws/project\n"
                          "hide /ws/project/.env\n"
                          "protect /ws/project/kept\n");
    drop(&world);
}

static void links_are_protected_where_they_lead_and_said_to_be_weak(void **state)
{
    static const struct file files[] = {FOLDER("/ws/project"),
                                        FOLDER("/ws/project/.git"),
                                        {"/ws/project/.git/hooks", "/ws/project/tools/hooks", HV_FILE_SYMLINK, 0},
                                        FOLDER("/ws/project/tools"),
                                        FOLDER("/ws/project/tools/hooks"),
                                        {0}};
    struct world world;
    (void)state;
    make(&world, files, "{}");
    assert_mounts(&world, "write /ws/project\n"
                          "pin /ws/project/tools\n"
                          "protect /ws/project/tools/hooks\n");
    assert_true(hv_str_find(world.plan.weakness, HV_STR(".git/hooks is a link"), 0) != SIZE_MAX);
    drop(&world);
}

static void a_writable_home_is_said_to_be_weak(void **state)
{
    static const struct file files[] = {FOLDER("/home/me"), FOLDER("/home/me/.ssh"), FILE_AT("/home/me/.bashrc"), {0}};
    struct world world;
    (void)state;
    make(&world, files, "{\"filesystem\":{\"allowWrite\":[\"~\"]}}");
    assert_mounts(&world, "write /home/me\nprotect /home/me/.bashrc\nhide-folder /home/me/.ssh\n");
    assert_true(world.plan.weakness.len > 0);
    drop(&world);
}

static void what_programs_obey_is_protected_in_a_part_of_the_home(void **state)
{
    static const struct file files[] = {FOLDER("/home/me/.config"),  FOLDER("/home/me/.config/fish"),
                                        FOLDER("/home/me/.cargo"),   FOLDER("/home/me/.cache"),
                                        FILE_AT("/home/me/.bashrc"), {0}};
    struct world world;
    (void)state;
    make(&world, files, "{\"filesystem\":{\"allowWrite\":[\"~/.config\"]}}");
    assert_mounts(&world, "write /home/me/.config\nprotect /home/me/.config/fish\n");
    assert_true(hv_str_find(world.plan.weakness, HV_STR("/home/me/.config/"), 0) == 0);
    drop(&world);
    make(&world, files, "{\"filesystem\":{\"allowWrite\":[\"~/.cargo\"]}}");
    assert_true(hv_str_find(world.plan.weakness, HV_STR("/home/me/.cargo/config.toml does not exist yet"), 0) == 0);
    drop(&world);
    make(&world, files, "{\"filesystem\":{\"allowWrite\":[\"~/.cache\",\"~/.config/fish\"]}}");
    assert_mounts(&world, "write /home/me/.cache\nwrite /home/me/.config/fish\n"); /* which is named itself */
    assert_int_equal(world.plan.weakness.len, 0);
    drop(&world);
    make(&world, files, "{\"filesystem\":{\"allowWrite\":[\"/srv\"]}}"); /* no such folder in this picture */
    assert_mounts(&world, "");
    drop(&world);
}

static void what_programs_obey_is_protected_in_a_folder_that_holds_the_home(void **state)
{
    static const struct file files[] = {FOLDER("/home"), FOLDER("/home/me"), FILE_AT("/home/me/.bashrc"), {0}};
    struct world world;
    (void)state;
    make(&world, files, "{\"filesystem\":{\"allowWrite\":[\"/home\"]}}");
    assert_mounts(&world, "write /home\npin /home/me\nprotect /home/me/.bashrc\n");
    assert_true(world.plan.weakness.len > 0);
    drop(&world);
}

static void what_would_have_git_look_elsewhere_is_forbidden_where_it_is_not(void **state)
{
    static const struct file files[] = {
        FOLDER("/ws/project"), FOLDER("/ws/project/.git"), FOLDER("/ws/project/.git/objects"), {0}};
    static const struct file linked[] = {FOLDER("/ws/project"), FOLDER("/ws/project/.git"), {0}};
    struct world world;
    (void)state;
    make(&world, files, "{}");
    assert_int_equal(world.plan.forbidden_count, 1);
    assert_true(hv_str_is(world.plan.forbidden[0], "/ws/project/.git/commondir"));
    drop(&world);
    make(&world, linked, "{}"); /* a linked worktree that is being made has no objects */
    assert_int_equal(world.plan.forbidden_count, 0);
    drop(&world);
}

static void the_file_that_names_a_repository_is_protected(void **state)
{
    static const struct file files[] = {FOLDER("/ws/project"), FILE_AT("/ws/project/.git"), {0}};
    struct world world;
    (void)state;
    make(&world, files, "{}");
    assert_mounts(&world, "write /ws/project\nprotect /ws/project/.git\n");
    drop(&world);
}

static void a_path_belongs_to_the_deepest_mount(void **state)
{
    static const struct file files[] = {FOLDER("/ws/project"),
                                        FOLDER("/ws/project/.git"),
                                        FOLDER("/ws/project/.git/hooks"),
                                        FOLDER("/home/me/.ssh"),
                                        {0}};
    static const struct {
        const char *path;
        enum sandbox_mount_kind kind;
    } cases[] = {
        {"/", SANDBOX_READABLE},
        {"/ws/project-evil", SANDBOX_READABLE},
        {"/ws/project", SANDBOX_WRITABLE},
        {"/ws/project/a/b", SANDBOX_WRITABLE},
        {"/ws/project/.git/index", SANDBOX_PINNED},
        {"/ws/project/.git/hooks/x", SANDBOX_PROTECTED},
        {"/ws/project/.git/hooks2", SANDBOX_PINNED},
        {"/home/me/.ssh/id", SANDBOX_HIDDEN_DIRECTORY},
    };
    struct world world;
    (void)state;
    make(&world, files, "{}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(sandbox_plan_look_up(&world.plan, hv_str_from(cases[i].path), NULL), cases[i].kind);
    drop(&world);
}

/* The items' texts with blanks between them, as one would type them. */
static struct hv_str words_of(struct world *world, struct hv_str plan)
{
    struct hv_str text = HV_STR("");
    while (plan.len) {
        int64_t len;
        size_t colon = hv_str_find_byte(plan, ':', 0);
        assert_true(hv_str_to_int64(hv_str_slice(plan, 1, colon), &len));
        text = hv_arena_format(&world->arena, "%.*s%s%.*s", HV_STR_ARG(text), text.len ? " " : "",
                               HV_STR_ARG(hv_str_slice(plan, colon + 1, colon + 1 + (size_t)len)));
        plan = hv_str_slice(plan, colon + 1 + (size_t)len, plan.len);
    }
    return text;
}

static void the_words_for_bubblewrap_follow_the_mounts(void **state)
{
    static const struct file files[] = {
        FOLDER("/ws/project"),      FOLDER("/ws/project/.git"), FOLDER("/ws/project/.git/hooks"),
        FILE_AT("/home/me/.netrc"), FOLDER("/home/me/.ssh"),    {0}};
    struct world world;
    struct hv_buf out;
    (void)state;
    make(&world, files, "{\"network\":{\"allowUnixSockets\":[\"/run/some.sock\"]}}");
    hv_buf_init(&out, 1 << 16);
    world.place.as_root = true;
    sandbox_put_bubblewrap(&world.plan, &world.place, true, &out);
    struct hv_str words = words_of(&world, hv_buf_str(&out));
    static const char *const expected =
        "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent "
        "--cap-drop ALL --as-pid-1 --ro-bind / / --dev /dev --proc /proc --remount-ro /proc --tmpfs /run --bind-try "
        "/run/some.sock /run/some.sock "
        "--ro-bind /tmp/own/locked /home/me/.netrc --perms 0000 --tmpfs /home/me/.ssh --bind /ws/project "
        "/ws/project --bind /ws/project/.git /ws/project/.git --ro-bind /ws/project/.git/hooks "
        "/ws/project/.git/hooks";
    if (!hv_str_is(words, expected))
        fail_msg("%.*s", HV_STR_ARG(words));
    hv_buf_release(&out);
    drop(&world);
}

/* The same mounts, for the helper: what bubblewrap keeps of it, then the helper's own items. */
static void the_helper_mounts_the_same(void **state)
{
    static const struct file files[] = {
        FOLDER("/ws/project"), FOLDER("/ws/project/.git"), FOLDER("/ws/project/.git/hooks"), FOLDER("/run"),
        FOLDER("/tmp"),        FILE_AT("/home/me/.netrc"), FOLDER("/home/me/.ssh"),          {0}};
    struct world world;
    struct hv_buf out;
    (void)state;
    make(&world, files, "{\"network\":{\"allowUnixSockets\":[\"/run/some.sock\"]}}");
    hv_buf_init(&out, 1 << 16);
    world.place.as_root = true;
    sandbox_put_namespaces(&world.place, false, &out);
    sandbox_put_own_mounts(&world.plan, &world.place, false, &world.arena, &out);
    struct hv_str words = words_of(&world, hv_buf_str(&out));
    static const char *const expected =
        "--unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent "
        "--cap-drop ALL --as-pid-1 --cap-add CAP_SYS_ADMIN --cap-add CAP_SETPCAP --dev-bind / /  r r /tmp/own/tmp "
        "0755:/run "
        "/run/some.sock "
        "/tmp/own/locked /home/me/.netrc 0000:/home/me/.ssh /tmp/own/tmp /tmp /ws/project "
        "/ws/project/.git /ws/project/.git/hooks";
    if (!hv_str_is(words, expected))
        fail_msg("%.*s", HV_STR_ARG(words));
    hv_buf_clear(&out);
    world.place.as_root = false;
    sandbox_put_namespaces(&world.place, true, &out);
    sandbox_put_own_mounts(&world.plan, &world.place, true, &world.arena, &out);
    words = words_of(&world, hv_buf_str(&out));
    assert_true(hv_str_starts(words, HV_STR("--unshare-user ")));
    struct hv_str back = hv_arena_format(&world.arena, " --uid 0 --gid 0 --cap-add CAP_SETFCAP  r w %lu:%lu ",
                                         (unsigned long)geteuid(), (unsigned long)getegid());
    assert_true(hv_str_find(words, back, 0) != SIZE_MAX);
    hv_buf_release(&out);
    drop(&world);
}

static void a_workspace_that_is_all_lies_below_the_rest(void **state)
{
    static const struct file files[] = {FOLDER("/"), FOLDER("/sys"), FOLDER("/boot"), {0}};
    struct world world;
    struct hv_buf out;
    (void)state;
    make(&world, files, "{\"filesystem\":{\"allowWrite\":[\"/\"]}}");
    assert_mounts(&world, "write /\nprotect /boot\nprotect /sys\n");
    assert_true(world.plan.weakness.len > 0);
    hv_buf_init(&out, 1 << 16);
    sandbox_put_bubblewrap(&world.plan, &world.place, false, &out);
    assert_true(hv_str_ends(
        words_of(&world, hv_buf_str(&out)),
        HV_STR("ALL --as-pid-1 --bind / / --dev /dev --proc /proc --ro-bind /boot /boot --ro-bind /sys /sys")));
    hv_buf_release(&out);
    drop(&world);
}

static void test_tmp_is_private_and_shows_what_is_named_and_what_holds_the_workspace(void **state)
{
    (void)state;
    struct world world;
    const struct file files[] = {FOLDER("/tmp"),
                                 FOLDER("/tmp/own"),
                                 FOLDER("/tmp/own/tmp"),
                                 FOLDER("/tmp/top"),
                                 FOLDER("/tmp/top/project"),
                                 FILE_AT("/tmp/named"),
                                 {"/tmp/link", "/etc", HV_FILE_SYMLINK, 0},
                                 {0}};
    const struct hv_str shown[] = {HV_STR("/tmp/named"), HV_STR("/tmp/link"), HV_STR("/tmp/gone")};
    make(&world, files, "{}");
    world.place.roots = (const struct hv_str[]){HV_STR("/tmp/top/project")};
    world.place.shown = shown;
    world.place.shown_count = 3;
    sandbox_plan_make(&world.place, &world.arena, &world.plan);
    assert_mounts(&world, "private /tmp\nread /tmp/named\nread /tmp/top\n"
                          "write /tmp/top/project\n");
    drop(&world);
    make(&world, files, "{\"filesystem\":{\"allowWrite\":[\"/tmp\"]}}");
    assert_mounts(&world, "write /tmp\nwrite /tmp/own/tmp\n");
    drop(&world);
}

static void test_what_of_tmp_a_command_names_is_found(void **state)
{
    (void)state;
    struct hv_str names[3];
    assert_int_equal(
        sandbox_named_in_tmp(HV_STR("python3 /tmp/a.py >/tmp/b/c; cat '/tmp/a.py' /tmp/ /tmp/.. x=/tmp/d/"), names, 3),
        3);
    assert_true(hv_str_is(names[0], "/tmp/a.py") && hv_str_is(names[1], "/tmp/b") && hv_str_is(names[2], "/tmp/d"));
    assert_int_equal(sandbox_named_in_tmp(HV_STR("/tmp/1 /tmp/2 /tmp/3 /tmp/4"), names, 3), 3);
    assert_int_equal(sandbox_named_in_tmp(HV_STR("ls /tmp"), names, 3), 0);
}

static void test_what_git_obeys_in_repositories_below_the_workspace_is_protected(void **state)
{
    (void)state;
    struct world world;
    const struct file files[] = {FOLDER("/ws/project"),
                                 FOLDER("/ws/project/sub"),
                                 FOLDER("/ws/project/sub/.git"),
                                 FOLDER("/ws/project/sub/.git/hooks"),
                                 FILE_AT("/ws/project/sub/.git/config"),
                                 FOLDER("/ws/project/other"),
                                 FILE_AT("/ws/project/other/.git"),
                                 {0}};
    const struct hv_str found[] = {HV_STR("/ws/project/sub/.git"), HV_STR("/ws/project/other/.git")};
    make(&world, files, "{}");
    world.place.repositories = found;
    world.place.repository_count = 2;
    sandbox_plan_make(&world.place, &world.arena, &world.plan);
    assert_mounts(&world, "write /ws/project\npin /ws/project/other\nprotect /ws/project/other/.git\n"
                          "pin /ws/project/sub\npin /ws/project/sub/.git\nprotect /ws/project/sub/.git/config\n"
                          "protect /ws/project/sub/.git/hooks\n");
    drop(&world);
}

static bool is_looked_at(const struct world *world, const char *path)
{
    for (size_t i = 0; i < world->looked_count; i++)
        if (hv_str_is(world->looked[i], path))
            return true;
    return false;
}

static void each_path_is_looked_at_once_and_for_each_plan_anew(void **state)
{
    static const struct file before[] = {
        FOLDER("/ws/project"), FILE_AT("/ws/project/.mcp.json"), FILE_AT("/home/me/.netrc"), {0}};
    static const struct file after[] = {
        FOLDER("/ws/project"), FILE_AT("/ws/project/.git/config"), FILE_AT("/home/me/.ssh/id"), {0}};
    struct world world;
    (void)state;
    make(&world, before, "{}");
    assert_mounts(&world, "hide /home/me/.netrc\nwrite /ws/project\nprotect /ws/project/.mcp.json\n");
    for (size_t i = 0; i < world.looked_count; i++)
        for (size_t j = 0; j < i; j++)
            assert_false(hv_str_eq(world.looked[i], world.looked[j]));
    assert_true(is_looked_at(&world, "/ws/project/.git"));
    assert_false(is_looked_at(&world, "/ws/project/.git/config")); /* in what is not there */
    assert_false(is_looked_at(&world, "/home/me/.ssh"));           /* nor is that in what was listed */
    assert_true(is_missing(&world, "/ws/project/.helve"));
    assert_false(is_missing(&world, "/ws/project/.git/hooks")); /* who makes a repository makes its hooks */
    world.files = after;
    sandbox_plan_make(&world.place, &world.arena, &world.plan);
    assert_mounts(&world, "hide-folder /home/me/.ssh\nwrite /ws/project\npin /ws/project/.git\n"
                          "protect /ws/project/.git/config\n");
    drop(&world);
}

/* As on a file system that takes ".SSH" for ".ssh". */
static void what_has_its_name_in_other_letters_is_found(void **state)
{
    static const struct file files[] = {
        FOLDER("/ws/project"), FOLDER("/home/me/.SSH"), FILE_AT("/ws/project/.Envrc"), {0}};
    struct world world;
    (void)state;
    make(&world, files, "{}");
    world.folds = true;
    sandbox_plan_make(&world.place, &world.arena, &world.plan);
    assert_mounts(&world, "hide-folder /home/me/.ssh\nwrite /ws/project\nprotect /ws/project/.envrc\n");
    drop(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_is_protected_what_is_not_is_named),
        cmocka_unit_test(settings_widen_and_narrow),
        cmocka_unit_test(links_are_protected_where_they_lead_and_said_to_be_weak),
        cmocka_unit_test(a_writable_home_is_said_to_be_weak),
        cmocka_unit_test(what_programs_obey_is_protected_in_a_part_of_the_home),
        cmocka_unit_test(what_would_have_git_look_elsewhere_is_forbidden_where_it_is_not),
        cmocka_unit_test(what_programs_obey_is_protected_in_a_folder_that_holds_the_home),
        cmocka_unit_test(the_file_that_names_a_repository_is_protected),
        cmocka_unit_test(a_path_belongs_to_the_deepest_mount),
        cmocka_unit_test(the_words_for_bubblewrap_follow_the_mounts),
        cmocka_unit_test(the_helper_mounts_the_same),
        cmocka_unit_test(a_workspace_that_is_all_lies_below_the_rest),
        cmocka_unit_test(test_tmp_is_private_and_shows_what_is_named_and_what_holds_the_workspace),
        cmocka_unit_test(test_what_of_tmp_a_command_names_is_found),
        cmocka_unit_test(each_path_is_looked_at_once_and_for_each_plan_anew),
        cmocka_unit_test(what_has_its_name_in_other_letters_is_found),
        cmocka_unit_test(test_what_git_obeys_in_repositories_below_the_workspace_is_protected),
    };
    return cmocka_run_group_tests_name("sandbox plan", tests, NULL, NULL);
}
