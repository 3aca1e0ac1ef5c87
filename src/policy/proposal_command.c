/*
 * proposal_command.c: see proposal_command.h. A prefix where a program's sub-command says what it does (git commit:*),
 * or where the program does one kind of thing (make:*); the scripts of a folder, and what is the same trust again; the
 * files of the workspace for what does nothing but change some; else the part word for word. Never a rule that would
 * allow a program to run what somebody else gives it, but for code in the full sandbox.
 */
#include "policy/proposal_command.h"

#include "base/path.h"
#include "policy/given_code.h"
#include "policy/visible.h"

#include <string.h>
#include <strings.h>

/* ---- programs and how much of their words says what they do ------------------------------------------------------ */

static const struct depth {
    const char *programs;
    size_t words; /* that the prefix holds, the program included */
} depths[] = {
    {"git npm yarn pnpm bun cargo go docker podman kubectl helm terraform tofu gh glab pip pip3 pipx uv poetry bundle "
     "gem composer dotnet mvn gradle apt apt-get brew dnf yum apk pacman rustup conda mamba nix systemctl journalctl "
     "flutter dart swift mix stack cabal zig opam rake rails jj hg svn vagrant fly heroku vercel wrangler "
     "turbo nx lerna just task rake invoke bazel buck2 pants pre-commit",
     2},
    {"make ninja meson ctest pytest jest vitest mocha tsc eslint prettier ruff black mypy flake8 pylint isort "
     "pyright gcc g++ cc c++ clang clang++ rustc rustfmt javac gofmt clang-format clang-tidy shellcheck shfmt mkdir "
     "touch phpunit rspec rubocop tox nox ld ar nm objdump strip golangci-lint stylelint biome oxlint hadolint "
     "yamllint markdownlint latexmk pdflatex pandoc protoc swiftc ghc",
     1},
};

/* Programs whose first option is their sub-command. */
static const char option_heads[] = "cmake --build,cmake --install,cmake --preset,cmake -B,cmake -S,chmod +x";

/* "npx eslint", "python3 -m pytest": what follows is a tool that checks, formats or tests, and is handed no program. */
static const char starters[] = "npx,bunx,python -m,uv run,poetry run,pipenv run,bundle exec,pnpm exec,yarn exec";
static const char started[] = "pytest unittest py_compile compileall pyflakes mypy pyright black ruff flake8 pylint "
                              "isort eslint prettier tsc jest vitest mocha stylelint biome oxlint rspec rubocop";

/* Of one group, who trusts a prefix that stands before ";" trusts the others again: the code that a project is built of
 * and tested by; new commits; other contents of the work tree; packages of a registry and what is asked of it; reading
 * a host.
 */
static const char *const same_trust[] = {
    "npm test,npm run test,npm run build,npm run lint",
    "yarn test,yarn run test,yarn build,yarn lint",
    "pnpm test,pnpm run test,pnpm run build,pnpm run lint",
    "cargo build,cargo check,cargo test",
    "go build,go test,go vet",
    "cmake -B,cmake -S,cmake --build,ctest",
    "gcc,cc",
    "python3 -m pytest,python3 -m unittest,pytest",
    "python3 -m py_compile,python3 -m compileall,python3 -m pyflakes",
    "python3 -c,python3 -",
    "node -e,node -p",
    "npx eslint,npx prettier,npx tsc",
    "git commit,git merge,git cherry-pick,git revert;git add,git tag",
    "git checkout;git switch,git restore",
    "npm install;npm ci,npm outdated,npm audit,npm view",
    "gh pr list,gh pr view,gh issue list,gh issue view,gh run list,gh run view",
};

/* "npm run test": the second word alone says nothing. */
static const char three_words[] =
    "npm run,yarn run,pnpm run,bun run,docker compose,docker image,docker container,docker buildx,docker volume,"
    "docker network,gh pr,gh issue,gh run,gh repo,gh release,gh workflow,cargo nextest,go mod,go tool,uv pip,"
    "git stash,git remote,git worktree,git submodule,dotnet tool,kubectl config,kubectl rollout,poetry env,"
    "pip config,npm config,yarn workspace,rails db,flutter pub";

