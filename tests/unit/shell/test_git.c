/* test_git.c: what git's sub-commands are taken for, in both directions. */
#include "judging.h"

static void history_is_read(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "git log",
        "git log --oneline",
        "git log --oneline -20",
        "git log -n 5",
        "git log -n5",
        "git log -5 --stat",
        "git log --oneline --graph --decorate --all",
        "git diff --stat $(git merge-base main HEAD)..HEAD",
        "git diff \"$(git merge-base main HEAD)\"",
        "git log $(git rev-list --max-parents=0 HEAD)..HEAD",
        "git show $(git rev-parse HEAD)",
        "git grep -l x $(git rev-list --all -5)",
        "git for-each-ref --merged",
        "git log --pretty=format:'%h %an %s'",
        "git log --format=%H -1",
        "git log --since='2 weeks ago' --author=me",
        "git log --after 2024-01-01 --until=yesterday",
        "git log -p -2",
        "git log -p src/main.c",
        "git log --follow -- src/main.c",
        "git log main..dev",
        "git log --name-only -3",
        "git log --name-status HEAD~3..HEAD",
        "git log -S'needle' --oneline",
        "git log -G regex -- src",
        "git log -L10,20:src/a.c",
        "git log -L :main:src/a.c",
        "git log --grep=fix -i",
        "git log --all --full-history -- a",
        "git log --first-parent --no-merges",
        "git log --merges --oneline -10",
        "git log --diff-filter=D --summary",
        "git log --stat=100 --shortstat --numstat",
        "git log --date=short --pretty='%ad %s'",
        "git log -1 --format='%B'",
        "git log @{u}..HEAD",
        "git log origin/main..HEAD --oneline",
        "git log --cherry-pick --left-right a...b",
        "git log --no-walk --tags",
        "git log --reverse --topo-order",
        "git log --show-notes",
        "git log -c",
        "git log --cc",
        "git log --word-diff",
        "git log --color=always --abbrev-commit",
        "git log -M -C --find-renames=40%",
        "git log --submodule=log -p",
        "git log -- '*.c'",
        "git log -1 --stat -- \"$file\"",
        "git --no-pager log -3",
        "git -P diff",
        "git show",
        "git show HEAD",
        "git show --stat HEAD~2",
        "git show abc1234:src/main.c",
        "git show HEAD^{tree}",
        "git show -s --format=%ci HEAD",
        "git show --name-only abc1234",
        "git show --no-patch",
        "git show stash@{0}",
        "git show :/fix",
        "git show v1.0 --no-color",
        "git diff",
        "git diff --cached",
        "git diff --staged --stat",
        "git diff HEAD",
        "git diff HEAD~1 HEAD",
        "git diff main...dev -- src",
        "git diff -w",
        "git diff --name-only",
        "git diff --name-status origin/main",
        "git diff -U10 src/a.c",
        "git diff -U",
        "git diff --check",
        "git diff --no-index a b",
        "git diff --quiet",
        "git diff --exit-code",
        "git diff --word-diff=color",
        "git diff --ignore-all-space --minimal --patience",
        "git diff --diff-algorithm=histogram",
        "git diff --numstat",
        "git diff --no-ext-diff --no-textconv",
        "git diff --color-words='[a-z]+'",
        "git diff --relative=src",
        "git diff -R",
        "git diff --inter-hunk-context=3 --function-context",
        "git diff --merge-base main",
        "git diff --compact-summary",
        "git diff --dirstat=files,10",
        "git diff -O order.txt",
        "git diff --submodule",
        "git diff -z --raw --abbrev=8",
        "git diff-tree --no-commit-id --name-only -r HEAD",
        "git diff-index --quiet HEAD --",
        "git diff-files --name-only",
        "git whatchanged -3",
        "git blame src/a.c",
        "git blame -L 10,20 src/a.c",
        "git blame -w -C -C -M src/a.c",
        "git blame --line-porcelain HEAD~2 -- a.c",
        "git blame -e --date=short a.c",
        "git annotate a.c",
        "git shortlog -sn",
        "git shortlog -sne --all",
        "git shortlog -s -n HEAD~10..HEAD",
        "git shortlog --group=author",
        "git rev-list --count HEAD",
        "git rev-list --all --objects",
        "git rev-list -n 1 --before=2024-01-01 main",
        "git rev-list --left-right --count main...dev",
        "git rev-list --max-parents=0 HEAD",
        "git range-diff a..b a..c",
        "git format-patch --stdout -1 HEAD",
        "git format-patch -1 --stdout",
    };
    ASSERT_ALL_ARE(SHELL_READ_ONLY, commands);
}

