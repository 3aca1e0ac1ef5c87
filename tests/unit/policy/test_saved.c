/* test_saved.c: several saved rules at once: those of all scopes together, commands remembered part by part, and what
 * none of them may ever let through. */
#include "world.h"

static struct policy_decision decide(const struct policy *policy, const char *command, struct hv_arena *arena)
{
    struct world_call call = {&world_bash, command};
    struct policy_facts facts;
    struct policy_decision decision;
    world_facts(policy, &call, arena, &facts);
    policy_decide(policy, &facts, arena, &decision);
    return decision;
}

static struct hv_str proposals_of(const struct policy_decision *decision, struct hv_arena *arena)
{
    struct hv_str text = HV_STR("");
    for (size_t i = 0; i < decision->proposal_count; i++)
        text = hv_arena_format(arena, "%.*s%s%.*s", HV_STR_ARG(text), i ? " " : "", HV_STR_ARG(decision->proposals[i]));
    return text;
}

/* A person answers "always" to a command: the policy with the rules that were offered. */
static struct policy *always(struct policy *before, const char *command)
{
    struct hv_arena arena = {0};
    struct policy_decision decision = decide(before, command, &arena);
    for (size_t i = 0; i < decision.proposal_count; i++) {
        struct policy *after = policy_with_rule(before, POLICY_LOCAL, HV_ALLOW, decision.proposals[i], NULL);
        assert_non_null(after);
        policy_unref(before);
        before = after;
    }
    hv_arena_release(&arena);
    return before;
}

static bool is_allowed(const struct policy *policy, const char *command)
{
    struct hv_arena arena = {0};
    bool allowed = decide(policy, command, &arena).verdict == HV_ALLOW;
    hv_arena_release(&arena);
    return allowed;
}

/* ---- rules of several scopes ------------------------------------------------------------------------------------- */