/* Sub-commands that run what follows them: no prefix is offered. */
static const char runners[] =
    "npm exec,npm x,yarn exec,yarn dlx,pnpm exec,pnpm dlx,bun x,uv run,uvx run,poetry run,bundle exec,docker run,"
    "docker exec,podman run,podman exec,kubectl exec,kubectl run,go run,go generate,cargo run,nix run,"
    "nix develop,nix shell,conda run,mamba run,git config,git bisect,git filter-branch,git -c,dotnet run,"
    "dotnet exec,opam exec,heroku run,pipx run,git rebase,git submodule foreach,docker compose run,"
    "docker compose exec,mix run,swift run,dart run,cargo install,pip install,npm install -g,rails runner,"
    "stack exec,cabal exec,zig run,npm init,npm create,npm explore,yarn create,yarn node,pnpm create,bun create,"
    "uv tool,uv pip install,pip3 install,pipx install,gem install,podman compose,docker buildx bake,"
    "kubectl debug,gh alias,gh api,gh extension,glab alias,glab api,lerna exec,nx exec,stack runghc,"
    "stack runhaskell,stack script,stack eval,cabal run,cabal repl,mix eval,rails r,rails c,rails console,"
    "dotnet script,dotnet fsi,cargo script,mvn exec:exec,mvn exec:java,gradle run,bazel run,flutter run,fly ssh,"
    "vagrant ssh";

static bool is_one_of_heads(struct hv_str text, struct hv_str heads)
{
    struct hv_str rest = heads, head;
    while (rest.len && hv_str_split(&rest, ',', &head))
        if (hv_str_starts(text, head) && (text.len == head.len || text.ptr[head.len] == ' '))
            return true;
    return false;
}

static size_t depth_of(struct hv_str name)
{
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++)
        if (shell_is_one_of(name, depths[i].programs))
            return depths[i].words;
    return 0;
}

/* The words, with the program's name alone: node_modules/.bin/eslint is eslint, python3.11 is python. */
static struct hv_str text_by_name(const struct shell_act *act, struct hv_arena *arena)
{
    struct hv_str name = shell_base_name(act->words[0].value);
    struct hv_str rest = part_rule_text(act->words + 1, act->word_count - 1, arena);
    if (hv_str_starts(name, HV_STR("python")))
        name = HV_STR("python");
    return hv_arena_format(arena, "%.*s %.*s", HV_STR_ARG(name), HV_STR_ARG(rest));
}

/* How many of the words, the first of which is known, make a prefix to offer; 0: none. */
static size_t prefix_words(const struct shell_act *act, struct hv_arena *arena)
{
    struct hv_str text = text_by_name(act, arena);
    struct hv_str name = shell_base_name(act->words[0].value);
    size_t words = depth_of(name), tool = shell_is_one_of(name, "npx bunx") ? 1 : 2;
    if (is_one_of_heads(text, hv_str_from(starters)) && act->word_count > tool && act->words[tool].known &&
        shell_is_one_of(act->words[tool].value, started))
        return tool + 1;
    if (is_one_of_heads(text, hv_str_from(runners)))
        return 0;
    if (is_one_of_heads(text, hv_str_from(option_heads)))
        return 2;
    if (words && is_one_of_heads(text, hv_str_from(three_words)))
        words = 3;
    if (words > act->word_count)
        return 0;
    /* A sub-command is a plain name. */
    for (size_t i = 1; i < words; i++)
        if (!act->words[i].known || !act->words[i].value.len || act->words[i].value.ptr[0] == '-' ||
            hv_str_find_byte(act->words[i].value, '*', 0) != SIZE_MAX ||
            hv_str_find_byte(act->words[i].value, '=', 0) != SIZE_MAX) /* make SHELL=… */
            return 0;
    return words;
}

/* ---- one part ---------------------------------------------------------------------------------------------------- */

/* "bash -e scripts/check.sh x": a file that is a script, as if it were the program. */
static bool runs_script_file(const struct shell_act *act)
{
    size_t at = 1;
    while (at < act->word_count && shell_is_one_of(act->words[at].value, "-e -u -x -v -eu -ex -eux"))
        at++;
    return at < act->word_count && act->words[at].known && act->words[at].value.len &&
           !strchr("-+", act->words[at].value.ptr[0]);
}