static void objects_and_names_are_read(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "git status",
        "git status -s",
        "git status -sb",
        "git status --short --branch",
        "git status --porcelain",
        "git status --porcelain=v2 --branch",
        "git status -uno",
        "git status -u",
        "git status --ignored",
        "git status -v",
        "git status --untracked-files=all src",
        "git status -z",
        "git status --show-stash",
        "git -C sub status",
        "git -C /other/repo status --short",
        "git -C sub -C deeper log",
        "cd sub && git status",
        "git --git-dir=/ws/project/.git --work-tree=/ws/project status",
        "git --git-dir=.git log",
        "git -c core.quotepath=false status",
        "git -c color.ui=always diff",
        "git -c core.pager=cat log",
        "git -c core.fsmonitor=false status",
        "git -c pager.log=false log",
        "git -c log.showSignature=false log",
        "git -c diff.noprefix=true diff",
        "git -c safe.directory='*' status",
        "git --no-optional-locks status",
        "git --literal-pathspecs ls-files",
        "git grep needle",
        "git grep -n 'foo bar' -- '*.c'",
        "git grep -rnI x src",
        "git grep -e a --and -e b",
        "git grep -l TODO HEAD~3",
        "git grep -c --heading --break -i x",
        "git grep -A3 -B 2 x",
        "git grep -e '--output' src",
        "git grep -P '\\d+' -m 3",
        "git grep --cached -w x",
        "git grep -5 x",
        "git ls-files",
        "git ls-files -m",
        "git ls-files --others --exclude-standard",
        "git ls-files -z -- '*.c'",
        "git ls-files -s | head",
        "git ls-files --error-unmatch a.c",
        "git ls-files $(cat list)",
        "git ls-tree -r --name-only HEAD",
        "git ls-tree HEAD src/",
        "git ls-tree -l -d HEAD",
        "git describe",
        "git describe --tags --always --dirty",
        "git describe --abbrev=0 --match 'v*'",
        "git name-rev HEAD",
        "git name-rev --name-only abc",
        "git merge-base a b",
        "git merge-base --is-ancestor a b",
        "git cat-file -p HEAD",
        "git cat-file -t abc",
        "git cat-file blob HEAD:a",
        "git cat-file --batch-check < list",
        "git cat-file --batch-all-objects --batch-check",
        "git show-ref",
        "git show-ref --heads",
        "git show-ref --verify --quiet refs/heads/main",
        "git for-each-ref",
        "git for-each-ref --sort=-committerdate --format='%(refname:short)' refs/heads",
        "git for-each-ref --count=5",
        "git rev-parse HEAD",
        "git rev-parse --abbrev-ref HEAD",
        "git rev-parse --show-toplevel",
        "git rev-parse --short HEAD",
        "git rev-parse --is-inside-work-tree",
        "git rev-parse --verify -q \"$ref\"",
        "git rev-parse --git-path hooks",
        "git rev-parse $(git merge-base a b)",
        "git diff \"$(git merge-base origin/main HEAD 2>/dev/null || git merge-base main HEAD)\" --stat",
        "git log $(git rev-parse HEAD~3 2>/dev/null)..HEAD --oneline",
        "git show \"$(git log -1 --format=%h -- README.md)\":README.md",
        "git show $(git log -1 --pretty=format:%H -- a.c) --stat",
        "c=$(git log -1 --format=%H -- src); git show --stat $c",
        "git check-ignore -v a.o",
        "git check-ignore $files",
        "git check-attr -a a.c",
        "git check-attr diff -- a.c",
        "git check-ref-format --branch x",
        "git count-objects -vH",
        "git cherry -v main",
        "git fsck",
        "git fsck --full --no-dangling",
        "git hash-object a.c",
        "git hash-object --stdin < a.c",
        "git archive HEAD",
        "git archive --format=tar HEAD src | tar -t",
        "git show-branch --all",
        "git interpret-trailers --parse msg.txt",
        "git patch-id --stable",
        "git stripspace",
        "git var GIT_EDITOR",
        "git var -l",
        "git help",
        "git help -a",
        "git help log",
        "git log --help",
        "git --help",
        "git --version",
        "git --version --build-options",
        "git version --build-options",
        "git",
        "git log -h",
        "git --exec-path",
        "git verify-pack -v .git/objects/pack/x.idx",
        "git symbolic-ref HEAD",
        "git symbolic-ref --short -q HEAD",
        "git apply --check x.patch",
        "git apply --stat x.patch",
        "git merge-tree base a b",
        "git merge-file -p a b c",
        "git check-mailmap 'A <a@b>'",
        "git get-tar-commit-id < x.tar",
    };
    ASSERT_ALL_ARE(SHELL_READ_ONLY, commands);
}