static const struct row {
    const char *rules, *command;
    enum hv_verdict verdict;
    const char *rule;      /* that decided; NULL: none */
    const char *proposals; /* of what is asked; NULL: "" */
} rows[] = {
    /* each part by a rule of another file */
    {"user: allow Bash(make:*) | project: allow Bash(npm test:*) | local: allow Bash(git add:*)",
     "make && npm test && git add .", HV_ALLOW, "Bash(make:*)"},
    {"user: allow Bash(make:*) | local: allow Bash(git add:*)", "git add . ; make all", HV_ALLOW, "Bash(git add:*)"},
    {"managed: allow Bash(make:*) | flag: allow Bash(npm test:*)", "make | npm test", HV_ALLOW, "Bash(make:*)"},
    {"claude: allow Bash(make *)", "make all && make", HV_ALLOW, "Bash(make *)"},
    /* only the rest is asked for */
    {"user: allow Bash(make:*) | project: allow Bash(npm test:*)", "make && npm test && git push", HV_ASK, NULL,
     "Bash(git push:*)"},
    {"local: allow Bash(make)", "make && ./run > log", HV_ASK, NULL, "Bash(./run:*) Edit(//ws/**)"},
    {"local: allow Bash(./run) | user: allow Edit(//ws/log)", "make && ./run > log", HV_ASK, NULL, "Bash(make:*)"},
    {"local: allow Bash(./run) | local: allow Bash(make)", "make && ./run > log", HV_ASK, NULL, "Edit(//ws/**)"},
    {"local: allow Bash(npm run build:*)", "npm run build && npm run deploy", HV_ASK, NULL, "Bash(npm run deploy:*)"},
    {"local: allow Bash(make)", "ls; make; pwd", HV_ALLOW, "Bash(make)"},
    {"local: allow Bash(make)", "for i in 1 2; do make; ./x $i; done", HV_ASK, NULL, "Bash(./x:*)"},
    {"local: allow Bash(make) | local: allow Bash(./x:*)", "if make; then ./x 1; else ./x 2; fi", HV_ALLOW,
     "Bash(make)"},
    {"local: allow Bash(make) | local: allow Bash(./x:*)", "(make; ./x 1) && { make; }", HV_ALLOW, "Bash(make)"},
    /* what a rule for words does not cover, although there is one */
    {"local: allow Bash(make:*)", "make > /etc/x", HV_ASK, NULL, "Edit(//etc/x)"},
    {"local: allow Bash(make:*)", "FOO=1 make", HV_ASK, NULL, "Bash(FOO=1 make:*)"},
    {"local: allow Bash(make:*)", "make $(./evil)", HV_ASK, NULL, "Bash(./evil:*)"},
    {"local: allow Bash(make:*)", "make; echo `./evil`", HV_ASK, NULL, "Bash(./evil:*)"},
    {"local: allow Bash(make:*)", "make | sh", HV_ASK},
    {"local: allow Bash(make:*)", "makefoo", HV_ASK, NULL, "Bash(makefoo)"},
    {"local: allow Bash(make:*)", "cd /other && make", HV_ASK},
    {"local: allow Bash(make)", "make install", HV_ASK, NULL, "Bash(make:*)"},
    {"local: allow Edit", "./x > a > b", HV_ASK, NULL, "Bash(./x:*)"},
    /* a rule for the whole text */
    {"local: allow Bash(make && ./x)", "make && ./x", HV_ALLOW, "Bash(make && ./x)"},
    {"local: allow Bash(make && ./x)", "make; ./x", HV_ASK, NULL, "Bash(make:*) Bash(./x:*)"},
    /* deny before ask before allow, in whatever file they stand */
    {"local: allow Bash(git push:*) | project: deny Bash(git push --force:*)", "git push --force", HV_DENY,
     "Bash(git push --force:*)"},
    {"local: allow Bash(git push:*) | project: deny Bash(git push --force:*)", "git push", HV_ALLOW,
     "Bash(git push:*)"},
    {"local: allow Bash(git push:*) | local: allow Bash(git add:*) | user: deny Bash(git push --force:*)",
     "git add . && git push --force", HV_DENY, "Bash(git push --force:*)"},
    {"local: allow Bash(make:*) | user: ask Bash(make install:*)", "make all && make install", HV_ASK,
     "Bash(make install:*)"},
    {"local: allow Bash(make:*) | user: ask Bash(make:*) | project: deny Bash(make:*)", "make", HV_DENY,
     "Bash(make:*)"},
    {"flag: allow Bash(make:*) | user: ask Bash(make:*)", "make", HV_ASK, "Bash(make:*)"},
    {"flag: allow Bash | managed: deny Bash(curl:*)", "make; x=1 curl a", HV_DENY, "Bash(curl:*)"},
    {"local: allow Bash(rm x.o) | user: deny Bash(rm:*)", "rm x.o", HV_DENY, "Bash(rm:*)"},
    {"local: allow Bash(cat:*) | user: deny Read(./secret/**)", "cat a && cat secret/b", HV_DENY, "Read(./secret/**)"},
    {"local: allow Bash(./x) | user: deny Edit(./log)", "./x > log", HV_DENY, "Edit(./log)"},
    {"local: allow Bash(./x) | local: allow Edit(./log) | user: ask Edit(./log)", "./x > log", HV_ASK, "Edit(./log)"},
    /* the same rule twice, and against itself */
    {"user: allow Bash(make) | local: allow Bash(make)", "make", HV_ALLOW, "Bash(make)"},
    {"local: allow Bash(make) | local: allow Bash(make)", "make && make", HV_ALLOW, "Bash(make)"},
    {"local: allow Bash(make) | user: deny Bash(make)", "make", HV_DENY, "Bash(make)"},
    {"user: deny Bash(make) | user: deny Bash(make) | local: allow Bash(make)", "ls && make", HV_DENY, "Bash(make)"},
};

static void rules_of_all_scopes_hold_together(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct hv_arena arena = {0};
        struct policy *policy = world_policy(row->rules, POLICY_DEFAULT, NULL, false);
        struct policy_decision decision = decide(policy, row->command, &arena);
        struct hv_str offered = proposals_of(&decision, &arena);
        bool same_rule = row->rule ? hv_str_is(decision.rule, row->rule) : !decision.rule.len;
        if (decision.verdict != row->verdict || !same_rule || !hv_str_is(offered, row->proposals ? row->proposals : ""))
            fail_msg("%s | %s: %d by %.*s (%.*s), offered %.*s", row->rules, row->command, (int)decision.verdict,
                     HV_STR_ARG(decision.rule), HV_STR_ARG(decision.reason), HV_STR_ARG(offered));
        policy_unref(policy);
        hv_arena_release(&arena);
    }
}

