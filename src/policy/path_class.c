/*
 * path_class.c: see path_class.h. Each row of the table is one gitignore pattern below the root, the home or at any
 * depth. Rows are compiled into one list per class and place, which is a few hash look-ups per path; only a hit walks
 * the rows once more for its reason.
 */
#include "policy/path_class.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "policy/rule_path.h"
#include "text/ignore.h"

#include <string.h>

enum place { AT_ROOT = 0, AT_HOME, ANYWHERE, PLACE_COUNT };

struct row {
    enum policy_path_class class;
    enum place place;
    const char *pattern;
    const char *what;
};

#define CREDENTIAL POLICY_PATH_CREDENTIAL
#define PROTECTED POLICY_PATH_PROTECTED
#define FORBIDDEN POLICY_PATH_FORBIDDEN
#define SPECIAL POLICY_PATH_SPECIAL

/* clang-format off */
static const struct row rows[] = {
    /* Keys, tokens, passwords. */
    {CREDENTIAL, ANYWHERE, ".ssh", "SSH keys and configuration"},
    {CREDENTIAL, ANYWHERE, ".gnupg", "GnuPG keys"},
    {CREDENTIAL, ANYWHERE, ".aws", "AWS credentials"},
    {CREDENTIAL, ANYWHERE, ".azure", "Azure credentials"},
    {CREDENTIAL, ANYWHERE, ".config/gcloud", "Google Cloud credentials"},
    {CREDENTIAL, ANYWHERE, "**/.config/gcloud", "Google Cloud credentials"},
    {CREDENTIAL, ANYWHERE, "**/.kube/config", "Kubernetes credentials"},
    {CREDENTIAL, ANYWHERE, "**/.docker/config.json", "Docker credentials"},
    {CREDENTIAL, ANYWHERE, "**/.config/gh/hosts.yml", "GitHub credentials"},
    {CREDENTIAL, ANYWHERE, "**/.config/hub", "GitHub credentials"},
    {CREDENTIAL, ANYWHERE, "**/.config/glab-cli", "GitLab credentials"},
    {CREDENTIAL, ANYWHERE, "**/.config/op", "1Password credentials"},
    {CREDENTIAL, ANYWHERE, "**/.config/rclone", "rclone credentials"},
    {CREDENTIAL, ANYWHERE, "**/.config/doctl", "DigitalOcean credentials"},
    {CREDENTIAL, ANYWHERE, "**/.config/git/credentials", "git credentials"},
    {CREDENTIAL, ANYWHERE, "**/.cargo/credentials", "Cargo credentials"},
    {CREDENTIAL, ANYWHERE, "**/.cargo/credentials.toml", "Cargo credentials"},
    {CREDENTIAL, ANYWHERE, "**/.gem/credentials", "RubyGems credentials"},
    {CREDENTIAL, ANYWHERE, "**/.m2/settings-security.xml", "Maven credentials"},
    {CREDENTIAL, ANYWHERE, "**/.terraform.d/credentials.tfrc.json", "Terraform credentials"},
    {CREDENTIAL, ANYWHERE, "**/.claude/.credentials.json", "an agent's credentials"},
    {CREDENTIAL, ANYWHERE, "**/.codex/auth.json", "an agent's credentials"},
    {CREDENTIAL, ANYWHERE, "**/.local/share/keyrings", "a key ring"},
    {CREDENTIAL, ANYWHERE, "**/Library/Keychains", "a key chain"},
    {CREDENTIAL, ANYWHERE, ".password-store", "a password store"},
    {CREDENTIAL, ANYWHERE, ".netrc", "login data"},
    {CREDENTIAL, ANYWHERE, "_netrc", "login data"},
    {CREDENTIAL, ANYWHERE, ".pgpass", "database passwords"},
    {CREDENTIAL, ANYWHERE, ".my.cnf", "database passwords"},
    {CREDENTIAL, ANYWHERE, ".pypirc", "PyPI credentials"},
    {CREDENTIAL, ANYWHERE, ".git-credentials", "git credentials"},
    {CREDENTIAL, ANYWHERE, ".vault-token", "a Vault token"},
    {CREDENTIAL, ANYWHERE, ".boto", "cloud credentials"},
    {CREDENTIAL, ANYWHERE, ".s3cfg", "cloud credentials"},
    {CREDENTIAL, ANYWHERE, ".htpasswd", "password hashes"},
    {CREDENTIAL, AT_HOME, "/.npmrc", "npm credentials"},
    {CREDENTIAL, AT_HOME, "/.yarnrc.yml", "npm credentials"},
    {CREDENTIAL, ANYWHERE, "id_rsa", "a private key"},
    {CREDENTIAL, ANYWHERE, "id_dsa", "a private key"},
    {CREDENTIAL, ANYWHERE, "id_ecdsa", "a private key"},
    {CREDENTIAL, ANYWHERE, "id_ecdsa_sk", "a private key"},
    {CREDENTIAL, ANYWHERE, "id_ed25519", "a private key"},
    {CREDENTIAL, ANYWHERE, "id_ed25519_sk", "a private key"},
    {CREDENTIAL, ANYWHERE, "*.pem", "a key or certificate"},
    {CREDENTIAL, ANYWHERE, "*.key", "a private key"},
    {CREDENTIAL, ANYWHERE, "*.p12", "a key store"},
    {CREDENTIAL, ANYWHERE, "*.pfx", "a key store"},
    {CREDENTIAL, ANYWHERE, "*.jks", "a key store"},
    {CREDENTIAL, ANYWHERE, "*.keystore", "a key store"},
    {CREDENTIAL, ANYWHERE, "*.ppk", "a private key"},
    {CREDENTIAL, ANYWHERE, "*.kdbx", "a password store"},
    {CREDENTIAL, AT_ROOT, "/etc/shadow", "the system's password hashes"},
    {CREDENTIAL, AT_ROOT, "/etc/shadow-", "the system's password hashes"},
    {CREDENTIAL, AT_ROOT, "/etc/gshadow", "the system's password hashes"},
    {CREDENTIAL, AT_ROOT, "/etc/gshadow-", "the system's password hashes"},
    {CREDENTIAL, AT_ROOT, "/etc/master.passwd", "the system's password hashes"},
    {CREDENTIAL, AT_ROOT, "/etc/sudoers", "the rules of sudo"},
    {CREDENTIAL, AT_ROOT, "/etc/sudoers.d", "the rules of sudo"},
    {CREDENTIAL, AT_ROOT, "/etc/ssl/private", "private keys"},
    {CREDENTIAL, AT_ROOT, "/etc/ssh/ssh_host_*_key", "the host's private key"},
    {CREDENTIAL, AT_ROOT, "/etc/krb5.keytab", "the host's private key"},
    {CREDENTIAL, AT_ROOT, "/run/secrets", "secrets of the container"},
    {CREDENTIAL, AT_ROOT, "/var/run/secrets", "secrets of the container"},
    {CREDENTIAL, AT_ROOT, "/proc/*/environ", "the environment of a process, with its secrets"},
    {CREDENTIAL, AT_ROOT, "/proc/*/task/*/environ", "the environment of a process, with its secrets"},

    /* What shells run at their start. */
    {PROTECTED, ANYWHERE, ".bashrc", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".bash_profile", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".bash_login", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".bash_logout", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".bash_aliases", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".profile", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".zshrc", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".zshenv", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".zprofile", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".zlogin", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".zlogout", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".kshrc", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".mkshrc", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".cshrc", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".tcshrc", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".inputrc", "a shell start-up file"},
    {PROTECTED, ANYWHERE, ".envrc", "a file that direnv runs"},
    {PROTECTED, ANYWHERE, ".xprofile", "a session start-up file"},
    {PROTECTED, ANYWHERE, ".xinitrc", "a session start-up file"},
    {PROTECTED, ANYWHERE, ".xsession", "a session start-up file"},
    {PROTECTED, AT_HOME, "/.login", "a shell start-up file"},
    {PROTECTED, AT_HOME, "/.config/fish", "a shell start-up file"},
    {PROTECTED, AT_HOME, "/.config/nushell", "a shell start-up file"},
    {PROTECTED, AT_HOME, "/.config/powershell", "a shell start-up file"},
    {PROTECTED, AT_HOME, "/.config/environment.d", "a session start-up file"},
    {PROTECTED, AT_HOME, "/.config/autostart", "a session start-up file"},
    {PROTECTED, AT_HOME, "/.config/systemd", "a service that starts by itself"},
    {PROTECTED, AT_HOME, "/.local/share/systemd", "a service that starts by itself"},
    {PROTECTED, AT_HOME, "/Library/LaunchAgents", "a service that starts by itself"},
    {PROTECTED, AT_HOME, "/.pam_environment", "a session start-up file"},
    {PROTECTED, AT_HOME, "/.vimrc", "an editor start-up file"},
    {PROTECTED, AT_HOME, "/.config/nvim", "an editor start-up file"},
    {PROTECTED, AT_HOME, "/.emacs", "an editor start-up file"},
    {PROTECTED, AT_HOME, "/.emacs.d", "an editor start-up file"},
    {PROTECTED, AT_ROOT, "/etc/profile", "a shell start-up file"},
    {PROTECTED, AT_ROOT, "/etc/profile.d", "a shell start-up file"},
    {PROTECTED, AT_ROOT, "/etc/bash.bashrc", "a shell start-up file"},
    {PROTECTED, AT_ROOT, "/etc/bashrc", "a shell start-up file"},
    {PROTECTED, AT_ROOT, "/etc/zsh", "a shell start-up file"},
    {PROTECTED, AT_ROOT, "/etc/environment", "a session start-up file"},
    {PROTECTED, AT_ROOT, "/etc/cron*", "a scheduled job"},
    {PROTECTED, AT_ROOT, "/var/spool/cron", "a scheduled job"},
    {PROTECTED, AT_ROOT, "/etc/systemd", "a service that starts by itself"},
    {PROTECTED, AT_ROOT, "/etc/init.d", "a service that starts by itself"},
    {PROTECTED, AT_ROOT, "/etc/rc.local", "a service that starts by itself"},
    {PROTECTED, AT_ROOT, "/etc/ld.so.preload", "a library that every program loads"},
    {PROTECTED, AT_ROOT, "/etc/pam.d", "the rules of logging in"},
    {PROTECTED, AT_ROOT, "/etc/passwd", "the system's accounts"},
    {PROTECTED, AT_ROOT, "/etc/group", "the system's accounts"},

    /* What git, editors and build tools run. */
    {PROTECTED, ANYWHERE, ".git", "git's own data (hooks and configuration run programs)"},
    {PROTECTED, ANYWHERE, ".gitconfig", "git's configuration"},
    {PROTECTED, ANYWHERE, ".gitmodules", "git's configuration"},
    {PROTECTED, AT_HOME, "/.config/git", "git's configuration"},
    {PROTECTED, AT_ROOT, "/etc/gitconfig", "git's configuration"},
    {PROTECTED, ANYWHERE, ".husky", "git hooks"},
    {PROTECTED, ANYWHERE, ".vscode", "an editor's tasks and settings"},
    {PROTECTED, ANYWHERE, ".idea", "an editor's tasks and settings"},
    {PROTECTED, ANYWHERE, "**/.cargo/config", "build settings that run programs"},
    {PROTECTED, ANYWHERE, "**/.cargo/config.toml", "build settings that run programs"},
    {PROTECTED, ANYWHERE, ".ripgreprc", "settings that run programs"},

    /* What steers helve and its like. */
    {PROTECTED, ANYWHERE, ".helve", "helve's own settings, hooks and skills"},
    {PROTECTED, AT_HOME, "/.config/helve", "helve's own settings"},
    {PROTECTED, AT_ROOT, "/etc/helve", "helve's own settings"},
    {PROTECTED, ANYWHERE, ".claude", "an agent's settings, hooks and skills"},
    {PROTECTED, AT_HOME, "/.claude.json", "an agent's settings"},
    {PROTECTED, ANYWHERE, ".codex", "an agent's settings"},
    {PROTECTED, ANYWHERE, ".gemini", "an agent's settings"},
    {PROTECTED, ANYWHERE, ".mcp.json", "the list of MCP servers"},

    /* Never written. */
    {FORBIDDEN, AT_ROOT, "/proc", "a window into the kernel"},
    {FORBIDDEN, AT_ROOT, "/sys", "a window into the kernel"},
    {FORBIDDEN, AT_ROOT, "/boot", "what starts the system"},

    /* Never opened. */
    {SPECIAL, AT_ROOT, "/dev", "a device"},
    {SPECIAL, AT_ROOT, "/proc/kmsg", "a file that blocks its reader"},
    {SPECIAL, AT_ROOT, "/proc/kcore", "the memory of the system"},
    {SPECIAL, AT_ROOT, "/proc/kpage*", "the memory of the system"},
    {SPECIAL, AT_ROOT, "/proc/sysrq-trigger", "a switch of the kernel"},
    {SPECIAL, AT_ROOT, "/proc/*/mem", "the memory of a process"},
    {SPECIAL, AT_ROOT, "/proc/*/task/*/mem", "the memory of a process"},
    {SPECIAL, AT_ROOT, "/proc/*/pagemap", "the memory of a process"},
    {SPECIAL, AT_ROOT, "/proc/*/fd", "the open files of a process"},
    {SPECIAL, AT_ROOT, "/proc/*/task/*/fd", "the open files of a process"},
    {SPECIAL, AT_ROOT, "/proc/*/map_files", "the open files of a process"},
    {SPECIAL, AT_ROOT, "/proc/*/root", "a way round the checks of paths"},
    {SPECIAL, AT_ROOT, "/proc/*/cwd", "a way round the checks of paths"},
    {SPECIAL, AT_ROOT, "/proc/*/task/*/root", "a way round the checks of paths"},
    {SPECIAL, AT_ROOT, "/proc/*/task/*/cwd", "a way round the checks of paths"},
    {SPECIAL, AT_ROOT, "/sys/kernel/debug", "a window into the kernel"},
    {SPECIAL, AT_ROOT, "/sys/kernel/tracing", "a window into the kernel"},
};