static void lists_are_read(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "git branch",
        "git branch -a",
        "git branch -r",
        "git branch -v",
        "git branch -vv",
        "git branch -avv",
        "git branch --list",
        "git branch --list 'feature/*'",
        "git branch -l x",
        "git branch --show-current",
        "git branch --contains abc",
        "git branch --contains",
        "git branch -a --contains HEAD~3",
        "git branch --merged",
        "git branch --merged main",
        "git branch --no-merged main",
        "git branch -r --merged origin/main",
        "git branch --sort=-committerdate",
        "git branch --sort -authordate",
        "git branch -a --sort -committerdate",
        "git tag -l --sort -v:refname",
        "git tag --sort -creatordate",
        "git branch --format='%(refname:short)'",
        "git branch --points-at HEAD",
        "git branch --column",
        "git branch --no-color",
        "git branch --color=always -a",
        "git tag",
        "git tag -l",
        "git tag --list 'v1.*'",
        "git tag -n",
        "git tag -n5",
        "git tag -n3 -l 'v*'",
        "git tag --sort=-v:refname",
        "git tag --contains abc",
        "git tag --points-at HEAD",
        "git tag --merged",
        "git tag -l --sort=-creatordate --format='%(refname)'",
        "git remote",
        "git remote -v",
        "git remote show",
        "git remote show -n origin",
        "git remote get-url origin",
        "git remote get-url --push --all origin",
        "git config --list",
        "git config -l --show-origin",
        "git config --get user.name",
        "git config user.email",
        "git config --global --get-regexp '^alias'",
        "git config --get-all remote.origin.fetch",
        "git config --local -l",
        "git config --type=bool --get core.bare",
        "git config -f .gitmodules --get-regexp path",
        "git config list",
        "git config get user.name",
        "git config --get-urlmatch http https://x",
        "git stash list",
        "git stash list -p",
        "git stash show",
        "git stash show -p stash@{1}",
        "git stash show --stat",
        "git reflog",
        "git reflog -10",
        "git reflog show main",
        "git reflog --date=iso",
        "git reflog HEAD@{now}",
        "git notes",
        "git notes list",
        "git notes show HEAD",
        "git notes --ref=x list",
        "git worktree list",
        "git worktree list --porcelain",
        "git submodule",
        "git submodule status",
        "git submodule status --recursive",
        "git submodule summary",
        "git bisect log",
        "git bundle verify x.bundle",
        "git bundle list-heads x.bundle",
        "git rerere status",
        "git sparse-checkout list",
        "git add -n .",
        "git add --dry-run -A",
        "git clean -n",
        "git clean -nd",
        "git clean -ndx",
        "git clean --dry-run -fd",
        "git rm -n a",
        "git mv -n a b",
    };
    ASSERT_ALL_ARE(SHELL_READ_ONLY, commands);
}