/* The program runs code, or programs, that stand in its words or its input. */
static bool runs_what_it_is_given(const struct shell_act *act)
{
    struct hv_str name = act->words[0].known ? shell_base_name(act->words[0].value) : (struct hv_str){0};
    if (!name.len || given_code(act->words, act->word_count) || (act->runs_input && !depth_of(name)))
        return true;
    if (shell_is_one_of(name, "sudo doas su env eval exec xargs parallel ssh watch setsid ionice flock nohup "
                              "busybox toybox awk gawk mawk osascript tclsh expect trap"))
        return true;
    if (shell_is_one_of(name, "sh bash dash zsh ksh fish"))
        return !runs_script_file(act);
    if (shell_is_one_of(name, "find fd fdfind"))
        for (size_t i = 1; i < act->word_count; i++)
            if (shell_is_one_of(act->words[i].value, "-exec -execdir -ok -okdir -delete -x -X --exec --exec-batch"))
                return true;
    return false;
}

/* name has part in it, in either case. */
static bool has_word_of(struct hv_str name, const char *part)
{
    size_t length = strlen(part);
    for (size_t at = 0; at + length <= name.len; at++)
        if (strncasecmp(name.ptr + at, part, length) == 0)
            return true;
    return false;
}

static bool is_plain(struct hv_str text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,+:=";
    for (size_t i = 0; i < text.len; i++)
        if (!memchr(plain, text.ptr[i], sizeof plain - 1))
            return false;
    return true;
}

/* What may stand in a file of settings: a short plain value, and no secret. */
static bool may_be_saved(const struct shell_assignment *assignment)
{
    enum { VALUE_MAX = 64 };
    static const char *const secrets[] = {"TOKEN", "SECRET", "PASS", "KEY", "CREDENTIAL", "AUTH", NULL};
    struct hv_str value = assignment->value.value;
    if (!assignment->value.known || value.len > VALUE_MAX || assignment->appends || assignment->element ||
        assignment->array || !is_plain(value))
        return false;
    for (const char *const *secret = secrets; *secret; secret++)
        if (has_word_of(assignment->name, *secret))
            return false;
    return true;
}

/* By these a loader, a shell or git is told what to run, whatever the program: no rule is offered for a value of them.
 */
static bool loads_programs(struct hv_str name)
{
    static const char *const heads[] = {"LD_", "DYLD_", "GIT_", "BASH", "ZDOTDIR", "PROMPT_COMMAND", "PERL5", NULL};
    for (const char *const *head = heads; *head; head++)
        if (hv_str_starts(name, hv_str_from(*head)))
            return true;
    return shell_is_one_of(name, "PATH ENV IFS SHELL HOME EDITOR VISUAL PAGER BROWSER PYTHONSTARTUP RUBYOPT");
}

/* "SEED=1 ": what the rule must say of the variables in front. False: none is offered for such. */
static bool propose_assignments(const struct shell_command *command, struct hv_arena *arena, struct hv_str *text)
{
    *text = HV_STR("");
    if (part_assigns_safely(command))
        return true;
    for (size_t i = 0; i < command->assignment_count; i++) {
        const struct shell_assignment *assignment = &command->assignments[i];
        if (!may_be_saved(assignment) || loads_programs(assignment->name))
            return false;
        *text = hv_arena_format(arena, "%.*s%.*s=%.*s ", HV_STR_ARG(*text), HV_STR_ARG(assignment->name),
                                HV_STR_ARG(assignment->value.value));
    }
    return true;
}

/* A file of the project, by a plain name. */
static bool is_of_project(const struct match_call *call, const struct shell_word *word)
{
    struct hv_str name = word->value;
    return word->known && name.len && name.ptr[0] != '-' && is_plain(name) &&
           hv_str_find(name, HV_STR(".."), 0) == SIZE_MAX &&
           (name.ptr[0] != '/' || path_inside(name, call->policy->directory.written));
}

/* What only tries a program says nothing of running it. */
static bool is_trial(const struct shell_act *act)
{
    for (size_t i = 1; i < act->word_count; i++)
        if (shell_is_one_of(act->words[i].value, "--dry-run -n --check --help --version"))
            return true;
    return false;
}

/* The words that say which code of the project runs, with whatever follows: "python3 tests/ *", "./run.sh:*"; in the
 * full sandbox also "python3 -c:*". Absent: they do not. */