/* Directories that are never themselves the target of a write, though files in them may be. */
static const char *const tree_roots[] = {
    "/", "/bin", "/etc", "/home", "/lib", "/lib32", "/lib64", "/media", "/mnt", "/opt", "/root", "/run", "/sbin", "/srv",
    "/tmp", "/usr", "/var", "/Users", "/System", "/Library", "/Applications", NULL};

/* Below /dev, but ordinary files. */
static const char *const ordinary_devices[] = {"/dev/shm", "/dev/mqueue", NULL};
/* clang-format on */

enum { ROW_COUNT = sizeof rows / sizeof *rows, CLASS_COUNT = POLICY_PATH_OWN };

struct path_classes {
    const struct ignore_list *lists[CLASS_COUNT][PLACE_COUNT];
    struct path_classes_options options;
};

static const struct ignore_list *compile(struct hv_arena *arena, enum policy_path_class class, enum place place)
{
    struct hv_buf text;
    hv_buf_init(&text, 1 << 16);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].class == class && rows[i].place == place)
            hv_buf_addf(&text, "%s\n", rows[i].pattern);
    const struct ignore_list *list = text.len ? ignore_parse(arena, hv_buf_str(&text), IGNORE_ICASE) : NULL;
    hv_buf_release(&text);
    return list;
}