/* Not the order of files: a denial holds wherever it was written. */
static void the_order_of_rules_changes_nothing(void **state)
{
    static const char *const rules[] = {"local: allow Bash(make:*)", "user: ask Bash(make install:*)",
                                        "project: deny Bash(make clean:*)"};
    static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct hv_arena arena = {0};
        struct hv_str text =
            hv_arena_format(&arena, "%s | %s | %s", rules[orders[i][0]], rules[orders[i][1]], rules[orders[i][2]]);
        struct policy *policy = world_policy(hv_arena_cstr(&arena, text), POLICY_DEFAULT, NULL, false);
        assert_int_equal(decide(policy, "make", &arena).verdict, HV_ALLOW);
        assert_int_equal(decide(policy, "make; make install", &arena).verdict, HV_ASK);
        assert_int_equal(decide(policy, "make; make install; make clean", &arena).verdict, HV_DENY);
        policy_unref(policy);
        hv_arena_release(&arena);
    }
}

/* ---- remembered part by part ------------------------------------------------------------------------------------- */

static void what_was_approved_once_is_not_asked_again(void **state)
{
    static const char *const parts[] = {"make all", "npm test", "git add src/a.c", "./run --fast", "cargo build"};
    static const char *const joints[] = {" && ", "; ", " || ", " | ", "\n", " & "};
    enum { PARTS = sizeof parts / sizeof *parts };
    struct hv_arena arena = {0};
    (void)state;
    struct policy *policy = always(world_policy("", POLICY_DEFAULT, NULL, false),
                                   "make all && npm test && git add src/a.c && ./run --fast && cargo build");
    for (size_t a = 0; a < PARTS; a++) {
        assert_true(is_allowed(policy, parts[a]));
        for (size_t b = 0; b < PARTS; b++)
            for (size_t joint = 0; joint < sizeof joints / sizeof *joints; joint++) {
                struct hv_str both = hv_arena_format(&arena, "%s%s%s", parts[a], joints[joint], parts[b]);
                if (!is_allowed(policy, both.ptr))
                    fail_msg("%s", both.ptr);
                struct hv_str more = hv_arena_format(&arena, "%s%s./other", both.ptr, joints[joint]);
                struct policy_decision decision = decide(policy, more.ptr, &arena);
                assert_int_equal(decision.verdict, HV_ASK);
                assert_true(hv_str_is(proposals_of(&decision, &arena), "Bash(./other:*)"));
            }
    }
    assert_true(is_allowed(policy, "./run --slow"));
    assert_false(is_allowed(policy, "./runs"));
    policy_unref(policy);
    hv_arena_release(&arena);
}

static void the_same_part_twice_needs_one_rule(void **state)
{
    struct hv_arena arena = {0};
    (void)state;
    struct policy *policy = world_policy("", POLICY_DEFAULT, NULL, false);
    struct policy_decision decision = decide(policy, "make; ./x > a; make; ./x > a; make b", &arena);
    assert_true(hv_str_is(proposals_of(&decision, &arena), "Bash(make:*) Bash(./x:*) Edit(//ws/**)"));
    policy_unref(policy);
    hv_arena_release(&arena);
}

/* A part that nothing could allow: then nothing is offered for the others either, which alone would not help. */
static void nothing_is_offered_where_it_would_not_help(void **state)
{
    static const char *const commands[] = {"make; python3 -c x", "make && $x", "make; sh -c ./x; ./y", "make; sudo ls",
                                           "./a; ./b; ./c; ./d; ./e; ./f; ./g; ./h; ./i"};
    (void)state;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct hv_arena arena = {0};
        struct policy *policy = world_policy("local: allow Bash(make)", POLICY_DEFAULT, NULL, false);
        struct policy_decision decision = decide(policy, commands[i], &arena);
        if (decision.verdict != HV_ASK || decision.proposal_count)
            fail_msg("%s: %zu", commands[i], decision.proposal_count);
        policy_unref(policy);
        hv_arena_release(&arena);
    }
}

/* ---- never ------------------------------------------------------------------------------------------------------- */

