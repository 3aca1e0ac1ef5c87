/*
 * test_class_names.c: names that one command prints and another reads (listed.c): what is certain of them is said by
 * the list of reads, and what is not makes the list incomplete.
 */
#include "class_table.h"

struct tree {
    unsigned missing; /* enum shell_tree: what does not hold */
    unsigned asked;
};

/* A bit of tree.missing beside those of enum shell_tree: what is missing is missing at the top only. */
enum { TOP_ONLY = 1 << 29 };

static bool tree_is_plain(void *user, struct hv_str directory, unsigned wanted)
{
    struct tree *tree = user;
    assert_true(hv_str_starts(directory, HV_STR("/")));
    tree->asked |= wanted;
    if (tree->missing & TOP_ONLY && !hv_str_is(directory, "/ws"))
        return true;
    return !(wanted & tree->missing);
}

static bool is_system(void *user, struct hv_str name)
{
    (void)user;
    return is_system_here(NULL, name);
}

static bool git_is_quiet(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                         struct hv_str *why)
{
    (void)user, (void)arena, (void)directory, (void)subcommand, (void)why;
    return true;
}

/* A bit of tree.missing beside those of enum shell_tree: git is quiet in all directories that stand in another. */
enum { QUIET_BELOW = 1 << 30 };

static bool git_is_quiet_below(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                               struct hv_str *why)
{
    struct tree *tree = user;
    (void)arena, (void)subcommand;
    assert_true(hv_str_starts(directory, HV_STR("/")));
    *why = HV_STR("one of the repositories names a program");
    return tree->missing & QUIET_BELOW;
}

static struct hv_str repository_top(void *user, struct hv_arena *arena, struct hv_str directory)
{
    (void)user, (void)arena;
    return hv_str_is(directory, "/ws") || hv_str_starts(directory, HV_STR("/ws/")) ? HV_STR("/ws") : (struct hv_str){0};
}

/* A bit of tree.missing: where refs stand is known. */
enum { REFS_KNOWN = 1 << 28 };

static bool holds_none(void *user, struct hv_str directory, const char *names)
{
    (void)user;
    assert_ptr_equal(strstr(names, ". .git/commondir .git/reftable .git/packed-refs:/- .git/HEAD:/-"), names);
    return hv_str_is(directory, "/ws");
}

static void judge_in_tree(struct hv_arena *arena, const char *command, unsigned missing, struct shell_judgement *out)
{
    struct tree tree = {.missing = missing};
    const struct shell_start start = {.directory = HV_STR("/ws"), .home = HV_STR("/home/u")};
    const struct shell_world world = {.repository_top = repository_top,
                                      .git_is_quiet = git_is_quiet,
                                      .git_is_quiet_below = git_is_quiet_below,
                                      .is_system_program = is_system,
                                      .tree_is_plain = tree_is_plain,
                                      .holds_none = missing & REFS_KNOWN ? holds_none : NULL,
                                      .user = &tree};
    shell_judge(arena, hv_str_from(command), &start, &world, out);
}

/* It only reads, and all that it reads is listed and lies in /ws. */
static bool reads_here_only(const char *command, unsigned missing)
{
    struct hv_arena arena = {0};
    struct shell_judgement judgement;
    judge_in_tree(&arena, command, missing, &judgement);
    bool here = judgement.class == SHELL_READ_ONLY;
    for (size_t i = 0; i < judgement.count; i++) {
        const struct shell_act *act = &judgement.acts[i];
        here = here && act->reads_listed;
        for (size_t j = 0; here && j < act->read_count; j++)
            here = hv_str_is(act->reads[j].path, "/ws") || hv_str_starts(act->reads[j].path, HV_STR("/ws/"));
    }
    hv_arena_release(&arena);
    return here;
}

static void check(const char *const *commands, size_t count, unsigned missing, bool expected)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        if (reads_here_only(commands[i], missing) != expected) {
            print_error("%s: %s\n", commands[i], expected ? "not certain" : "certain");
            wrong++;
        }
    assert_int_equal(wrong, 0);
}
#define CHECK(commands, missing, expected) check(commands, sizeof commands / sizeof *commands, missing, expected)

/* Their names begin with where find looks. */
static const char *const from_find[] = {
    "find . -name '*.c' | xargs cat",
    "find src -type f | sort | head -n 5 | xargs wc -l",
    "find src | grep -v x | xargs -n1 head -3",
    "find . -name '*.c' | xargs -I{} head -2 {}",
    "cat $(find src -name '*.c')",
    "for f in $(find . -name '*.c'); do head -n 3 \"$f\"; done",
    "while read f; do cat \"$f\"; done < <(find src)",
    "for f in $(find . -name '*.c'); do sort \"src/$f\"; done",
    "echo a.txt src/b.txt | xargs sort",
    "printf '%s\\n' a src/b | sort -u | xargs -n1 head -3",
    "echo src/{main,lib}.c | xargs -I{} head -2 {}",
    "find . | while IFS= read -r f; do cat $f; done",
    "find src -name x | xargs grep -l y | sort | uniq | xargs wc -l",
    "find . -type f | xargs -n1 dirname | sort -u | xargs ls",
};
/* Taken as whole lines: blanks in names do not matter. */
static const char *const whole_lines[] = {
    "find . -name '*.c' | while IFS= read -r f; do grep -c x \"$f\"; done",
    "find . -name '*.c' | while read -r f; do grep -c x \"$f\"; done",
    "find src -type d | while read -r d; do du -s \"$d\"; done | sort",
    "find src | xargs -d '\\n' cat",
    "find src | xargs -d '\n' -n1 cat",
    "find src | xargs --delimiter='\\n' cat",
    "find src | tr '\\n' '\\0' | xargs -0 cat",
    "find src -print0 | tr '\\0' '\\n' | xargs -d '\\n' cat",
    "find src | sed -n 1,10p | xargs -d '\\n' cat",
    "find src | sed 5q | xargs -d '\\n' cat",
    "find src | sed '/test/d' | xargs -d '\\n' cat",
    "find src | awk 'NR>1 && NR<=5' | xargs -d '\\n' cat",
    "find src | awk '!seen[$0]++' | xargs -d '\\n' cat",
    "find src | awk '/x/' | shuf -n 3 | tail -n +2 | xargs -d '\\n' cat",
    "find src | rg -v test | sort -t/ -k2 | xargs -d '\\n' cat",
    "find src -printf '%p\\n' | xargs -d '\\n' cat",
    "cat \"$(find src | head -1)\"",
    "find . -name x -print | xargs -d '\\n' grep -l y | xargs -d '\\n' cat",
};
/* The same from those that may print names like options, or that are not in the tree. */
static const char *const other_lines[] = {
    "rg --files src | rg -v test | xargs -d '\\n' wc -l | sort -rn",
    "git ls-files | xargs -d '\\n' wc -l",
    "git diff --name-only HEAD~2 | while IFS= read -r f; do wc -l \"$f\"; done",
    "git log --name-only --pretty=format: -5 | sort -u | xargs -d '\\n' cat",
    "git show --name-only --format= HEAD~2 | xargs -d '\\n' cat",
    "git diff-tree --no-commit-id --name-only -r HEAD | xargs -d '\\n' cat",
    "grep -rn foo src | cut -d: -f1 | sort -u | xargs -d '\\n' wc -l",
    "git grep -n foo | awk -F: '{print $1}' | sort -u | xargs -d '\\n' wc -l",
    "rg -n foo | cut -d: -f1 | sort -u | while IFS= read -r f; do wc -l \"$f\"; done",
    "git ls-files | while IFS= read -r f; do head -1 \"./$f\"; done",
    "find . -type f | sed 's|^\\./||' | xargs -d '\\n' cat",
    "find . -type f | cut -c3- | xargs -d '\\n' cat",
    "cat \"$(ls -t *.log | head -1)\"",
};
static const char *const ended_by_nul_in_loops[] = {
    "find . -print0 | while IFS= read -r -d '' f; do cat \"$f\"; done",
    "while IFS= read -rd '' f; do cat \"$f\"; done < <(find src -print0)",
};
/* ls shows what is in a directory without saying where it is. */
static const char *const from_inside[] = {"ls src | xargs cat", "ls src/*.c | xargs cat",
                                          "ls -t src | head -3 | xargs cat"};