static struct hv_str propose_code(const struct match_call *call, const struct shell_act *act, struct hv_arena *arena)
{
    const struct shell_word *words = act->words, *script = act->word_count > 1 ? &words[1] : NULL;
    struct hv_str name = shell_base_name(words[0].value);
    bool interprets = words[0].known && (hv_str_starts(name, HV_STR("python")) ||
                                         shell_is_one_of(name, "node ruby perl php sh bash dash zsh"));
    if (interprets && script && call->facts->confined && script->known &&
        shell_is_one_of(script->value, "-c -e -p -") && !shell_is_one_of(name, "sh bash dash zsh"))
        return hv_arena_format(arena, "%.*s:*", HV_STR_ARG(part_rule_text(words, 2, arena)));
    if (is_trial(act) || runs_what_it_is_given(act))
        return (struct hv_str){0};
    if (!interprets)
        return is_of_project(call, words) && hv_str_find_byte(words->value, '/', 0) != SIZE_MAX
                   ? hv_arena_join(arena, words->value, HV_STR(":*"))
                   : (struct hv_str){0};
    if (!script || !is_of_project(call, words + 1) || !is_plain(words->value))
        return (struct hv_str){0};
    size_t slash = hv_str_rfind_byte(script->value, '/');
    struct hv_str covered = slash == SIZE_MAX ? script->value : hv_str_slice(script->value, 0, slash + 1);
    return hv_arena_format(arena, "%.*s %.*s%s", HV_STR_ARG(words->value), HV_STR_ARG(covered),
                           slash == SIZE_MAX ? ":*" : "*");
}