static struct policy_path copy_path(struct hv_arena *arena, const struct policy_path *path)
{
    return (struct policy_path){hv_arena_str(arena, path->written), hv_arena_str(arena, path->resolved), path->kind};
}

const struct path_classes *path_classes_new(struct hv_arena *arena, const struct path_classes_options *options)
{
    struct path_classes *classes = hv_arena_new(arena, struct path_classes);
    for (int class = 0; class < CLASS_COUNT; class ++)
        for (int place = 0; place < PLACE_COUNT; place++)
            classes->lists[class][place] = compile(arena, class, place);
    classes->options.home = copy_path(arena, &options->home);
    struct policy_path *own = hv_arena_array(arena, struct policy_path, options->own_count);
    for (size_t i = 0; i < options->own_count; i++)
        own[i] = copy_path(arena, &options->own[i]);
    classes->options.own = own;
    classes->options.own_count = options->own_count;
    return classes;
}

/* ---- looking up --------------------------------------------------------------------------------------------------- */

/* The path as seen from base, absent when it is not below it. */
static struct hv_str below(struct hv_str path, struct hv_str base)
{
    if (!base.len || !rule_path_below(path, base, true) || path.len == base.len)
        return (struct hv_str){0};
    return hv_str_slice(path, base.len + (hv_str_is(base, "/") ? 0 : 1), path.len);
}