static void what_writes_says_so(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "git add .",
        "git add -A",
        "git commit -m x",
        "git commit",
        "git commit --amend --no-edit",
        "git checkout main",
        "git checkout -- .",
        "git switch -c x",
        "git restore a",
        "git reset --hard",
        "git reset",
        "git merge x",
        "git rebase main",
        "git cherry-pick abc",
        "git revert abc",
        "git rm a",
        "git mv a b",
        "git clean -fd",
        "git init",
        "git stash",
        "git stash -u",
        "git stash push",
        "git stash pop",
        "git stash drop",
        "git stash clear",
        "git branch x",
        "git branch -v x",
        "git branch -vv x",
        "git branch -a x",
        "git branch --sort=x NAME",
        "git branch --column NAME",
        "git branch --no-column x",
        "git branch --color x",
        "git branch --format=x NAME",
        "git branch -d x",
        "git branch -D x",
        "git branch --contains -D x",
        "git branch --sort -committerdate x",
        "git tag --sort -v:refname x",
        "git branch -m a b",
        "git branch -u origin/main",
        "git branch -f x HEAD",
        "git branch --set-upstream-to=origin/x",
        "git branch -q x",
        "git branch --track x origin/x",
        "git tag v1",
        "git tag -a v1 -m x",
        "git tag -d v1",
        "git tag -f v1",
        "git tag --sort=x NAME",
        "git tag --column NAME",
        "git tag -i x",
        "git tag --format=x NAME",
        "git config user.name me",
        "git config --global user.name me",
        "git config --unset x.y",
        "git config --add a.b c",
        "git config set a.b c",
        "git config unset a.b",
        "git config --replace-all a.b c",
        "git config --rename-section a b",
        "git remote add x y",
        "git remote rm x",
        "git remote rename a b",
        "git remote set-url origin x",
        "git reflog expire --all",
        "git reflog delete x",
        "git reflog --all expire",
        "git notes add -m x",
        "git worktree add ../x",
        "git worktree prune",
        "git worktree remove x",
        "git submodule init",
        "git submodule deinit x",
        "git bisect start",
        "git bisect good",
        "git bundle create x HEAD",
        "git symbolic-ref HEAD refs/heads/x",
        "git symbolic-ref -d X",
        "git update-ref x y",
        "git update-index --refresh",
        "git gc",
        "git prune",
        "git repack -ad",
        "git pack-refs",
        "git read-tree HEAD",
        "git write-tree",
        "git hash-object -w a",
        "git hash-object -w --stdin",
        "git archive -o x.tar HEAD",
        "git archive --output=x.tar HEAD",
        "git format-patch HEAD~3",
        "git format-patch -1 -o out",
        "git apply x.patch",
        "git apply --check --apply x",
        "git am x",
        "git mailinfo msg patch",
        "git mailsplit x",
        "git merge-tree a b",
        "git merge-tree --write-tree a b",
        "git merge-file a b c",
        "git interpret-trailers --in-place x",
        "git fsck --lost-found",
        "git log --output=x",
        "git log --output x",
        "git diff --output=x",
        "git show --output=x HEAD",
        "git diff -U --output=x",
        "git diff-tree --output=x HEAD",
        "git diff-index --output=x HEAD",
        "git diff-files --output=x",
        "git stash show --output=x",
        "git stash list --output=x",
        "git whatchanged --output=x",
        "git range-diff --output=x a b c",
        "git rerere",
        "git sparse-checkout set x",
        "git unpack-file abc",
        "git commit-graph write",
        "git maintenance run",
        "git replace a b",
        "git reflog --output=x",
    };
    ASSERT_ALL_ARE(SHELL_WRITES, commands);
}

static void what_reaches_the_network_says_so(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "git fetch",
        "git fetch --all --prune",
        "git fetch --dry-run",
        "git pull",
        "git pull --rebase",
        "git push",
        "git push --force",
        "git push --dry-run",
        "git clone https://x/y",
        "git clone a b",
        "git ls-remote",
        "git ls-remote --heads origin",
        "git remote show origin",
        "git remote -v show origin",
        "git remote update",
        "git remote prune origin",
        "git submodule update --init",
        "git submodule add x",
        "git archive --remote=x HEAD",
        "git send-email x",
        "git request-pull a b",
        "git svn fetch",
    };
    ASSERT_ALL_ARE(SHELL_NETWORK, commands);
}

static void what_runs_programs_says_so(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "git log --ext-diff",
        "git diff --ext-diff",
        "git show --textconv",
        "git grep --textconv x",
        "git grep -O x",
        "git grep -Oless x",
        "git grep --open-files-in-pager=vi x",
        "git cat-file --textconv HEAD:a",
        "git cat-file --filters HEAD:a",
        "git log --show-signature",
        "git show --show-signature",
        "git log --format='%G?'",
        "git log --pretty='format:%h %GS'",
        "git for-each-ref --format='%(signature)'",
        "git for-each-ref --format='%(*signature:key)'",
        "git for-each-ref --sort=signature",
        "git for-each-ref --sort='-*signature:key'",
        "git for-each-ref --sort -signature",
        "git branch --sort=signature:grade",
        "git tag -l --sort=-signature",
        "git log --format='%+GK'",
        "git log --format='%h %-G?'",
        "git show --format='% GS'",
        "git verify-commit HEAD",
        "git verify-tag v1",
        "git tag -v v1",
        "git tag -s v1",
        "git submodule foreach ls",
        "git bisect run make",
        "git bisect visualize",
        "git difftool",
        "git mergetool",
        "git gui",
        "git filter-branch x",
        "git instaweb",
        "git help -w log",
        "git branch --edit-description",
        "git config -e",
        "git config --edit",
        "git add -p",
        "git add -i",
        "git ls-remote --upload-pack=x y",
        "git archive --remote=x --exec=y HEAD",
        "git diff --submodule=diff",
        "git log -p --submodule=diff",
    };
    ASSERT_ALL_ARE(SHELL_EXECUTES, commands);
}