/* Names of refs and objects: none is an option, a pattern, or leads upwards. */
static const char *const from_refs[] = {
    "for b in $(git branch --format='%(refname:short)' --list 'feature/*'); do git log -1 --format=%cr \"$b\"; done",
    "for b in $(git branch --format='%(refname)'); do git log -1 --format=%cr \"$b\"; done",
    "git tag --list 'v*' 'release-*' | xargs git show",
    "git tag --format='%(objectname)' | xargs git show",
    "for c in $(git rev-list -5 HEAD); do git show --stat --oneline \"$c\"; done",
    "for c in $(git log --format=%h main..x); do git diff-tree -r \"$c\"; git diff $c^ $c --stat; done",
    "for c in $(git rev-list HEAD~3..HEAD); do git show --stat \"$c\"; done",
    "for t in $(git tag -l 'v*' --sort=-creatordate); do git log -1 $t; done",
    "for r in $(git for-each-ref --count=3 --format='%(refname)' refs/heads); do git log -1 $r; done",
    "git log --pretty=format:%h -3 -S foo | xargs git show --stat",
    "git log --oneline -5 | awk '{print $1}' | xargs -n1 git show --stat",
    "git log --pretty=format:'%h %s' -5 | awk '{print $1}' | xargs -n1 git show --stat",
    "git log --format='%H %an %ar: %s' | grep -i revert | cut -d' ' -f1 | head -3 | xargs -I{} git show --stat {}",
    "git log --pretty=oneline -5 | while read -r sha rest; do git show --stat $sha; done",
    "git log --oneline -5 | cut -d' ' -f1 | xargs -n1 git show --stat",
    "for c in $(git log --oneline -5 -- src | awk '{ print $1 }'); do git show --stat $c; done",
    "git log --oneline -5 | while read -r sha rest; do git show --stat $sha; done",
    "git log --oneline -5 | awk '{print $1}' | while read sha; do git show --stat \"$sha\"; done",
    "git stash list | cut -d: -f1 | while read s; do git stash show -p \"$s\"; done",
    "git stash list --format=%gd | while read -r s; do git stash show -p \"$s\"; done",
};

/* The date, the name of the person or of the machine: where they stand no other directory can. */
static const char *const plain_output[] = {
    "grep -n \"$(date +%Y-%m-%d)\" app.log",
    "grep \"$(whoami)\" notes.txt",
    "cat \"logs/$(date +%F).log\"",
    "cat \"logs/$(date -u +%Y%m%d_%H).log\"",
    "cat \"logs/$(date -d yesterday +%F).log\"",
    "tail -5 logs/$(hostname).log",
    "sort \"$(whoami)\"",
    "wc -l \"log.$(uname -m)\"",
};
static const char *const odd_output[] = {
    "cat \"$(date +%F)/../../etc/shadow\"",
    "cat \"/etc/$(hostname)\"",
    "cat \"../$(date +%F)\"",
    "cat \"$HOME/$(date +%F)\"",
    "sort \"-$(whoami)\"",
    "sort \"$(date +-o%Y)\"",
    "sort -o\"$(date +%F)\" a",
    "cat \"$(date +%F)$x\"",
    "cat \"$x$(date +%F)\"",
    "cat \"$(date +%F; echo /etc)\"",
    "cat \"$(date +%F | tr - /)\"",
    "cat \"$(date +/%F)\"",
    "cat \"$(date +%D)\"",
    "cat \"$(date +%x)\"",
    "cat \"$(date)\"",
    "cat \"$(date -f list +%F)\"",
    "sort $(whoami)",
    "IFS=0; cat logs/$(date +%F)",
    "date() { echo /etc/shadow; }; cat \"$(date +%F)\"",
    "cat \"$(uname -a)\"",
    "cat \"$(hostname -F x)\"",
    "tee \"logs/$(date +%F)\" <a",
    "cat < \"/dev/tcp/h/$(date +%s)\"",
    "n=$(whoami); echo $((n))",
    "n=$(date +%b); echo $((n))",
    "sed \"$(whoami)\" f",
    "sed \"s/a/b/$(whoami)\" f",
    "ss dst \"$(date +%F)\"",
    "bash \"$(whoami)\"",
    "for f in $(whoami); do sort $f; done",
    "uniq a \"$(whoami)\"",
};

/* A hash is no name of a file: whatever the tree is. */
static const char *const hashes[] = {
    "git show $(git log --format=%h -1)",
    "git show \"$(git log -1 --format=%H -- a.c)\"",
    "git diff $(git merge-base main HEAD)",
};

static const char *const not_from_refs[] = {
    "for b in $(git branch --format='%(refname:short)'); do git log -1 --format=%cr \"$b\"; done",
    "for b in $(git for-each-ref --format='%(refname:short)' refs/heads); do git log -1 \"$b\"; done",
    "for b in $(git branch --format='%(refname:short)' --list '*'); do git log -1 \"$b\"; done",
    "git tag | xargs git show",
    "for f in $(git ls-files ../x); do cat \"$f\"; done",
    "for f in $(git -C .. ls-files); do cat \"$f\"; done",
    "for f in $(git ls-files | sed 's,^,../,'); do cat \"$f\"; done",
    "for f in $(git log --format=%s a..b); do cat \"$f\"; done",
    "for f in $(git rev-list a..b)/../../x; do cat \"$f\"; done",
    "for f in $(git rev-list a..b) ../x; do cat \"$f\"; done",
    "git log --oneline -5 | xargs git show",
    "git log --oneline -5 | while read -r sha; do git show $sha; done",
    "git log --oneline -5 | while read -r sha rest; do git show $rest; done",
    "git log --oneline -5 | while IFS= read -r sha rest; do git show \"$sha\"; done",
    "IFS=a; git log --oneline -5 | while read -r sha rest; do git show \"$sha\"; done",
    "git log --oneline -5 | cut -d' ' -f2 | xargs git show",
    "git log --oneline -5 | awk '{print $2}' | xargs git show",
    "git log --oneline --graph -5 | awk '{print $1}' | xargs git show",
    "git log --oneline -p -5 | awk '{print $1}' | xargs git show",
    "git log --oneline --stat -5 | awk '{print $1}' | xargs git show",
    "git log --oneline --boundary a..b | awk '{print $1}' | xargs git show",
    "git log --oneline --format=%s -5 | awk '{print $1}' | xargs git show",
    "git log --format='%h %s' --format=%s -5 | awk '{print $1}' | xargs git show",
    "git log --format='%h %s%n%b' -5 | awk '{print $1}' | xargs git show",
    "git log --format='%h %s%x0a%an' -5 | awk '{print $1}' | xargs git show",
    "git log --format='%h %ad' -5 | awk '{print $1}' | xargs git show",
    "git log --format='%h %B' -5 | awk '{print $1}' | xargs git show",
    "git log --format='%h%s' -5 | awk '{print $1}' | xargs git show",
    "git log --format='%s %h' -5 | awk '{print $1}' | xargs git show",
    "git log --format='%h %s' -5 | awk '{print $2}' | xargs git show",
    "git log --format='%h %s' -5 | xargs git show",
    "git log --pretty -5 | awk '{print $1}' | xargs git show",
    "git log --pretty=medium -5 | awk '{print $1}' | xargs git show",
    "git log --pretty=my -5 | awk '{print $1}' | xargs git show",
    "git log --oneline $x -5 | awk '{print $1}' | xargs git show",
    "git log -5 | awk '{print $1}' | xargs git show",
    "git stash list | xargs git stash show",
    "git stash list | cut -d: -f1 | xargs git stash show",
    "git stash list | cut -d: -f1 | while read s; do git stash show $s; done",
    "for s in $(git stash list | cut -d: -f1); do git stash show $s; done",
    "git stash list | cut -d: -f2 | while read s; do git stash show \"$s\"; done",
    "git stash list --format=%gs | while read -r s; do git stash show \"$s\"; done",
    "git stash list --date=iso | while read -r s; do git stash show \"$s\"; done",
    "git tag -l | xargs -n1 git show",
    "git tag -l 'v*' '*' | xargs git show",
    "git tag -l '[-v]*' | xargs git show",
    "git tag -l '?*' | xargs git show",
    "git tag --sort=-creatordate | while read -r t; do git show \"$t\"; done",
    "for b in $(git branch); do git log -1 $b; done",
    "for b in $(git log --format=%s -3); do git log -1 $b; done",
    "for b in $(git log -3); do git log -1 $b; done",
    "for b in $(git for-each-ref --format='%(contents)'); do git log -1 $b; done",
    "for b in $(git tag -n); do git log -1 $b; done",
    "for b in $(git rev-list --format=%s -3 HEAD); do git log -1 $b; done",
    "for b in $(git branch --format=\"$f\"); do git log -1 $b; done",
};
/* These may begin with anything that the directory has. */
static const char *const from_others[] = {
    "cat $(git ls-files)",
    "wc -l $(git ls-files '*.c' | head -5)",
    "git ls-files | xargs cat",
    "git diff --name-only | xargs cat",
    "git diff --name-only --diff-filter=d HEAD | xargs cat",
    "git diff --name-only --diff-filter=ACMR HEAD~3 -- '*.c' | xargs wc -l",
    "git diff --name-only --cached --diff-filter=AM | xargs cat",
    "cat $(git diff --name-only --merge-base --diff-filter=d origin/main)",
    "grep -rl x . | xargs wc -l",
    "rg -l x src | xargs wc -l",
    "rg -il -g '*.c' x src | xargs wc -l",
    "grep -rlin x src | xargs wc -l",
    "rg --files -t c | xargs wc -l",
    "fd -e c . src | xargs wc -l",
    "git grep -l x | xargs head -3",
    "ls *.c | xargs wc -l",
    "for f in $(git ls-files); do wc -l \"$f\"; done",
    "git ls-files | while read -r f; do wc -l \"$f\"; done",
    "ls -d */ | xargs -I{} du -s {}",
};
static const char *const ended_by_nul[] = {
    "find src -name '*.c' -print0 | xargs -0 grep x",
    "find . -print0 | sort -z | xargs -0 -n1 head",
    "find . -print0 | while IFS= read -r -d '' f; do wc -l \"$f\"; done",
    "while IFS= read -d '' -r f; do wc -l \"$f\"; done < <(find src -print0)",
};
static const char *const others_ended_by_nul[] = {
    "rg -l0 x src | xargs -0 wc -l",
    "grep -rlZ x src | xargs -0 wc -l",
    "fd -0 -e c . src | xargs -0 -r wc -l",
};