static const char *what_of(enum policy_path_class class, enum place place, struct hv_str relative)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (rows[i].class != class || rows[i].place != place)
            continue;
        const struct ignore_list *list = ignore_parse_pattern(&arena, hv_str_from(rows[i].pattern), IGNORE_ICASE);
        if (ignore_match_below(list, relative, false) == IGNORE_IGNORED)
            return rows[i].what;
    }
    return "a file of a special kind";
}

static const char *look_up(const struct path_classes *classes, enum policy_path_class class, struct hv_str path)
{
    const struct policy_path *home = &classes->options.home;
    const struct {
        enum place place;
        struct hv_str relative;
    } tries[] = {
        {ANYWHERE, below(path, HV_STR("/"))},
        {AT_ROOT, below(path, HV_STR("/"))},
        {AT_HOME, below(path, home->written)},
        {AT_HOME, below(path, home->resolved)},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        const struct ignore_list *list = classes->lists[class][tries[i].place];
        if (list && tries[i].relative.len && ignore_match_below(list, tries[i].relative, false) == IGNORE_IGNORED)
            return what_of(class, tries[i].place, tries[i].relative);
    }
    return NULL;
}

static bool is_ordinary_device(struct hv_str path)
{
    for (size_t i = 0; ordinary_devices[i]; i++)
        if (path_inside(path, hv_str_from(ordinary_devices[i])) && path.len > strlen(ordinary_devices[i]))
            return true;
    return false;
}