static void what_is_not_certain_is_unknown(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "git st",
        "git lg",
        "git frobnicate",
        "git log --outp=x",
        "git log --outpu x",
        "git diff --ext",
        "git diff --tex",
        "git grep --open=vi x",
        "git grep --op x",
        "git ls-remote --upload=x y",
        "git tag --si v1",
        "git branch --del x",
        "git config --edi",
        "git -p log",
        "git --paginate log",
        "git --exec-path=/tmp log",
        "git -c alias.x='!sh' x",
        "git -c core.fsmonitor=/tmp/x status",
        "git -c core.pager=/tmp/x log",
        "git -c diff.external=x diff",
        "git -c core.sshCommand=x log",
        "git -c core.hooksPath=x status",
        "git -c filter.x.clean=y status",
        "git -c gpg.program=x log",
        "git -c core.editor=x log",
        "git -c color.ui status --output",
        "git -c \"$x\" status",
        "git --config-env=core.pager=X log",
        "git --git-dir=/elsewhere/.git status",
        "git --git-dir=/ws/project log",
        "git --work-tree=/ status",
        "git --bare log",
        "git $sub",
        "git $(cat sub)",
        "git -C \"$dir\" status",
        "git -C * status",
        "cd \"$x\" && git status",
        "git log $x",
        "git diff *",
        "git log $(cat refs)",
        "git log $(git describe --tags)..HEAD",
        "git log $(git rev-parse --sq-quote --output=x)",
        "git log $(git rev-parse $x)",
        "git log $(git rev-parse a)$x",
        "git log $(git rev-list --format=%s HEAD)",
        "git log $(git merge-base a b; cat x)",
        "git log $(git merge-base a b || cat x)",
        "git log $(git merge-base a b || git describe)",
        "git log $(git merge-base a b 2>&1)",
        "git log $(git merge-base a b | cat x)",
        "git log $(git log -1 -- a.c)",
        "git log $(git log -1 --format=%s)",
        "git log $(git log -1 --format=%h --format=%s)",
        "git log $(git log -1 --format=%h --format=%H)",
        "git log $(git log -1 --format=%h%d)",
        "git log $(git log -1 --format=%h -p)",
        "git log $(git log -1 --format=%h --name-only)",
        "git log $(git log -1 --format=%h --notes)",
        "git show $(git log -1 --format=%ad)",
        "git log $(git rev-parse `x`)",
        "git log $(git rev-list --pretty=%s a)",
        "git stash list --format='%G?'",
        "git branch --format='%(signature)'",
        "git show $commit",
        "git log --alternate-refs",
        "git status --help --web",
        "git --namespace=x log",
        "git branch $x",
        "git config \"$x\"",
        "git log -$x",
        "git credential fill",
        "git ./x",
        "GIT_DIR=/x git status",
        "GIT_EXTERNAL_DIFF=x git diff",
        "GIT_PAGER=x git log",
        "GIT_CONFIG_COUNT=1 git status",
        "PATH=. git status",
        "HOME=. git status",
        "LESS=x GIT_SSH=x git log",
        "git() { rm x; }; git status",
        "alias git=rm; git status",
        "./git status",
    };
    ASSERT_NONE_READS(commands);
}

static void a_repository_that_names_programs_is_asked_about(void **state)
{
    (void)state;
    static const char *const commands[] = {"git status",   "git diff",       "git -C sub log", "git branch",
                                           "git help log", "ls; git status", "git stash list", "git config -l"};
    for (size_t at = 0; at < sizeof commands / sizeof *commands; at++) {
        struct hv_arena arena = {0};
        struct shell_judgement judgement;
        struct judging_world world = {.quiet = false};
        judge_in(&arena, commands[at], &world, &judgement);
        assert_int_equal(judgement.class, SHELL_EXECUTES);
        hv_arena_release(&arena);
    }
    assert_int_equal(class_of("git --version"), SHELL_READ_ONLY);
}

static void the_directory_that_git_runs_in_is_asked_about(void **state)
{
    (void)state;
    static const struct {
        const char *command, *directory, *subcommand;
    } cases[] = {
        {"git status", "/ws/project", "status"},
        {"git -C sub log", "/ws/project/sub", "log"},
        {"git -C /a -C b diff", "/a/b", "diff"},
        {"fd -C /a x -x git status", "/a", "status"},
        {"fd x -X git status", "/ws/project", "status"},
        {"cd sub && git blame x", "/ws/project/sub", "blame"},
        {"(cd /tmp/x && git branch)", "/tmp/x", "branch"},
        {"cd /tmp/x; git branch", "/tmp/x /ws/project", "branch"},
        {"cd x; git -C y branch", "/ws/project/x/y /ws/project/y", "branch"},
        {"git log --help", "/ws/project", "help"},
        {"timeout 5 git status", "/ws/project", "status"},
        {"git --git-dir=/ws/project/.git --work-tree=/ws/project status", "/ws/project", "status"},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        struct hv_arena arena = {0};
        struct shell_judgement judgement;
        struct judging_world world = {.quiet = true};
        judge_in(&arena, cases[at].command, &world, &judgement);
        assert_string_equal(world.asked, cases[at].directory);
        assert_string_equal(world.command, cases[at].subcommand);
        hv_arena_release(&arena);
    }
}