/* Names that go through a variable. */
static const char *const through_variables[] = {
    "f=$(find src -name x | head -1); cat \"$f\"",
    "f=$(find src -name x | head -1) && sort \"$f\"",
    "cd sub && f=\"$(find . | head -1)\" && sort \"$f\"",
    "f=$(find . -name x); cat \"src/$f\"",
    "mapfile -t files < <(find src); wc -l \"${files[@]}\"",
    "readarray -t files < <(find src | sort); for f in \"${files[@]}\"; do sort \"$f\"; done",
    "mapfile -d '' -t files < <(find . -print0); sort \"${files[@]}\" | head",
    "paths=( src/a.ts 'b c' \"d\" ); for p in \"${paths[@]}\"; do sort \"$p\"; done",
    "files=(src/*.ts docs/a*.md); sort \"${files[@]}\"",
    "files=(src/*.ts); sort \"${files[0]}\"",
    "f=(a b); sort \"src/${f[1]}\"",
};
static const char *const through_variables_in_words[] = {
    "files=$(find src -name '*.c'); wc -l $files",
    "files=$(find src); for f in $files; do sort $f; done",
};
static const char *const not_through_variables[] = {
    "f=$(cat list); cat \"$f\"",
    "f=$(find . | head -1)/../../x; cat \"$f\"",
    "f=$(find . | head -1)$(cat list); cat \"$f\"",
    "f=$(find . | head -1); f+=/../x; cat \"$f\"",
    "f=$(find . | head -1); f=$(cat list); cat \"$f\"",
    "f=$(cat list); x && f=$(find . | head -1); cat \"$f\"",
    "if x; then f=$(find .); fi; cat \"$f\"",
    "(f=$(find . | head -1)); cat \"$f\"",
    "f=$(find . | head -1) cat \"$f\"",
    "readonly f; f=$(find . | head -1); cat \"$f\"",
    "declare -n f=g; f=$(find .); cat \"$f\"",
    "f=$(find .); read -r f < list; cat \"$f\"",
    "f=$(find .); printf -v f x; cat \"$f\"",
    "f=$(find .); eval x; cat \"$f\"",
    "f=$(find .); cd /etc; cat \"$f\"",
    "f=$(find . | head -1); cat \"$f/etc/shadow\"",
    "f=$(find . | head -1); cat \"/etc/$f\"",
    "f=$(find . | head -1); cat \"../$f\"",
    "f=$(find . | head -1); cat \"${f#.}\"",
    "f=$(find . | head -1); cat \"${f/./\\/}\"",
    "f=$(find . | head -1); cat \"$f$g\"",
    "f=$(find / | head -1); cat \"$f\"",
    "IFS=x; f=$(find .); cat $f",
    "f=$(find .; cat list); cat \"$f\"",
    "files=(a $(cat list)); cat \"${files[@]}\"",
    "files=(a \"$x\"); cat \"${files[@]}\"",
    "files=(a ../b); cat \"${files[@]}\"",
    "files=(a -ob); sort \"${files[@]}\"",
    "files=(a {b,../c}); cat \"${files[@]}\"",
    "files=(a \\/etc); cat \"${files[@]}\"",
    "files=(a ~root/x); cat \"${files[@]}\"",
    "files=(a); files+=(/etc/shadow); cat \"${files[@]}\"",
    "files=(a b); files[1]=/etc/shadow; cat \"${files[@]}\"",
    "files=(a /etc/shadow); files=$(find .); cat \"${files[@]}\"",
    "files=(a $y); cat \"${files[@]}/x\"",
    "files=(a b); cat \"${files[@]}/../../x\"",
    "files=(a b); cat \"${files[7]}/etc/shadow\"",
    "files=(a b); cat \"${files[@]/#/\\/etc\\/}\"",
    "files=(a $y); cat \"${!files[@]}\"",
    "files=([3]=a b); cat \"${!files[@]}\"",
    "mapfile -t files < list; cat \"${files[@]}\"",
    "mapfile -t files < <(cat list); cat \"${files[@]}\"",
    "mapfile -t -O 2 files < <(find .); cat \"${files[@]}\"",
    "mapfile -t -C x files < <(find .); cat \"${files[@]}\"",
    "mapfile files < <(find .); cat \"${files[@]}\"",
    "find . | mapfile -t files; cat \"${files[@]}\"",
    "mapfile -t files < <(find . -print0); cat \"${files[@]}\"",
};
/* The repository that /ws/sub is in has its top at /ws. */
static const char *const from_the_top[] = {
    "root=$(git rev-parse --show-toplevel); sort \"$root/README.md\"",
    "root=$(git rev-parse --show-toplevel 2>/dev/null) && ls \"$root\"",
    "cat \"$(git rev-parse --show-toplevel)/package.json\"",
    "R=$(git rev-parse --show-toplevel); grep -rn foo $R/src",
};
static const char *const not_from_the_top[] = {
    "root=$(git rev-parse --show-toplevel)/..; cat \"$root/x\"",
    "root=$(git rev-parse --show-toplevel || echo /etc); cat \"$root/x\"",
    "root=$(git rev-parse --show-toplevel; cat list); cat \"$root/x\"",
    "root=$(git rev-parse --show-toplevel | sed s/x/y/); cat \"$root/x\"",
    "root=$(git rev-parse --git-dir); cat \"$root/x\"",
    "root=$(git -C / rev-parse --show-toplevel); cat \"$root/x\"",
    "root=$(git rev-parse --show-toplevel); cat \"$root/../x\"",
    "root=$(git rev-parse --show-toplevel); cat \"$root/etc/shadow\"",
    "root=$(git rev-parse --show-toplevel); cat \"$root/root/x\"",
    "root=$(git rev-parse --show-toplevel); cat \"$root$x\"",
    "root=$(git rev-parse --show-toplevel); cat \"${root%/*}/x\"",
    "cat \"$(git rev-parse --show-toplevel)$(cat list)\"",
    "cat \"/$(git rev-parse --show-toplevel)/x\"",
    "git() { echo /etc; }; cat \"$(git rev-parse --show-toplevel)/x\"",
};

static void names_go_through_variables(void **state)
{
    (void)state;
    CHECK(through_variables, 0, true);
    CHECK(through_variables_in_words, 0, true);
    CHECK(through_variables_in_words, SHELL_TREE_WORDS, false);
    CHECK(through_variables, SHELL_TREE_WORDS, true);
    CHECK(not_through_variables, 0, false);
}

static void the_top_of_the_repository_is_known(void **state)
{
    (void)state;
    CHECK(from_the_top, 0, true);
    CHECK(not_from_the_top, 0, false);
}