/* Interpreters that are given code. */
static const char *const coded[] = {
    "python3 -c x",
    "python3 -Ic x",
    "python3.11 -c x",
    "pypy3 -c x",
    "ipython3 -c x",
    "perl -e x",
    "perl -E x",
    "perl -ne x f",
    "perl -wle x",
    "ruby -e x",
    "ruby -ne x",
    "node -e x",
    "node -p x",
    "node --eval x",
    "node --eval=x",
    "node --print x",
    "node -pe x",
    "nodejs -e x",
    "bun -e x",
    "bun --eval x",
    "deno eval x",
    "php -r x",
    "php --run x",
    "lua -e x",
    "luajit -e x",
    "julia -e x",
    "julia -E x",
    "julia --eval x",
    "elixir -e x",
    "elixir --eval x",
    "iex -e x",
    "erl -noshell -eval x",
    "R -e x",
    "Rscript -e x",
    "ghc -e x",
    "scala -e x",
    "groovy -e x",
    "clojure -e x",
    "clj -M -e x",
    "swift -e x",
    "racket -e x",
    "guile -c x",
    "sbcl --eval x",
    "ocaml -e x",
    "gdb -ex x a",
    "gdb --batch --eval-command=x -ex y",
    "vim -c x",
    "nvim --headless -c x",
    "emacs --batch --eval x",
    "pwsh -c x",
    "pwsh -Command x",
    "crystal eval x",
    "mix eval x",
    "sh -c x",
    "bash -c ./x",
    "bash -lc ./x",
    "zsh -c x",
    "dash -c ./x",
    "fish -c x",
    "busybox sh -c x",
    "env python3 -c x",
    "xargs python3 -c x",
    "yarn node -e x",
    "npx node -e x",
    "uv run python -c x",
    "poetry run python -c x",
    "docker run i python -c x",
    "docker exec i sh -c x",
    "kubectl exec p -- sh -c x",
    "conda run python3 -c x",
    "nix run n -- python3 -c x",
    "osascript -e x",
    "expect -c x",
    "awk 'BEGIN{system(x)}'",
    "tclsh x",
    "eval x",
    "find . -exec ./x {} +",
};

/* Programs that are handed another one to run. */
static const char *const smuggling[] = {
    "git push --receive-pack=./x o",
    "git push --rece=./x o",
    "git fetch --upload-pack ./x o",
    "git clone -u ./x a",
    "git clone --config core.sshCommand=./x a",
    "git grep -O./x a",
    "git grep -nO./x a",
    "git grep --open-files-in-pager=./x a",
    "git difftool -x ./x",
    "git archive --exec=./x HEAD",
    "git rebase -x ./x",
    "go test -exec ./x ./...",
    "go test -exec=./x",
    "go build -toolexec ./x",
    "go vet -vettool=./x",
    "cargo build --config build.rustc-wrapper=./x",
    "cmake -E env ./x",
    "cmake -B b -P x.cmake",
    "cmake --build b -P x",
    "make test SHELL=./x",
    "make test --eval=x",
    "make test -E x",
    "make all .SHELLFLAGS=x",
    "ctest -S x",
    "ctest --build-and-test a b",
    "gcc -wrapper ./x a.c",
    "gcc -fplugin=./x.so a.c",
    "clang -fplugin=./x.so a.c",
    "gcc -specs=./x a.c",
    "pandoc --filter ./x a",
    "pandoc --lua-filter=x a",
    "pdflatex -shell-escape a",
    "latexmk -e x",
    "npm install --script-shell=./x",
    "npm test --script-shell ./x",
    "npm init x",
    "npm exec x",
    "npx x",
    "yarn node x.js",
    "uv tool run x",
    "docker run i x",
    "kubectl exec p -- x",
    "mvn exec:exec",
    "mvn exec:java",
    "stack runghc x",
    "cabal run x",
    "rails runner x",
    "dotnet fsi x",
    "gh alias set a !x",
    "gh api -X DELETE repos/a",
    "ansible all -m shell -a x",
    "/usr/bin/make test SHELL=./x",
    "npx -c x eslint",
    "npx -p x eslint .",
    "npx --node-options=x eslint .",
    "python3 -m pdb x",
    "python3 -m timeit x",
    "python3 -m pip install x",
    "uv run --with x pytest",
    "uv run x",
    "bash x",
    "bash scripts/../x",
    "./scripts/../x",
    "make -C /other",
    "make -f ../x.mk test",
    "make --directory=/other test",
    "ninja -C../b",
    "bash -i scripts/check.sh",
    "bash --rcfile x scripts/check.sh",
    "ghc -F -pgmF ./x a.hs",
};