static bool reads_path(const struct shell_judgement *judgement, const char *path)
{
    for (size_t act = 0; act < judgement->count; act++)
        for (size_t at = 0; at < judgement->acts[act].read_count; at++)
            if (hv_str_is(judgement->acts[act].reads[at].path, path))
                return true;
    return false;
}

static void files_that_git_reads_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *command, *path;
    } cases[] = {
        {"git diff --no-index /etc/passwd a", "/etc/passwd"},
        {"git blame src/a.c", "/ws/project/src/a.c"},
        {"git show HEAD:secrets/.env", "/ws/project/secrets/.env"},
        {"git cat-file blob HEAD:.env", "/ws/project/.env"},
        {"git show :secrets/.env", "/ws/project/secrets/.env"},
        {"git cat-file -p :0:.env", "/ws/project/.env"},
        {"git show :2:.env", "/ws/project/.env"},
        {"git show :./.env", "/ws/project/.env"},
        {"git show $(git rev-parse HEAD):secrets/.env", "/ws/project/secrets/.env"},
        {"x=$(git rev-parse HEAD); git show \"$x:.env\"", "/ws/project/.env"},
        {"git -C /other log", "/other"},
        {"git diff $(git merge-base a b) -- /etc/x", "/etc/x"},
        {"git config -f /etc/x -l", "/etc/x"},
        {"git grep -f /etc/x", "/etc/x"},
        {"git hash-object /etc/x", "/etc/x"},
        {"git diff -O/etc/x", "/etc/x"},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        struct hv_arena arena = {0};
        struct shell_judgement judgement;
        struct judging_world world = {.quiet = true};
        judge_in(&arena, cases[at].command, &world, &judgement);
        if (!reads_path(&judgement, cases[at].path))
            fail_msg("%s does not tell %s", cases[at].command, cases[at].path);
        assert_int_equal(judgement.class, SHELL_READ_ONLY);
        hv_arena_release(&arena);
    }
}

static void the_environment_numbers_its_settings_without_a_gap(void **state)
{
    (void)state;
    struct hv_arena arena = {0};
    const char *const *environment = shell_run_environment(&arena, HV_STR("git status"), HV_STR("/w"), NULL);
    unsigned count = 0, keys = 0, values = 0, number;
    for (; *environment; environment++) {
        if (sscanf(*environment, "GIT_CONFIG_COUNT=%u", &number) == 1)
            count = number;
        if (sscanf(*environment, "GIT_CONFIG_KEY_%u=", &number) == 1)
            assert_int_equal(number, keys++);
        if (sscanf(*environment, "GIT_CONFIG_VALUE_%u=", &number) == 1)
            assert_int_equal(number, values++);
    }
    assert_int_equal(count, keys);
    assert_int_equal(count, values);
    assert_true(count > 0);
    hv_arena_release(&arena);
}

/* The value of a name in a list of pairs, or NULL; the last one counts, as for getenv of most systems. */
static const char *value_of(const char *const *pairs, const char *name)
{
    const char *found = NULL;
    for (; *pairs; pairs++)
        if (strncmp(*pairs, name, strlen(name)) == 0 && (*pairs)[strlen(name)] == '=')
            found = *pairs + strlen(name) + 1;
    return found;
}

static void commands_that_only_read_get_the_overrides(void **state)
{
    (void)state;
    static const char *const given[] = {"PATH=/bin", "USER=u", "HOME=/home/u", "GIT_PAGER=less", "GIT_OPTIONAL_LOCKS=1",
                                        NULL};
    static const struct {
        const char *command;
        bool wanted;
    } cases[] = {
        {"git status", true},
        {"git log | head", true},
        {"cd sub; git diff", true},
        {"mkdir x && git status", true},
        {"bash -c 'git status'", true},
        {"timeout 5 /usr/bin/git log", true},
        {"cd \"$x\" && git status", true},
        {"for d in */; do git -C \"$d\" status; done", true},
        {"for d in */; do (cd \"$d\" && git status); done", true},
        {"g\"\"it status", true},
        {"$'\\x67it' status", true},
        {"g\\it status", true},
        {"x=git; $x status", true},
        {"echo git", false},
        {"ls", false},
        {"git commit -m x", false},
        {"git add . && git status", false},
        {"git status && make", false},
        {"git status && npm test", false},
        {"git fetch && git log", false},
        {"git log --show-signature", false},
        {"git status && unknown", false},
        {"git status (", false},
        /* What the policy holds for harmless must be that here, too. */
        {"sort ~/x; git status", true},
        {"sort \"$USER\"; git status", true},
        {"sort *; git status", true},
        {"yarn why x; git status", true},
        {"git ls-files -z | xargs -0 file", true},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        struct hv_arena arena = {0};
        const char *const *got = shell_run_environment(&arena, hv_str_from(cases[at].command), HV_STR("/ws"), given);
        const char *hooks = value_of(got, "GIT_CONFIG_KEY_1");
        if ((hooks != NULL) != cases[at].wanted)
            fail_msg("%s: %s", cases[at].command, hooks ? "overrides" : "none");
        assert_string_equal(value_of(got, "PATH"), "/bin");
        assert_string_equal(value_of(got, "GIT_PAGER"), cases[at].wanted ? "cat" : "less");
        assert_string_equal(value_of(got, "GIT_OPTIONAL_LOCKS"), cases[at].wanted ? "0" : "1");
        hv_arena_release(&arena);
    }
}