static void names_that_are_listed_are_read_where_they_lie(void **state)
{
    (void)state;
    CHECK(from_find, 0, true);
    CHECK(from_refs, 0, true);
    CHECK(hashes, 0, true);
    CHECK(plain_output, 0, true);
    CHECK(odd_output, 0, false);
    CHECK(hashes, SHELL_TREE_LINKS | SHELL_TREE_WORDS, true);
    CHECK(not_from_refs, 0, false);
    CHECK(from_others, 0, true);
    CHECK(ended_by_nul, 0, true);
    CHECK(others_ended_by_nul, 0, true);
}

static void names_in_whole_lines_may_have_blanks_in_them(void **state)
{
    (void)state;
    CHECK(whole_lines, 0, true);
    CHECK(other_lines, 0, true);
    CHECK(ended_by_nul_in_loops, 0, true);
    CHECK(whole_lines, SHELL_TREE_WORDS | SHELL_TREE_NO_OPTION | SHELL_TREE_NO_DASH, true);
    CHECK(ended_by_nul_in_loops, SHELL_TREE_WORDS | SHELL_TREE_LINES, true);
    CHECK(whole_lines, SHELL_TREE_LINES, false);
    CHECK(other_lines, SHELL_TREE_WORDS, true);
    CHECK(other_lines, SHELL_TREE_LINES, false);
    CHECK(other_lines, SHELL_TREE_NO_OPTION, false);
    CHECK(whole_lines, SHELL_TREE_LINKS, false);
    CHECK(other_lines, SHELL_TREE_LINKS, false);
    CHECK(ended_by_nul_in_loops, SHELL_TREE_LINKS, false);
}

static void what_stands_in_a_listed_directory_may_be_like_an_option(void **state)
{
    (void)state;
    CHECK(from_inside, 0, true);
    CHECK(from_inside, SHELL_TREE_NO_DASH, false);
    CHECK(from_inside, SHELL_TREE_NO_OPTION, false);
}

static void names_that_would_be_cut_are_certain_only_behind_nul(void **state)
{
    (void)state;
    CHECK(from_inside, SHELL_TREE_WORDS, false);
    CHECK(from_find, SHELL_TREE_WORDS, false);
    CHECK(from_others, SHELL_TREE_WORDS, false);
    CHECK(ended_by_nul, SHELL_TREE_WORDS, true);
    CHECK(others_ended_by_nul, SHELL_TREE_WORDS, true);
}

/* Where find and grep look is the variable of a loop. */
static const char *const below_loops[] = {
    "for d in src tests; do find $d -name '*.py' | xargs wc -l; done",
    "for d in src tests; do find \"$d\" -name '*.py' -exec cat {} +; done",
    "for d in src tests; do find $d -name '*.py' -exec head -2 {} \\;; done",
    "for d in src tests; do grep -rl foo $d | xargs wc -l; done",
    "for d in */; do find \"$d\" -name '*.py' | xargs cat; done",
    "for d in */; do find \"$d\" -type f -exec cat {} +; done",
    "x=src; [ -f y ] && x=tests; find $x | xargs cat",
};
static const char *const beyond_loops[] = {
    "for d in src /etc; do find $d -name '*.py' | xargs cat; done",
    "for d in src /etc; do find $d -exec cat {} +; done",
    "for d in src ../x; do find $d | xargs cat; done",
    "for d in src ~; do find $d | xargs cat; done",
    "for d in src -L; do find $d | xargs cat; done",
    "for d in src -H; do find $d | xargs cat; done",
    "for d in \"\" src; do find \"$d/etc\" | xargs cat; done",
    "for d in src tests; do find /etc/$d | xargs cat; done",
    "for d in src tests; do grep -rl . ../$d | xargs cat; done",
    "for d in src /etc; do grep -rl . $d | xargs cat; done",
    "for d in /etc/*; do find \"$d\" | xargs cat; done",
    "for d in ../*/; do find \"$d\" | xargs cat; done",
    "for d in */; do find \"$d/..\" | xargs cat; done",
    "for d in */ /etc; do find \"$d\" | xargs cat; done",
    "for d in */ /etc; do find \"$d\" -exec cat {} +; done",
    "for d in */; do d=/etc; find \"$d\" | xargs cat; done",
    "for d in */; do find \"$x$d\" | xargs cat; done",
    "for d in */; do find -L \"$d\" | xargs cat; done",
    "for d in src tests; do find $d -printf '%l\\n' | xargs cat; done",
    "for d in src tests; do cd /etc; find $d | xargs cat; done",
    "for d in src tests; do find $d | xargs rm; done",
    "for d in */; do find \"$d\" -exec rm {} +; done",
    "IFS=r; for d in src tests; do find $d | xargs cat; done",
};

static void what_a_loop_looks_through_lies_below(void **state)
{
    (void)state;
    CHECK(below_loops, 0, true);
    CHECK(beyond_loops, 0, false);
}

/* Branches and tags from elsewhere may have any name: where none begins with "-", all may stand as words. */
static void short_names_of_refs_are_looked_at(void **state)
{
    static const char *const refs[] = {
        "for t in $(git tag); do git rev-list -n 1 \"$t\"; done",
        "git tag | xargs git show",
        "git tag --sort=-creatordate | head -3 | while read -r t; do git log -1 \"$t\"; done",
        "git grep -c x $(git tag | tail -1) -- src",
        "for b in $(git branch --format='%(refname:short)'); do git log -1 \"$b\"; done",
        "git log --oneline $(git tag | tail -1)..HEAD",
        "t=$(git tag -l 'v*' --sort=-v:refname | head -n1); git log \"$t\"..HEAD; git diff --stat $t..main",
        "t=$(git tag | sort -V | tail -1) && git log \"$t..HEAD\"",
        "git log main..$(git tag | tail -1)",
        "t=$(git tag | tail -1); git log main..$t",
        "b=$(git branch --show-current); git log $b..HEAD",
        "cd sub && t=$(git tag | tail -1) && git log $t..HEAD",
        "cd sub && for b in $(git for-each-ref --format='%(refname:short)' refs/heads); do git log -1 \"$b\"; done"};
    static const char *const others[] = {
        "git log $(git tag)..HEAD",
        "t=$(git tag | tail -1); cd sub && git log $t..HEAD", /* may be another repository */
        "t=$(git tag | tail -1); cd sub && git log main..$t",
        "cd sub && t=$(git tag | tail -1); cd .. && git log $t..HEAD",
        "for t in $(git tag); do (cd sub && git log $t..HEAD); done",
        "git log main..$(git tag)",
        "git log $(git tag -n 3 | head -1)..HEAD",
        "git log $(git tag --format='%(subject)' | head -1)..HEAD",
        "git log $(git tag | cat x | head -1)..HEAD",
        "git log \"$(git describe --tags --abbrev=0)..HEAD\"",
        "for t in $(git tag -n); do git log -1 \"$t\"; done",
        "for t in $(git tag -n 3); do git log -1 \"$t\"; done",
        "for t in $(git tag --format='%(subject)'); do git log -1 \"$t\"; done",
        "for t in $(git describe --tags); do git log -1 \"$t\"; done",
        "for b in $(git for-each-ref --format='%(refname:short) %(subject)'); do git log -1 \"$b\"; done"};
    (void)state;
    CHECK(refs, REFS_KNOWN, true);
    CHECK(refs, 0, false);
    CHECK(refs, REFS_KNOWN | SHELL_TREE_NO_DASH, false);
    CHECK(refs, REFS_KNOWN | SHELL_TREE_LINKS, false);
    CHECK(others, REFS_KNOWN, false);
}

/* A name that find prints is no connection, whatever it is. */
static void what_was_found_is_a_file_behind_a_redirection(void **state)
{
    static const char *const files[] = {"f=$(find . -name x | head -1); wc -l < \"$f\"",
                                        "f=$(git ls-files | head -1) && wc -l < \"$f\" && head -3 \"$f\""};
    static const char *const others[] = {
        "f=$(find /dev -name x | head -1); wc -l < \"$f\"", "f=$(cat list); wc -l < \"$f\"",
        "f=$(find . -name x | head -1); f=$(cat x); wc -l < \"$f\"", "f=$(find . -name x | head -1); wc -l > \"$f\"",
        "f=$(find . -name x | head -1); wc -l < \"/$f\""};
    (void)state;
    CHECK(files, 0, true);
    CHECK(files, SHELL_TREE_LINKS, false);
    CHECK(others, 0, false);
}