static const char *is_tree_root(const struct path_classes *classes, struct hv_str path)
{
    const struct policy_path *home = &classes->options.home;
    for (size_t i = 0; tree_roots[i]; i++)
        if (hv_str_is(path, tree_roots[i]))
            return "the root of a whole tree";
    return path.len && (hv_str_eq(path, home->written) || hv_str_eq(path, home->resolved)) ? "a home directory" : NULL;
}

static const char *is_own(const struct path_classes *classes, struct hv_str path)
{
    for (size_t i = 0; i < classes->options.own_count; i++) {
        const struct policy_path *own = &classes->options.own[i];
        if (rule_path_below(path, own->written, true) || rule_path_below(path, own->resolved, true))
            return "helve's own settings and sessions";
    }
    return NULL;
}

static const char *special_kind(enum hv_file_kind kind)
{
    switch (kind) {
    case HV_FILE_DEVICE: return "a device";
    case HV_FILE_FIFO: return "a FIFO";
    case HV_FILE_SOCKET: return "a socket";
    default: return NULL;
    }
}

static const char *find(const struct path_classes *classes, enum policy_path_class class, struct hv_str path)
{
    if (!path.len)
        return NULL;
    const char *what = look_up(classes, class, path);
    if (class == POLICY_PATH_SPECIAL && what && is_ordinary_device(path))
        what = NULL;
    if (!what && class == POLICY_PATH_FORBIDDEN)
        what = is_tree_root(classes, path);
    if (!what && class == POLICY_PATH_PROTECTED)
        what = is_own(classes, path);
    return what;
}

struct path_class path_classify(const struct path_classes *classes, const struct policy_path *path, bool for_writing)
{
    static const struct {
        enum policy_path_class class;
        bool writing_only;
    } order[] = {{SPECIAL, false}, {FORBIDDEN, true}, {CREDENTIAL, false}, {PROTECTED, true}};
    const char *what = special_kind(path->kind);
    if (what)
        return (struct path_class){SPECIAL, what};
    if (hv_str_find(path->written, HV_STR("/\\\\"), 0) != SIZE_MAX)
        return (struct path_class){SPECIAL, "a network path"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (order[i].writing_only && !for_writing)
            continue;
        what = find(classes, order[i].class, path->written);
        if (!what)
            what = find(classes, order[i].class, path->resolved);
        if (what)
            return (struct path_class){order[i].class, what};
    }
    return (struct path_class){POLICY_PATH_OUTSIDE, NULL};
}