static void what_asks_go_starts_no_other_toolchain(void **state)
{
    (void)state;
    static const char *const given[] = {"GOTOOLCHAIN=auto", "GOPROXY=https://proxy.example", "PATH=/bin", NULL};
    static const struct {
        const char *command, *toolchain, *proxy;
    } cases[] = {
        {"go version", "local", "https://proxy.example"},
        {"go env GOPATH | cat", "local", "https://proxy.example"},
        {"go doc fmt", "local", "off"},
        {"goimports -l .", "local", "off"},
        {"g\"\"o version", "local", "https://proxy.example"},
        {"timeout 5 go -C sub env; git status", "local", "https://proxy.example"},
        {"mkdir x && go version", "local", "https://proxy.example"},
        {"gofmt -l .", "auto", "https://proxy.example"},
        {"go help build", "auto", "https://proxy.example"},
        {"go build", "auto", "https://proxy.example"},
        {"go version && go build", "auto", "https://proxy.example"},
        {"go version; ./x", "auto", "https://proxy.example"},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        struct hv_arena arena = {0};
        const char *const *got = shell_run_environment(&arena, hv_str_from(cases[at].command), HV_STR("/ws"), given);
        assert_string_equal(value_of(got, "GOTOOLCHAIN"), cases[at].toolchain);
        assert_string_equal(value_of(got, "GOPROXY"), cases[at].proxy);
        assert_string_equal(value_of(got, "PATH"), "/bin");
        hv_arena_release(&arena);
    }
    struct hv_arena arena = {0};
    assert_string_equal(*shell_run_environment(&arena, HV_STR("go version"), HV_STR("/ws"), NULL), "GOTOOLCHAIN=local");
    hv_arena_release(&arena);
}

static void npm_does_not_ask_the_projects_registry_for_a_newer_npm(void **state)
{
    (void)state;
    static const char *const given[] = {"npm_config_update_notifier=true", "PATH=/bin", NULL};
    static const struct {
        const char *command, *notifier;
    } cases[] = {
        {"npm ls", "false"},
        {"npm run", "false"},
        {"n\"\"pm ls | cat", "false"},
        {"timeout 5 bash -c 'npm root -g'", "false"},
        {"npm ls; git status", "false"},
        {"npm ls && npm install", "false"},
        {"npm install", "true"},
        {"npm --version", "true"},
        {"ls", "true"},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        struct hv_arena arena = {0};
        const char *const *got = shell_run_environment(&arena, hv_str_from(cases[at].command), HV_STR("/ws"), given);
        assert_string_equal(value_of(got, "npm_config_update_notifier"), cases[at].notifier);
        assert_string_equal(value_of(got, "PATH"), "/bin");
        hv_arena_release(&arena);
    }
}

static void terraform_does_not_ask_its_maker_for_a_newer_one(void **state)
{
    (void)state;
    static const char *const given[] = {"CHECKPOINT_DISABLE=", "PATH=/bin", NULL};
    static const struct {
        const char *command, *disable;
    } cases[] = {
        {"terraform version", "1"},
        {"terraform -chdir=x fmt -check", "1"},
        {"terra\"\"form -help | cat", "1"},
        {"timeout 5 bash -c 'terraform --version'", "1"},
        {"terraform version; git status", "1"},
        {"terraform plan", ""},
        {"tofu version", ""},
        {"ls", ""},
    };
    for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
        struct hv_arena arena = {0};
        const char *const *got = shell_run_environment(&arena, hv_str_from(cases[at].command), HV_STR("/ws"), given);
        assert_string_equal(value_of(got, "CHECKPOINT_DISABLE"), cases[at].disable);
        assert_string_equal(value_of(got, "PATH"), "/bin");
        hv_arena_release(&arena);
    }
}