/* What git diff names, it names from the top. */
static void what_differs_is_of_the_whole_repository(void **state)
{
    static const char *const whole[] = {"cd sub && cat $(git diff --name-only)",
                                        "cd sub && git diff --name-only | xargs cat",
                                        "cd sub && for f in $(git diff --name-only); do cat $f; done",
                                        "cd sub && git diff --name-only | while read -r f; do wc -l < \"$f\"; done"};
    static const char *const below[] = {"cd sub && cat $(git ls-files)", "cd sub && git grep -l x | xargs cat"};
    (void)state;
    CHECK(whole, 0, true);
    CHECK(whole, TOP_ONLY | SHELL_TREE_WORDS, false);
    CHECK(whole, TOP_ONLY | SHELL_TREE_TRACKED, false);
    CHECK(whole, TOP_ONLY | SHELL_TREE_LINKS, true);
    CHECK(below, TOP_ONLY | SHELL_TREE_WORDS, true);
}

static void links_that_lead_out_make_all_uncertain(void **state)
{
    (void)state;
    CHECK(from_find, SHELL_TREE_LINKS, false);
    CHECK(from_refs, SHELL_TREE_LINKS, false);
    CHECK(from_others, SHELL_TREE_LINKS, false);
    CHECK(ended_by_nul, SHELL_TREE_LINKS, false);
}

static void a_name_like_an_option_matters_where_nothing_stands_before_it(void **state)
{
    (void)state;
    CHECK(from_find, SHELL_TREE_NO_OPTION, true);
    CHECK(from_others, SHELL_TREE_NO_OPTION, false);
    CHECK(ended_by_nul, SHELL_TREE_NO_OPTION, true);
    CHECK(others_ended_by_nul, SHELL_TREE_NO_OPTION, false);
}

static void what_may_print_anything_else_is_not_certain(void **state)
{
    static const char *const commands[] = {
        "find / -name x | xargs cat",
        "find .. | xargs cat",
        "find -L . | xargs cat",
        "find . -printf '/etc/passwd\\n' | xargs cat",
        "find . -fprintf /dev/stdout '/etc/passwd\\n' | xargs cat",
        "find . -exec echo /etc/shadow \\; | xargs cat",
        "rg -rl x src/a | xargs cat",
        "rg -e -l src/a | xargs cat",
        "grep -e -l src/a | xargs cat",
        "rg x -- -l | xargs cat",
        "rg -e x -- --files | xargs cat",
        "rg -l x /etc/passwd | xargs cat",
        "rg -l0 x | xargs cat",
        "fd -a x | xargs cat",
        "fd x /etc | xargs cat",
        "fd -x echo /etc/passwd | xargs cat",
        "find . -ls | xargs cat",
        "find . \"$x\" | xargs cat",
        "find $x . | xargs cat",
        "echo /etc/passwd | xargs cat",
        "echo ../x | xargs cat",
        "echo 'a /etc/passwd' | xargs cat",
        "echo -e 'a\\n\\x2fetc' | xargs cat",
        "echo 'a\\x' | xargs cat",
        "echo \"$x\" | xargs cat",
        /* Names of history need not be in the tree. */
        "git log --name-only --format= | xargs sort",
        "git diff --name-only HEAD~1 | xargs sort",
        "git diff --name-only HEAD~1 | while IFS= read -r f; do sort \"$f\"; done",
        "for f in $(git diff --name-only HEAD~1); do sort \"$f\"; done",
        "git ls-files -d | xargs sort",
        "echo a -ox | xargs sort",
        "printf '%b\\n' a | xargs cat",
        "printf '%s\\n' -ox | xargs sort",
        "printf '/etc/%s\\n' a | xargs cat",
        "printf '%s\\n' a \"$x\" | xargs cat",
        "ls -d /etc/* | xargs cat",
        "find . -print0 | while read -r -d '' f; do wc -l \"$f\"; done",
        "find . -print0 | while IFS= read -d '' f; do wc -l \"$f\"; done",
        "find . -print0 | while IFS= read -r -d '' f; do wc -l $f; done",
        "find . -print0 | while IFS= read -r f; do wc -l \"$f\"; done",
        "find . | while IFS= read -r -d '' f; do wc -l \"$f\"; done",
        "for f in $(find /etc); do cat \"src/$f\"; done",
        "for f in $(find src); do cat \"../$f\"; done",
        "for f in $(cat list); do cat \"src/$f\"; done",
        "cat list | xargs cat",
        "find . | sed 's/^/\\//' | xargs cat",
        "find . | sort -m - list | xargs cat",
        "find . | sort list | xargs cat",
        "find . | head -c 5 | xargs cat",
        "find . | grep -o 'x.*' | xargs cat",
        "find . -print0 | xargs cat",
        "find . | xargs -0 cat",
        "find . | xargs -a list cat",
        "find . | xargs -I{} cat /{}",
        "find . | xargs cat < list",
        "git ls-files .. | xargs cat",
        "git ls-files :/ | xargs cat",
        "git -C /etc ls-files | xargs cat",
        "git ls-files --full-name | xargs cat",
        "grep -l x /etc/* | xargs cat",
        "ls /etc/* | xargs cat",
        "ls -a | xargs cat",
        "cat $(find .; echo /etc/shadow)",
        "cat $(find .) $(echo /etc/shadow)",
        "for f in $(git ls-files; echo /etc/passwd); do cat $f; done",
        "for f in $(git ls-files); do f=$f/..; cat \"$f\"; done",
        "git ls-files | while read a f; do cat \"$f\"; done",
        "git ls-files | while read f; do read f < x; cat \"$f\"; done",
        "while read f; do cat \"$f\"; done < list",
        "while read f; do cat \"./$f\"; done < list",
        "find /etc | while IFS= read -r f; do cat \"./$f\"; done",
        "git ls-files | while IFS= read -r f; do cat \"./$f/../../x\"; done",
        "git ls-files | while IFS= read -r f; do f=../x; cat \"./$f\"; done",
        "git ls-files | while IFS=: read -r f; do cat \"$f\"; done",
        "git ls-files | while read -r -d x f; do cat \"$f\"; done",
        "find() { echo /etc/passwd; }; find . | xargs cat",
        "cd /etc; find . | xargs cat",
        "find . | xargs -d x cat",
        "find . | xargs -d / cat",
        "find . | tr a / | xargs cat",
        "find src | sed 's|^./||' | xargs cat",
        "find . | cut -c3- | cut -c3- | xargs cat",
        "find . | sed 's|x|/|' | xargs cat",
        "find . | sed '1,3!s/x/\\//' | xargs cat",
        "find . | awk '{print $2}' | xargs cat",
        "find . | awk '$1=NR' | xargs cat",
        "find . | awk 'NR=5' | xargs cat",
        "grep -rn foo . | xargs cat",
        "grep -rn foo . | cut -d: -f2 | xargs cat",
        "grep -r foo . | cut -d: -f1 | xargs cat",
        "grep -rnh foo . | cut -d: -f1 | xargs cat",
        "grep -rnA2 foo . | cut -d: -f1 | xargs cat",
        "find . -print0 | while IFS= read -r f; do cat \"$f\"; done",
        "find . | while IFS= read -r -d '' f; do cat \"$f\"; done",
        "find . -print0 | xargs -0 -d '\\n' cat",
        "cat \"$(find . -print0)\"",
        "cat list | xargs grep -l x | xargs cat",
        "find . | xargs grep -h x | xargs cat",
        "find . | xargs grep -l x /etc/passwd | xargs cat",
        "find /etc | xargs -n1 dirname | xargs ls",
        "find /ws -printf '%h\\n' | xargs ls",
        "git show --name-only --format= v1 | xargs -d '\\n' cat",
        "git show --name-only --format= HEAD:list | xargs -d '\\n' cat",
        "git log --name-only -3 | xargs -d '\\n' cat",
        "git diff --name-only /etc/a /etc/b | xargs cat",
        "git diff --name-only HEAD~5 | xargs cat",
        /* a name that was taken out of the index is only in the commit: "x /etc/shadow" */
        "git diff --name-only HEAD | xargs cat",
        "git diff --name-only --cached | xargs cat",
        "cat $(git diff --name-only --staged)",
        "git diff --name-only --diff-filter=D HEAD | xargs cat",
        "git diff --name-only --diff-filter=ACD HEAD | xargs cat",
        "git diff --name-only --diff-filter=m HEAD | xargs cat",
        "git diff --name-only '--diff-filter=A*' HEAD | xargs cat",
        "git diff --name-only --diff-filter=A --diff-filter=D HEAD | xargs cat",
        "git diff --name-only --diff-filter A HEAD | xargs cat",
        "git diff --name-only --diff-filter=AM HEAD~1 HEAD | xargs cat",
        "git diff --name-only --diff-filter=AM main..HEAD | xargs cat",
        "git diff --name-only --diff-filter=AM 'HEAD^!' | xargs cat",
        "git diff --name-only --diff-filter=AM HEAD:src | xargs cat",
        "git diff --name-only main...HEAD | while read -r f; do cat \"$f\"; done",
        "git log --name-only --format= | xargs cat",
        "cat $(git diff --name-only HEAD~5)",
        "ls src tests | while read -r f; do cat \"$f/passwd\"; done",
        "find . | while read -r f; do printf -v f /etc/shadow; cat \"$f\"; done",
        "cat \"$(cat list)\"",
        "cat \"$(find .)$(cat list)\"",
        "cat \"/etc/$(ls)\"",
        "cd \"$x\" && find . | xargs cat",
    };
    (void)state;
    CHECK(commands, 0, false);
}