bool policy_rule_takes_any_code(struct hv_str rule)
{
    static const char *const ends[] = {" -c:*)", " -e:*)", " -p:*)", " -:*)"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (hv_str_ends(rule, hv_str_from(ends[i])))
            return true;
    return false;
}

/* taken: a rule that takes the words, but not the variables in front; or NULL. */
static struct hv_str propose_words(const struct match_call *call, const struct policy_part *part,
                                   const struct rule *taken, struct hv_arena *arena)
{
    const struct shell_act *act = part->act;
    struct hv_str front;
    if (!act->word_count || part->danger != SHELL_DANGER_NONE || !propose_assignments(act->command, arena, &front))
        return (struct hv_str){0};
    size_t words = runs_what_it_is_given(act) ? 0 : prefix_words(act, arena);
    struct hv_str text = words ? (struct hv_str){0} : propose_code(call, act, arena);
    if (!text.len && runs_what_it_is_given(act))
        return (struct hv_str){0};
    if (!words && !text.len && taken && front.len)
        text = taken->specifier;
    if (!text.len) {
        text = part_rule_text(act->words, words ? words : act->word_count, arena);
        if (!words && (memchr(text.ptr, '\0', text.len) || hv_str_find_byte(text, '*', 0) != SIZE_MAX))
            return (struct hv_str){0};
        text = hv_arena_join(arena, text, hv_str_from(words ? ":*" : ""));
    }
    return hv_arena_format(arena, "%s(%.*s%.*s)", call->facts->tool->name, HV_STR_ARG(front), HV_STR_ARG(text));
}

struct hv_str proposal_pattern(struct hv_str path, bool below, struct hv_arena *arena)
{
    char *out = hv_arena_alloc(arena, 2 * path.len + 1);
    size_t len = 0;
    for (size_t i = 0; i < path.len; i++) {
        if (memchr("*?[]\\", path.ptr[i], 5))
            out[len++] = '\\';
        out[len++] = path.ptr[i];
    }
    return hv_arena_join(arena, hv_str_of(out, len), hv_str_from(!below ? "" : len == 1 ? "**" : "/**"));
}

/* What may be changed in the workspace is one trust, whichever file it begins with. */
static struct hv_str propose_file(const struct match_call *call, const char *name, const struct policy_path *path,
                                  struct hv_arena *arena)
{
    const struct policy *policy = call->policy;
    struct hv_str place = path->written;
    bool below = path->kind == HV_FILE_DIRECTORY;
    for (size_t i = 0; i < policy->root_count && strcmp(name, "Edit") == 0 && policy_in_workspace(policy, path); i++)
        if (path_inside(path->written, policy->roots[i].written))
            place = policy->roots[i].written, below = true;
    return hv_arena_format(arena, "%s(/%.*s)", name, HV_STR_ARG(proposal_pattern(place, below, arena)));
}

/* ---- all parts --------------------------------------------------------------------------------------------------- */

struct offer {
    const struct match_call *call;
    struct hv_arena *arena;
    struct hv_str *texts;
    struct rule rules[PROPOSALS_MAX];
    size_t count;
};

/* False: it cannot be offered, or is already. */
static bool add_offer(struct offer *offer, struct hv_str text)
{
    const struct policy *policy = offer->call->policy;
    struct rule_bases bases = policy_rule_bases(policy);
    for (size_t i = 0; i < offer->count; i++)
        if (hv_str_eq(offer->texts[i], text))
            return false;
    if (!text.len || text.len > PROPOSAL_TEXT_MAX || !visible_as_is(text) || offer->count == PROPOSALS_MAX)
        return false;
    if (rule_parse(&bases, offer->arena, HV_ALLOW, text, policy->directory.written, &offer->rules[offer->count],
                   NULL) != HV_OK)
        return false;
    offer->texts[offer->count++] = text;
    return true;
}

/* "touch:*" says less than all files. */
static bool is_prefixed_edit(const struct shell_act *act, struct hv_arena *arena)
{
    bool redirects = true;
    for (size_t i = 0; i < act->write_count; i++)
        redirects &= act->writes[i].redirect;
    return !redirects && act->words[0].known && prefix_words(act, arena);
}

/* Rules are added until the part needs nothing; each must bring it further. */
static bool cover_part(struct offer *offer, const struct policy_part *part)
{
    for (size_t tries = 0; tries < PROPOSALS_MAX; tries++) {
        const struct rule *rule;
        const struct policy_path *path;
        struct hv_str text = {0};
        switch (part_needs(offer->call, part, offer->rules, offer->count, &rule, &path)) {
        case PART_NEEDS_NOTHING: return true;
        case PART_NEEDS_RULE: text = propose_words(offer->call, part, rule, offer->arena); break;
        case PART_NEEDS_READ: text = propose_file(offer->call, "Read", path, offer->arena); break;
        case PART_NEEDS_EDIT:
            text = !tries && is_prefixed_edit(part->act, offer->arena)
                       ? propose_words(offer->call, part, NULL, offer->arena)
                       : propose_file(offer->call, "Edit", path, offer->arena);
            break;
        case PART_NEEDS_ASKING: return false;
        }
        if (!add_offer(offer, text))
            return false; /* also where it does not do what it should */
    }
    return false;
}

/* Beside "Bash(npm test:*)" what trusts the same again, as far as there is room. */
static void add_same_trust(struct offer *offer)
{
    const char *tool = offer->call->facts->tool->name;
    size_t count = offer->count;
    for (size_t i = 0; i < count * (sizeof same_trust / sizeof *same_trust); i++) {
        struct hv_str rest = hv_str_from(same_trust[i / count]), trusted, head, text = offer->texts[i % count];
        struct hv_str bare = hv_str_slice(text, strlen(tool) + 1, hv_str_find_byte(text, ':', 0));
        hv_str_split(&rest, ';', &trusted);
        if (!hv_str_ends(text, HV_STR(":*)")) || !is_one_of_heads(bare, trusted))
            continue;
        for (struct hv_str *heads = &trusted; heads; heads = heads == &trusted ? &rest : NULL)
            while (heads->len && hv_str_split(heads, ',', &head))
                (void)add_offer(offer, hv_arena_format(offer->arena, "%s(%.*s:*)", tool, HV_STR_ARG(head)));
    }
}

size_t propose_for_command(const struct match_call *call, struct hv_arena *arena, struct hv_str out[PROPOSALS_MAX])
{
    const struct policy_command *command = call->facts->command;
    struct offer offer = {.call = call, .arena = arena, .texts = out};
    if (!call->parts || command->too_long)
        return 0;
    for (size_t i = 0; i < command->part_count; i++)
        if (!command->parts[i].same && !cover_part(&offer, &command->parts[i]))
            return 0;
    add_same_trust(&offer);
    return offer.count;
}