/* What people let run always. */
static const char *const harmless[] = {
    "make test",
    "make all && make check",
    "npm test",
    "npm run build",
    "npm install",
    "yarn build",
    "yarn add x",
    "pnpm run lint",
    "cargo build",
    "cargo test",
    "go test ./...",
    "go build ./...",
    "go vet ./...",
    "cmake -B b",
    "cmake --build b",
    "ctest -j2",
    "meson setup b",
    "ninja -C b",
    "gcc -O2 a.c",
    "clang a.c",
    "ghc a.hs",
    "pytest -q",
    "tsc -p .",
    "eslint .",
    "pandoc a.md -o a.html",
    "pdflatex a",
    "latexmk a",
    "git add .",
    "git commit -m x",
    "git push",
    "git fetch",
    "git clone https://example.org/a",
    "git grep a",
    "git rebase main",
    "git archive HEAD -o a.tar",
    "docker compose up -d",
    "docker buildx build .",
    "kubectl apply -f a",
    "mvn test",
    "gradle build",
    "dotnet build",
    "stack build",
    "cabal build",
    "rails test",
    "mix test",
    "uv pip list > l",
    "gh pr create",
    "terraform plan",
    "bundle install",
    "composer install",
    "poetry install",
    "ruff check .",
    "python3 tool.py",
    "python3 -m pytest -q",
    "npx eslint .",
    "uv run pytest",
    "/usr/bin/make test",
    "bash scripts/check.sh",
    "node x.js",
    "bash_x --c",
    "perl x.pl",
    "./run",
};
enum { HARMLESS = sizeof harmless / sizeof *harmless };

static void an_interpreter_with_code_is_never_offered(void **state)
{
    struct policy *policy = world_policy("", POLICY_DEFAULT, NULL, false);
    (void)state;
    for (size_t i = 0; i < sizeof coded / sizeof *coded; i++) {
        struct hv_arena arena = {0};
        static const char *const forms[] = {"%s", "make && %s", "(%s)", "timeout 5 %s", "%s > log", "! %s"};
        for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
            size_t hole = (size_t)(strstr(forms[form], "%s") - forms[form]);
            struct hv_str command =
                hv_arena_format(&arena, "%.*s%s%s", (int)hole, forms[form], coded[i], forms[form] + hole + 2);
            struct policy_decision decision = decide(policy, command.ptr, &arena);
            if (decision.verdict != HV_ASK || decision.proposal_count)
                fail_msg("%s: %d, %.*s", command.ptr, (int)decision.verdict,
                         HV_STR_ARG(proposals_of(&decision, &arena)));
        }
        hv_arena_release(&arena);
    }
    policy_unref(policy);
}

static void no_rule_that_was_offered_lets_code_through(void **state)
{
    struct policy *policy = world_policy("", POLICY_DEFAULT, NULL, false);
    (void)state;
    for (size_t i = 0; i < HARMLESS; i++) {
        policy = always(policy, harmless[i]);
        if (!is_allowed(policy, harmless[i]))
            fail_msg("%s is not allowed by what was offered", harmless[i]);
    }
    for (size_t i = 0; i < sizeof coded / sizeof *coded; i++)
        if (is_allowed(policy, coded[i]))
            fail_msg("%s", coded[i]);
    for (size_t i = 0; i < sizeof smuggling / sizeof *smuggling; i++)
        if (is_allowed(policy, smuggling[i]))
            fail_msg("%s", smuggling[i]);
    policy_unref(policy);
}

/* Whoever writes such a rule means it. */
static void a_rule_that_names_the_option_is_obeyed(void **state)
{
    static const char *const pairs[][2] = {
        {"allow Bash(go test -exec qemu:*)", "go test -exec qemu ./..."},
        {"allow Bash(cmake -E:*)", "cmake -E copy a b"},
        {"allow Bash(rsync -e ssh *)", "rsync -e ssh a b"},
        {"allow Bash(python3 -c *)", "python3 -c x"},
        {"allow Bash(git archive --exec=x HEAD)", "git archive --exec=x HEAD"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct policy *policy = world_policy(pairs[i][0], POLICY_DEFAULT, NULL, false);
        if (!is_allowed(policy, pairs[i][1]))
            fail_msg("%s: %s", pairs[i][0], pairs[i][1]);
        policy_unref(policy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_all_scopes_hold_together),
        cmocka_unit_test(the_order_of_rules_changes_nothing),
        cmocka_unit_test(what_was_approved_once_is_not_asked_again),
        cmocka_unit_test(the_same_part_twice_needs_one_rule),
        cmocka_unit_test(nothing_is_offered_where_it_would_not_help),
        cmocka_unit_test(an_interpreter_with_code_is_never_offered),
        cmocka_unit_test(no_rule_that_was_offered_lets_code_through),
        cmocka_unit_test(a_rule_that_names_the_option_is_obeyed),
    };
    return cmocka_run_group_tests_name("policy_saved", tests, NULL, NULL);
}