static void globs_are_no_options_where_no_name_is_like_one(void **state)
{
    static const char *const commands[] = {"sort *", "file *", "for f in *.md; do head -3 \"$f\"; done"};
    (void)state;
    CHECK(commands, 0, true);
    CHECK(commands, SHELL_TREE_NO_OPTION, false);
}

/* Redirections from what a loop takes are judged by words made for the purpose: all of the judgement lives in the
 * arena.
 */
static void the_words_of_what_is_read_and_written_stay(void **state)
{
    static const struct {
        const char *command, *word;
    } rows[] = {{"for f in $(git ls-files '*.ts'); do wc -l < \"$f\"; done | tee big.txt", "\"$f\""},
                {"for f in src/*; do head -2 < \"$f\"; done", "\"$f\""},
                {"for f in a b; do cat < $f; done", "$f"},
                {"head -2 src/x < y", "y"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_arena arena = {0};
        struct shell_judgement judgement;
        bool seen = false;
        judge_in_tree(&arena, rows[i].command, 0, &judgement);
        for (size_t k = 0; k < judgement.count; k++)
            for (size_t n = 0; n < judgement.acts[k].read_count; n++) {
                const struct shell_word *word = judgement.acts[k].reads[n].word;
                char here;
                if (!word)
                    continue;
                assert_true((uintptr_t)&here - (uintptr_t)word > 1 << 16); /* not on the stack */
                seen |= hv_str_eq(word->text, hv_str_from(rows[i].word));
            }
        if (!seen)
            fail_msg("%s: nothing is read from %s", rows[i].command, rows[i].word);
        hv_arena_release(&arena);
    }
}

/* ---- names of commits, and parts of words -------------------------------------------------------------------- */

static const char *const parts[] = {
    "b=$(git branch --show-current); git log --oneline origin/$b..HEAD",
    "b=$(git branch --show-current); git log \"origin/$b..${b}\"",
    "b=$(git rev-parse --abbrev-ref HEAD); git diff origin/$b",
    "git log origin/$(git branch --show-current)..HEAD",
    "git log \"$(git merge-base origin/main HEAD)\"..HEAD",
    "git show \"$(git rev-parse HEAD)\":src/a.c",
    "t=$(git describe --tags --abbrev=0 2>/dev/null); git log \"main..$t\"",
    "git log HEAD..\"$(git describe --tags --abbrev=0)\"",
    "git log \"main..$(git tag | tail -1)\"",
    "a=$(git rev-parse main); b=$(git rev-parse HEAD~3); git log \"$b..$a\"; git diff $b...$a; git log ${a}..${b}",
    "a=$(git merge-base main HEAD); b=$(git branch --show-current); git log \"$a\"..\"$b\"",
    "cd src && b=$(git merge-base main HEAD) && git log \"$b..HEAD\" && git diff $b HEAD --stat",
    "cd src && b=$(git branch --show-current) && git log \"main..$b\"",
    "[ -f x ] && b=$(git rev-parse HEAD~1) && git show $b",
    "r=$(git rev-list --max-parents=0 HEAD | tail -1); git show --stat \"$r\"; git diff --shortstat $r HEAD",
    "git show \"$(git log --format=%H -- src | head -n 1)\"",
    "git show $(git rev-list -1 --before=\"2026-01-01\" HEAD):README.md",
    "for i in 0 1 2; do git show HEAD~$i --stat; done",
    "for i in $(seq 0 2); do git stash show -p \"stash@{$i}\"; done",
    "for d in src tests; do git -C \"$d\" log -3; done",
    "for d in src tests; do git -C $d status -s; done",
    "ls src | xargs -I{} cat src/{}",
    "ls | xargs -I% head -2 src/%/x",
    "find . -type f | xargs -I{} ls -l {}.bak",
    "fd -e ts -x wc -l",
    "fd -e ts -x grep -n foo {}",
    "fd . src -X head -n 3",
    "for i in 1 2; do cat log/a.$i; done",
};

static const char *const odd_parts[] = {
    "b=$(git branch --show-current); git log $b..HEAD",
    "b=$(git branch --show-current); git log -S$b",
    "b=$(git describe --tags --abbrev=0); git diff $b...HEAD",
    "t=$(git describe --tags --abbrev=0 2>/dev/null); git log main..$t", /* cut: the tag "main --output=x --" */
    "t=$(git describe --tags --abbrev=0); git log origin/${t}..HEAD",
    "git log HEAD..$(git describe --tags --abbrev=0 2>/dev/null)",
    "a=$(git rev-parse main); git log \"$a..$x\"",
    "git log main..$(git tag | tail -1)", /* with column.ui it may be several */
    "t=$(git tag | tail -1); git log main..$t",
    "cd src && b=$(git merge-base main HEAD); git log $b..HEAD",
    "[ -f x ] && b=$(git rev-parse HEAD); git log $b..HEAD",
    "if [ -f x ]; then b=$(git rev-parse HEAD); else b=$(cat x); fi; git log $b..HEAD",
    "cd src && b=$(git rev-parse HEAD) && b=$(cat x) && git log $b..HEAD",
    "cd src && b=$(git rev-parse HEAD) && read b && git log $b..HEAD",
    "cd src && b=$(git rev-parse HEAD) && git log $b..$x",
    "a=$(git branch --show-current); b=$(git rev-parse x); git log \"$a..$b\"",
    "b=$(git rev-parse x); t=$(git describe --tags --abbrev=0); git log $b..$t",
    "a=$(cat x); b=$(git rev-parse x); git log \"$a..$b\"",
    "h=$(git log --format=%s | head -1); git show $h",
    "git show $(git rev-list -1 --format=\"%s\" HEAD)",
    "git show $(git rev-list -1 --before=\"$x\" HEAD)",
    "git show $(git rev-list -1 --before=\"1\"--format=%s\" HEAD)",
    "h=$(git log --format=%h | cat x | head -1); git show $h",
    "h=$(cat x | head -1); git show $h",
    "b=$(cat x); git log origin/$b",
    "for c in $(git log --format=%h) $x; do git show \"$c\"; done",
    "for c in $(git log --format=%s); do git show \"$c\"; done",
    "for c in $(git tag); do git show \"$c\"; done",
    "for c in $(git log --format=%h); do c=$(cat x); git show \"$c\"; done",
    "for c in $(git log --format=%h); do read c; git show \"$c\"; done",
    "for c in $(git log --format=%h); do ls; done; for c in $x; do git show \"$c\"; done",
    "for c in $(git log --format=%h); do ls; done; git show \"$c\"",
    "IFS=a; for c in $(git log --format=%h); do git show \"$c\"; done",
    "read b; git log origin/$b..HEAD",
    "b=$(git branch --show-current); b=$(cat y); git log origin/$b..HEAD",
    "b=$(git branch --show-current); IFS=a; git log origin/$b..HEAD",
    "b=$(git branch --show-current); git diff --no-index origin/$b /dev/null",
    "b=$(git branch --show-current); git show HEAD:$b",
    "b=$(git branch --show-current); git log src/$b",
    "b=$(git branch --show-current; echo x); git log origin/$b..HEAD",
    "git log origin/$(git branch --show-current -v)..HEAD",
    "f() { b=--x; }; b=$(git branch --show-current); f; git log a..$b",
    "git log \"$(git rev-parse HEAD)\"\"--output=x\"",
    "git log \"$(git rev-parse HEAD)\"..$x",
    "for i in $(seq 1 2); do git show HEAD:sub/secret$i; done",
    "for i in 1 2; do git log a$i --output=x; done",
    "for i in 1 2; do cat ../a$i; done",
    "for d in src *; do git -C \"$d\" log; done",
    "for d in src /etc; do d=$x; git -C \"$d\" log; done",
    "for d in src -x; do git \"$d\" log; done",
    "for d in src tests; do git -C \"$d$e\" log; done",
    "for d in /etc /usr; do git -C $d log; done",
    "ls src | xargs -I{} cat ../{}",
    "ls | xargs -I{} cat {}/x",
    "ls | xargs -I{} sort {}-x",
    "ls | xargs -I{} sed -n '{}p' x",
    "ls | xargs -I{} sh -c 'cat src/{}'",
    "ls | xargs -I{} sort --output=src/{}",
    "ls | xargs -I{} sort -osrc/{}",
    "find . | xargs -I{} cat {}./x",
    "ls | xargs -I{} dd if=src/{}",
    "ls | xargs -I{} awk 'BEGIN{}' x",
    "cat list | xargs -I{} cat src/{}",
    "fd -e ts -x sh -c",
    "fd -e ts -x {}",
    "fd -L -x cat",
    "fd . .. -x cat",
    "fd -x cat {.}.c",
};

static void a_word_may_hold_what_is_known_in_part(void **state)
{
    (void)state;
    CHECK(parts, 0, true);
    CHECK(odd_parts, 0, false);
}

/* A loop's variable that arithmetic sets in between is none of the names any more. */
static void arithmetic_may_set_the_variable_of_a_loop(void **state)
{
    static const char *const set[] = {
        "for f in src/*; do : ${x:f=5}; cat \"$f\"; done",
        "for f in src/*; do : ${x:0:f=5}; cat \"$f\"; done",
        "for f in src/*; do echo $((f=5)); cat \"$f\"; done",
        "for f in src/*; do echo $((1 , f += 5)); cat \"$f\"; done",
        "for f in src/*; do echo $[f=5]; cat \"$f\"; done",
        "for f in src/*; do [[ 1 -eq f=5 ]]; cat \"$f\"; done",
        "for f in src/*; do echo $((++f)); cat \"$f\"; done",
        "for f in src/*; do a[f=1]=2; cat \"$f\"; done",
        "for f in src/*; do let \"x=1\" \"f=5\"; cat \"$f\"; done",
        "for f in src/*; do let f--; cat \"$f\"; done",
        "for f in src/*; do exec {f}</dev/null; cat \"$f\"; done",
        "for f in src/*; do ((f=5)); cat \"$f\"; done",
    };
    static const char *const kept[] = {
        "for f in src/*; do : ${x:0:5}; cat \"$f\"; done",
        "for f in src/*; do echo f=5 \"$f=\" \"${f}=x\"; cat \"$f\"; done",
        "for f in src/*; do awk -v f=\"x\" '{print f}' \"$f\"; done",
        "for f in src/*; do [ \"$f\" = x ] || cat \"$f\"; done",
        "for f in src/*; do fx=1; [[ $f == x ]] || cat \"$f\"; done",
    };
    (void)state;
    CHECK(set, 0, false);
    CHECK(kept, 0, true);
}

/* A loop's variable over names of a pattern, in part, or cut: other names, in a directory that is known. */
static const char *const made_of_names[] = {
    "for f in src/*.c; do cat \"${f%.c}.h\"; done",
    "for f in src/*.c; do wc -l < \"${f%.c}.h\"; done",
    "for f in src/*.c; do sort \"${f%.c}\"; done",
    "for f in *.c; do sort \"${f%%.c}.o\"; done",
    "for f in *.c; do sort \"old/${f%.c}.o\"; done",
    "for f in src/*.c; do sort \"old/${f##*/}\"; done",
    "for f in src/*.c; do sort \"${f##*/}\"; done",
    "for f in *.txt; do diff \"$f\" \"src/$f\"; done",
    "for f in src/*/*.c; do sort \"old/$f\"; done",
    "for f in a.c src/*.c; do cat \"${f%.c}.h\"; done",
    "for f in $(find src -name '*.c'); do cat \"${f%.c}.h\"; done",
    "show() { head -2 \"$1\"; }; for f in src/*.c; do show \"$f\"; done",
    "lines() { wc -l < \"$1\"; }; for f in *.md; do echo \"$f $(lines \"$f\")\"; done",
    "c() { local f; for f in \"$@\"; do wc -l \"$f\"; done; }; c src/*.c",
    "c() { for f; do sort \"$f\"; done; }; c src/*.c; c a.txt *.md",
    "g() { :; }; for f in src/*; do g; cat \"$f\"; done",
    "h() { local n; for n in src/*; do cat \"$n\"; done; }; h",
};
/* The same where the names are cut at blanks. */
static const char *const made_of_words[] = {
    "for f in *.c; do wc -l $f; done",
    "for f in src/*.js; do head -3 $f; done",
    "for f in src/*.c; do cat ${f%.c}.h; done",
    "for f in src/*.c; do case $f in *main*) echo m;; *) cat $f;; esac; done",
};
static const char *const made_elsewhere[] = {
    "for f in .*.c; do sort \"${f%.c}\"; done", /* ".." of "...c" */
    "shopt -s dotglob; for f in src/*.c; do ls \"${f%.c}\"; done",
    "shopt -s dotglob; for f in src/*.c; do cat \"${f%.c}/x\"; done",
    "for f in $(find src -name '*.c'); do ls \"${f%.c}\"; done",
    "for f in src/*.c; do cat \"${f%.c}/../x\"; done",
    "for f in src/*; do cat \"${f%.}..\"; done",
    "for f in *.c; do sort \"${f%.c}$x\"; done",
    "for f in *.c; do sort \"${f%$x}.h\"; done",
    "for f in *.c; do sort \"${f%/*}/x\"; done",
    "for f in *.c; do sort \"${f/c/..}\"; done",
    "for f in src/*.c; do sort \"-o${f##*/}\"; done",
    "for f in src/*.c; do sort \"--output=${f%.c}.h\"; done",
    "for f in */; do sort \"${f##*/}\"; done",
    "for f in -*.c; do sort \"${f%.c}.h\"; done",
    "for f in */; do sort \"${f%x}\"; done",
    "for f in /etc/*.c; do cat \"old/${f%.c}\"; done",
    "for f in /etc/*.c; do cat \"old/$f\"; done",
    "for f in .*; do cat \"old/$f\"; done",
    "for f in *.c; do f=x; cat \"${f%.c}.h\" \"$y\"; done",
    "for f in *.c; do read f; cat \"${f%.c}.h\"; done",
    "for f in *.c; do exec {f}</dev/null; cat \"${f%.c}.h\"; done",
    "g() { f=/etc/x; }; for f in *.c; do g; cat \"${f%.c}.h\"; done",
    "for f in *.c; do IFS=c; cat ${f%.c}.h; done",
    "for f in *.c; do g() { cat \"${f%.c}.h\"; }; done; g",
    "c() { for f in \"$@\"; do local f; cat \"$f/etc/x\"; done; }; c src/*.c",
    "c() { local -n f; for f in \"$@\"; do cat \"$f\"; done; }; c src/*.c",
    "c() { local f=x; for f in \"$@\"; do cat \"$f\"; done; }; c src/*.c",
    "c() { shift; for f in \"$@\"; do cat \"$f\"; done; }; c src/*.c",
    "c() { for f in \"$@\"; do cat \"$f\"; done; }; c \"$x\" src/*.c",
    "c() { for f in \"$@\"; do cat \"$f\"; done; }; c() { :; }; c src/*.c",
    "show() { head -2 \"$1\"; }; for f in src/*.c; do show \"$f\"; f=x; done",
    "show() { head -2 \"$1\"; }; for f in src/*.c; do show \"$f\"; done; show \"$x\"",
};

static void what_is_made_of_names_lies_in_a_known_place(void **state)
{
    (void)state;
    CHECK(made_of_names, 0, true);
    CHECK(made_of_names, SHELL_TREE_NAMES, true);
    CHECK(made_of_words, 0, true);
    CHECK(made_of_words, SHELL_TREE_NAMES, false);
    CHECK(made_elsewhere, 0, false);
}

/* git in each of the directories that a pattern takes: all that stand there are asked about. */
static void git_runs_in_each_directory_of_a_pattern(void **state)
{
    static const char *const below[] = {
        "for d in */; do git -C \"$d\" status -s; done",
        "for d in *; do git -C \"$d\" log --oneline -3; done",
        "for d in */; do echo \"== $d\"; git -C \"$d\" branch --show-current; git -C \"$d\" log -1 --format=%cr; done",
        "for d in ./*/; do git -C \"$d\" diff --stat; done",
        "for d in */; do git -C \"$d\" log --oneline HEAD~1..HEAD -- f; done",
        "for d in *; do [ -d \"$d/.git\" ] && git -C \"$d\" status -sb; done",
        "for d in */; do if git -C \"$d\" diff --quiet; then echo clean; fi; done",
        "for d in */; do git -C $d status -s; done",
        "for d in src/*/; do git -C \"$d\" log -- x; done",
    };
    static const char *const elsewhere[] = {
        "for d in */; do git -C \"$d\" pull; done",
        "for d in */; do git -C \"$d\" fetch --dry-run; done",
        "for d in */; do git -C \"$d\" log -- ../x; done",
        "for d in */; do git -C \"$d\" show HEAD:../x; done",
        "for d in */; do git -C \"$d\" diff --no-index ../a ../b; done",
        "for d in */*/; do git -C \"$d\" status; done",
        "for d in */; do git -C \"$d/sub\" status; done",
        "for d in */; do git -C \"$d\" -C sub status; done",
        "for d in */; do git -C \"$d\" --git-dir=.git status; done",
        "for d in */; do git -C \"$d\" log --output=x; done",
        "for d in $(ls); do git -C \"$d\" status; done",
        "for d in \"$@\"; do git -C \"$d\" status; done",
        "for d in */; do git -C \"${d%x}\" status; done",
        "for d in ../*/; do git -C \"$d\" status; done",
        "for d in /home/*/; do git -C \"$d\" status; done",
        "for d in */; do cd \"$d\"; git -C \"$d\" status; done",
    };
    static const char *const entered[] = {
        "for d in */; do (cd \"$d\" && git status -s); done",
        "for d in */; do echo \"== $d\"; (cd \"$d\" && git log --oneline -3); done",
        "for d in *; do (cd \"$d\" && ls | wc -l); done",
        "for d in */; do (cd \"$d\" && pwd && git branch --show-current && git diff --stat); done",
        "for d in */; do (cd \"$d\" && cat .env); done", /* as "$d/.env" */
        "for d in */; do (cd \"$d\" && head -5 sub/x && wc -l < x); done",
        "for d in ./*/; do ( cd \"$d\" && git log -1 --format=%cr ); done",
    };
    static const char *const left[] = {
        "for d in */; do (cd \"$d\"; git status -s); done",
        "for d in */; do (cd \"$d\" || git status; git status); done",
        "for d in */; do cd \"$d\" && git status; done; git status",
        "for d in */; do (cd \"$d\" && cd sub && git status); done",
        "for d in */; do (cd \"$d\" && env -C sub git status); done",
        "for d in */; do (cd \"$d\" && git -C sub status); done",
        "for d in */; do (cd \"$d\" && find . -execdir git status \\;); done",
        "for d in */; do (cd \"$d/sub\" && git status); done",
        "for d in */; do d=x/y; (cd \"$d\" && git status) < $z; done",
        "for d in */*/; do (cd \"$d\" && git status); done",
        "for d in \"$@\"; do (cd \"$d\" && git status); done",
        "for d in $(ls); do (cd \"$d\" && git status); done",
        "for d in */; do { cd \"$d\" && ls; }; git status; done",
        "for d in */; do { cd \"$d\" && cd ..; git status; }; done",
        "for d in */; do (cd \"$d\" && git --git-dir=x status); done",
        "for d in */; do (cd \"$d\" && git commit -m x); done",
        "for d in */; do (cd \"$d\" && pushd sub && git status); done",
        "for d in */; do (cd \"$d\" && cat ../x); done",
        "for d in */; do (cd \"$d\" && cat *); done",
        "for d in */; do (cd \"$d\" && cd sub && cat x); done",
        "for d in */; do (cd \"$d\" && env -C sub cat x); done",
        "for d in */; do (cd \"$d\"; cat x); done",
        "cd \"$d\" && git status",
        "for d in */; do (cd \"$d\" && git status) & (cd \"$e\" && git status); done",
        "for d in */; do (cd \"$d\" && sh -c 'cd sub && git status'); done",
        "for d in */; do (cd \"$d\" && if cd sub; then git status; fi; git status); done",
        "for d in */; do (cd \"$d\" && eval 'cd ..'; git status); done",
        "for d in */; do (cd \"$d\" && ! cd sub; git status); done",
        "cd() { builtin cd /x; }; for d in */; do (cd \"$d\" && git status); done",
        "CDPATH=/x; for d in */; do (cd \"$d\" && git status); done",
        "for d in */; do (cd -P \"$d\" && git status); done",
        "for d in */; do (cd -- \"$d\" && trap 'git status' EXIT); done",
        "for d in */; do f() { git status; }; (cd \"$d\" && f); done",
    };
    (void)state;
    CHECK(entered, QUIET_BELOW, true);
    /* "-" leads elsewhere; "./-" does not. */
    check(entered, sizeof entered / sizeof *entered - 1, QUIET_BELOW | SHELL_TREE_NO_OPTION, false);
    CHECK(left, QUIET_BELOW, false);
    CHECK(below, QUIET_BELOW, true);
    CHECK(below, 0, false);
    CHECK(elsewhere, QUIET_BELOW, false);
}

/* Names of several components stand in no one directory, nor do those of "**" with globstar. */
static void patterns_take_names_at_their_depth(void **state)
{
    static const char *const deep[] = {"for d in */*/; do cat \"$d/x\"; done", "for f in src/*/*; do cat \"$f\"; done",
                                       "shopt -s globstar; for f in **; do cat \"$f\"; done",
                                       "shopt -s globstar; for f in src/**/*.c; do cat \"$f\"; done"};
    static const char *const direct[] = {"for d in */; do ls \"$d\"; done", "for f in src/*.c; do cat \"$f\"; done"};
    (void)state;
    for (size_t i = 0; i < sizeof deep / sizeof *deep + sizeof direct / sizeof *direct; i++) {
        bool is_deep = i < sizeof deep / sizeof *deep;
        struct hv_arena arena = {0};
        struct shell_judgement judgement;
        judge_in_tree(&arena, is_deep ? deep[i] : direct[i - sizeof deep / sizeof *deep], 0, &judgement);
        const struct shell_act *last = &judgement.acts[judgement.count - 1];
        assert_int_equal(last->read_count, 1);
        assert_int_equal(last->reads[0].names, is_deep ? SHELL_NAMES_ANYWHERE : SHELL_NAMES_DIRECT);
        hv_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_are_listed_are_read_where_they_lie),
        cmocka_unit_test(names_go_through_variables),
        cmocka_unit_test(the_top_of_the_repository_is_known),
        cmocka_unit_test(names_in_whole_lines_may_have_blanks_in_them),
        cmocka_unit_test(what_stands_in_a_listed_directory_may_be_like_an_option),
        cmocka_unit_test(names_that_would_be_cut_are_certain_only_behind_nul),
        cmocka_unit_test(what_a_loop_looks_through_lies_below),
        cmocka_unit_test(short_names_of_refs_are_looked_at),
        cmocka_unit_test(what_was_found_is_a_file_behind_a_redirection),
        cmocka_unit_test(what_differs_is_of_the_whole_repository),
        cmocka_unit_test(links_that_lead_out_make_all_uncertain),
        cmocka_unit_test(a_name_like_an_option_matters_where_nothing_stands_before_it),
        cmocka_unit_test(what_may_print_anything_else_is_not_certain),
        cmocka_unit_test(globs_are_no_options_where_no_name_is_like_one),
        cmocka_unit_test(a_word_may_hold_what_is_known_in_part),
        cmocka_unit_test(the_words_of_what_is_read_and_written_stay),
        cmocka_unit_test(arithmetic_may_set_the_variable_of_a_loop),
        cmocka_unit_test(what_is_made_of_names_lies_in_a_known_place),
        cmocka_unit_test(git_runs_in_each_directory_of_a_pattern),
        cmocka_unit_test(patterns_take_names_at_their_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