static void bash_is_told_the_directory_that_was_judged(void **state)
{
    (void)state;
    static const char *const given[] = {"PWD=/link/to/ws", "PATH=/bin", NULL};
    static const char *const commands[] = {"ls", "git status", "cd ..; pwd", "make"};
    for (size_t at = 0; at < sizeof commands / sizeof *commands; at++) {
        struct hv_arena arena = {0};
        const char *const *got = shell_run_environment(&arena, hv_str_from(commands[at]), HV_STR("/ws"), given);
        assert_string_equal(value_of(got, "PWD"), "/ws");
        assert_string_equal(value_of(got, "PATH"), "/bin");
        hv_arena_release(&arena);
    }
}

static void settings_of_the_environment_stay_before_the_overrides(void **state)
{
    (void)state;
    static const char *const given[] = {"GIT_CONFIG_COUNT=2",      "GIT_CONFIG_KEY_0=user.name",
                                        "GIT_CONFIG_VALUE_0=me",   "GIT_CONFIG_KEY_1=core.fsmonitor",
                                        "GIT_CONFIG_VALUE_1=evil", NULL};
    struct hv_arena arena = {0};
    const char *const *got = shell_run_environment(&arena, HV_STR("git status"), HV_STR("/ws"), given);
    assert_string_equal(value_of(got, "GIT_CONFIG_KEY_0"), "user.name");
    assert_string_equal(value_of(got, "GIT_CONFIG_VALUE_1"), "evil");
    assert_string_equal(value_of(got, "GIT_CONFIG_KEY_2"), "core.fsmonitor");
    assert_string_equal(value_of(got, "GIT_CONFIG_VALUE_2"), "false");
    assert_string_equal(value_of(got, "GIT_CONFIG_COUNT"), "20");
    got = shell_run_environment(&arena, HV_STR("git status"), HV_STR("/ws"), NULL);
    assert_string_equal(value_of(got, "GIT_CONFIG_KEY_0"), "core.fsmonitor");
    hv_arena_release(&arena);
}

static void what_would_make_bash_read_otherwise_is_dropped(void **state)
{
    static const char *const given[] = {"PATH=/bin",
                                        "BASH_ENV=/tmp/x",
                                        "ENV=/tmp/x",
                                        "SHELLOPTS=xtrace",
                                        "CDPATH=/",
                                        "BASH_FUNC_ls%%=() { echo x; }",
                                        "IFS=x",
                                        "BASHOPTS=extglob",
                                        "GLOBIGNORE=*",
                                        "PS4=$(x)",
                                        "PROMPT_COMMAND=x",
                                        "POSIXLY_CORRECT=1",
                                        "BASHFUL=1",
                                        "ENVIRONMENT=test",
                                        NULL};
    static const char *const commands[] = {"ls", "git status", "make"};
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct hv_arena arena = {0};
        const char *const *got = shell_run_environment(&arena, hv_str_from(commands[i]), HV_STR("/ws"), given);
        for (size_t at = 1; at < 12; at++) {
            char name[32] = {0};
            memcpy(name, given[at], strcspn(given[at], "="));
            assert_null(value_of(got, name));
        }
        assert_string_equal(value_of(got, "PATH"), "/bin");
        assert_string_equal(value_of(got, "BASHFUL"), "1");
        assert_string_equal(value_of(got, "ENVIRONMENT"), "test");
        hv_arena_release(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(history_is_read),
        cmocka_unit_test(objects_and_names_are_read),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(what_writes_says_so),
        cmocka_unit_test(what_reaches_the_network_says_so),
        cmocka_unit_test(what_runs_programs_says_so),
        cmocka_unit_test(what_is_not_certain_is_unknown),
        cmocka_unit_test(a_repository_that_names_programs_is_asked_about),
        cmocka_unit_test(the_directory_that_git_runs_in_is_asked_about),
        cmocka_unit_test(files_that_git_reads_are_told),
        cmocka_unit_test(commands_that_only_read_get_the_overrides),
        cmocka_unit_test(what_would_make_bash_read_otherwise_is_dropped),
        cmocka_unit_test(bash_is_told_the_directory_that_was_judged),
        cmocka_unit_test(npm_does_not_ask_the_projects_registry_for_a_newer_npm),
        cmocka_unit_test(terraform_does_not_ask_its_maker_for_a_newer_one),
        cmocka_unit_test(what_asks_go_starts_no_other_toolchain),
        cmocka_unit_test(settings_of_the_environment_stay_before_the_overrides),
        cmocka_unit_test(the_environment_numbers_its_settings_without_a_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
