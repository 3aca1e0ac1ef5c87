/* test_proposal.c: the rule offered for a call allows that call, and no other. */
#include "world.h"

static const struct row {
    struct world_call call;
    const char *proposal; /* NULL: none is offered */
    const char *directory;
} rows[] = {
    {{&world_edit, "/ws/src/a.c"}, "Edit(//ws/src/a.c)"},
    {{&world_edit, "/ws/src/a.cc"}, "Edit(//ws/src/a.cc)"},
    {{&world_write, "/ws/b.c"}, "Edit(//ws/b.c)"},
    {{&world_edit, "/ws/src/*.c"}, "Edit(//ws/src/\\*.c)"},
    {{&world_edit, "/ws/src/[a].c"}, "Edit(//ws/src/\\[a\\].c)"},
    {{&world_edit, "/ws/src/a?c"}, "Edit(//ws/src/a\\?c)"},
    {{&world_edit, "/ws/src/a\\c"}, "Edit(//ws/src/a\\\\c)"},
    {{&world_edit, "/ws/src/(x)"}, "Edit(//ws/src/(x))"},
    {{&world_edit, "/ws/!x"}, "Edit(//ws/!x)"},
    {{&world_edit, "/ws/#x"}, "Edit(//ws/#x)"},
    {{&world_edit, "/ws/caf\xc3\xa9"}, "Edit(//ws/caf\xc3\xa9)"},
    {{&world_edit, "/ws/a b/c"}, "Edit(//ws/a b/c)"},
    {{&world_edit, "/ws/x "}, NULL}, /* a blank at the end would be trimmed */
    {{&world_edit, "/ws/x\n"}, NULL},
    {{&world_edit, "/ws/x\x1b[2J"}, NULL},
    {{&world_edit, "/ws/x\xe2\x80\xae"}, NULL}, /* turns what follows around */
    {{&world_edit, "/ws/x\xff"}, NULL},
    {{&world_edit, "/ws/out/a.c"}, NULL}, /* no one rule takes a link and its target */
    {{&world_edit, "/ws/loop/a.c"}, NULL},
    {{&world_edit, NULL}, NULL},
    {{&world_edit, "/ws/src/a.c", .unlisted = true}, NULL},
    {{&world_edit, "/home/me/ws/src/z.c"}, "Edit(./src/z.c)", "/home/me/ws"},
    {{&world_read, "/etc/hosts"}, "Read(//etc/hosts)"},
    {{&world_read, "/etc/app"}, "Read(//etc/app/**)"},
    {{&world_grep, "/other"}, "Read(//other/**)"},
    {{&world_read, "/"}, "Read(//**)"},
    {{&world_bash, "make test"}, "Bash(make:*)"},
    {{&world_bash, " make check \n"}, "Bash(make:*)"},
    {{&world_bash, "make && ./run > log 2>&1"}, "Bash(make:*) Bash(./run:*) Edit(//ws/**)"},
    {{&world_bash, "echo (a)"}, NULL} /* no bash would run it */,
    {{&world_bash, "git commit -m 'a b'"},
     "Bash(git commit:*) Bash(git merge:*) Bash(git cherry-pick:*) Bash(git revert:*) Bash(git add:*) Bash(git tag:*)"},
    {{&world_bash, "git add a"}, "Bash(git add:*)"}, /* says nothing of commits */
    {{&world_bash, "npm ci"}, "Bash(npm ci:*)"},
    {{&world_bash, "git -C x commit"}, "Bash(git -C x commit)"},
    {{&world_bash, "npm run build -- --x"},
     "Bash(npm run build:*) Bash(npm test:*) Bash(npm run test:*) Bash(npm run lint:*)"},
    {{&world_bash, "npm test"}, "Bash(npm test:*) Bash(npm run test:*) Bash(npm run build:*) Bash(npm run lint:*)"},
    {{&world_bash, "cargo build --release"}, "Bash(cargo build:*) Bash(cargo check:*) Bash(cargo test:*)"},
    {{&world_bash, "docker compose up -d"}, "Bash(docker compose up:*)"},
    {{&world_bash, "pytest -q tests/x.py"}, "Bash(pytest:*) Bash(python3 -m pytest:*) Bash(python3 -m unittest:*)"},
    {{&world_bash, "timeout 60 pytest -q"}, "Bash(pytest:*) Bash(python3 -m pytest:*) Bash(python3 -m unittest:*)"},
    {{&world_bash, "cd src && cargo clippy 2>&1 | tail -5"}, "Bash(cargo clippy:*)"},
    {{&world_bash, "git add . && git push"}, "Bash(git add:*) Bash(git push:*)"},
    {{&world_bash, "rm x.o"}, "Edit(//ws/**)"},
    {{&world_bash, "curl -s example.org"}, "Bash(curl -s example.org)"},
    {{&world_bash, "python3 tool.py --x"}, "Bash(python3 tool.py:*)"},
    {{&world_bash, "python3 tests/a.py"}, "Bash(python3 tests/*)"},
    {{&world_bash, "python3 ../a.py"}, "Bash(python3 ../a.py)"},
    {{&world_bash, "python3 /other/a.py"}, "Bash(python3 /other/a.py)"},
    {{&world_bash, "python3 -u tests/a.py"}, "Bash(python3 -u tests/a.py)"},
    {{&world_bash, "node web/x.js && sh web/x.sh"}, "Bash(node web/*) Bash(sh web/*)"},
    {{&world_bash, "scripts/run.sh x"}, "Bash(scripts/run.sh:*)"},
    {{&world_bash, "scripts/run.sh --dry-run"}, "Bash(scripts/run.sh --dry-run)"}, /* says nothing of running it */
    {{&world_bash, "/opt/x/run.sh y"}, "Bash(/opt/x/run.sh y)"},
    {{&world_bash, "make -C /other"}, NULL}, /* not the code of the project */
    {{&world_bash, "mv a b && sed -i s/a/b/ c"}, "Edit(//ws/**)"},
    {{&world_bash, "touch a"}, "Bash(touch:*)"}, /* which is less */
    {{&world_bash, "npm run deploy"}, "Bash(npm run deploy:*)"},
    {{&world_bash, "rm /other/x.o"}, "Edit(//other/x.o)"},
    {{&world_bash, "cat /other/x"}, "Read(//other/x)"},
    {{&world_bash, "echo x > out.txt"}, "Edit(//ws/**)"},
    {{&world_bash, "npx cowsay"}, "Bash(npx cowsay)"},
    {{&world_bash, "npx eslint src"}, "Bash(npx eslint:*) Bash(npx prettier:*) Bash(npx tsc:*)"},
    {{&world_bash, "python3 -m pytest -q tests"},
     "Bash(python3 -m pytest:*) Bash(python3 -m unittest:*) Bash(pytest:*)"},
    {{&world_bash, ".venv/bin/python -m unittest a"}, "Bash(.venv/bin/python -m unittest:*)"},
    {{&world_bash, "PYTHONPATH=. python3 -m unittest a"}, "Bash(PYTHONPATH=. python3 -m unittest:*)"},
    {{&world_bash, "python3 -m http.server 80"}, "Bash(python3 -m http.server 80)"},
    {{&world_bash, "python3 -m timeit x"}, "Bash(python3 -m timeit x)"},
    {{&world_bash, "node_modules/.bin/eslint src"}, "Bash(node_modules/.bin/eslint:*)"},
    {{&world_bash, "/usr/bin/go run x"}, "Bash(/usr/bin/go run x)"},
    {{&world_bash, "uv run mypy src"}, "Bash(uv run mypy:*)"},
    {{&world_bash, "uv run tool.py"}, "Bash(uv run tool.py)"},
    {{&world_bash, "chmod +x run.sh"}, "Bash(chmod +x:*)"},
    {{&world_bash, "chmod 755 run.sh"}, "Edit(//ws/**)"},
    {{&world_bash, "bash scripts/check.sh --dry-run"}, "Bash(bash scripts/check.sh --dry-run)"},
    {{&world_bash, "sh -eux scripts/check.sh"}, "Bash(sh -eux scripts/check.sh)"},
    {{&world_bash, "bash -s < scripts/check.sh"}, NULL},
    {{&world_bash, "bash -O extglob scripts/check.sh"}, NULL},
    {{&world_bash, "bash $x"}, NULL},
    {{&world_bash, "docker run -it x sh"}, "Bash(docker run -it x sh)"},
    {{&world_bash, "make | sh"}, NULL},
    {{&world_bash, "make | xargs rm"}, NULL},
    {{&world_bash, "make; sudo ls"}, NULL},
    {{&world_bash, "node -e 'x'"}, NULL},
    {{&world_bash, "env FOO=1 ./x"}, NULL}, /* a variable that nobody knows */
    {{&world_bash, "PATH=. make"}, NULL},
    {{&world_bash, "FOO=1 npm test"}, "Bash(FOO=1 npm test:*)"},
    {{&world_bash, "cd src && FOO=1 CI=1 ./run.sh --x | tail"}, "Bash(FOO=1 CI=1 ./run.sh:*)"},
    {{&world_bash, "FOO=1 timeout 5 pytest -q"}, "Bash(FOO=1 pytest:*)"},
    {{&world_bash, "PYTHONPATH=. pytest"}, "Bash(PYTHONPATH=. pytest:*)"},
    {{&world_bash, "LD_PRELOAD=x pytest"}, NULL},    /* it says what runs, whatever the program */
    {{&world_bash, "API_TOKEN=abc npm test"}, NULL}, /* would stand in the settings */
    {{&world_bash, "seed='a b' make"}, NULL},
    {{&world_bash, "seed=* make"}, NULL},
    {{&world_bash, "seed=$x make"}, NULL},
    {{&world_bash, "FOO=1 python3 -c x"}, NULL},
    {{&world_bash, "make $x"}, "Bash(make:*)"},
    {{&world_bash, "$x"}, NULL},
    {{&world_bash, "make > $x"}, NULL},
    {{&world_bash, "cd /other && make"}, NULL}, /* outside the workspace a rule says nothing */
    {{&world_bash, "rm *.o"}, "Edit(//ws/**)"},
    {{&world_bash, "git diff:*"}, NULL},
    {{&world_bash, "*"}, NULL},
    {{&world_bash, "make\nmake install"}, "Bash(make:*)"},
    {{&world_bash, "make\tall"}, "Bash(make:*)"},
    {{&world_bash, "sh -c 'make'"}, "Bash(make:*)"}, /* runs text */
    {{&world_bash, "python3 -c 'print()'"}, NULL},
    {{&world_bash, "find . -exec rm {} +"}, NULL},
    {{&world_bash, "sudo make"}, NULL},
    {{&world_bash, "rm -rf /"}, NULL},
    {{&world_bash, "make\xc2\xa0test"}, NULL},
    {{&world_bash, NULL}, NULL},
    {{&world_fetch, "example.org"}, "WebFetch(domain:example.org)"},
    {{&world_fetch, "*.example.org"}, NULL},
    {{&world_fetch, NULL}, NULL},
    {{&world_agent, "explore"}, "Agent(explore)"},
    {{&world_agent, "a*"}, NULL},
    {{&world_todo, NULL}, "TodoWrite"},
    {{&world_todo, NULL, .own = HV_ASK}, "TodoWrite"},
    {{&world_mcp, NULL}, "mcp__github__get_issue"},
    {{&world_bash, "make demo", .hook = HV_ASK}, NULL}, /* a rule would change nothing */
    {{&world_bash, "make demo", .hook = HV_DENY}, NULL},
    {{&world_read, "/home/me/.ssh/id_rsa"}, NULL},
    {{&world_read, "/ws/src/a.c"}, NULL}, /* is allowed anyhow */
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static struct policy_decision decide(const struct policy *policy, const struct world_call *call, struct hv_arena *arena)
{
    struct policy_facts facts;
    struct policy_decision decision;
    world_facts(policy, call, arena, &facts);
    policy_decide(policy, &facts, arena, &decision);
    return decision;
}

/* All of them, with a blank between. */
static struct hv_str joined(const struct policy_decision *decision, struct hv_arena *arena)
{
    struct hv_str text = {0};
    for (size_t i = 0; i < decision->proposal_count; i++)
        text = hv_arena_format(arena, "%.*s%s%.*s", HV_STR_ARG(text), i ? " " : "", HV_STR_ARG(decision->proposals[i]));
    assert_true(hv_str_eq(decision->proposal, decision->proposal_count ? decision->proposals[0] : (struct hv_str){0}));
    return text;
}

/* The policy with all rules that it proposes for a call. */
static struct policy *with_proposals(struct policy *before, const struct world_call *call, struct hv_arena *arena)
{
    struct policy_decision decision = decide(before, call, arena);
    struct policy *after = policy_ref(before);
    for (size_t i = 0; i < decision.proposal_count; i++) {
        struct policy *grown = policy_with_rule(after, POLICY_SESSION, HV_ALLOW, decision.proposals[i], NULL);
        assert_non_null(grown);
        policy_unref(after);
        after = grown;
    }
    return after;
}

static void proposals_are_as_narrow_as_can_be(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct hv_arena arena = {0};
        struct policy *policy = world_policy("", POLICY_DEFAULT, rows[i].directory, false);
        struct policy_decision decision = decide(policy, &rows[i].call, &arena);
        struct hv_str proposal = joined(&decision, &arena);
        if (rows[i].proposal ? !hv_str_is(proposal, rows[i].proposal) : proposal.len > 0)
            fail_msg("%s(%s): %.*s", rows[i].call.tool->name, rows[i].call.subject ? rows[i].call.subject : "",
                     HV_STR_ARG(proposal));
        policy_unref(policy);
        hv_arena_release(&arena);
    }
}

/* Commands of one program may share a rule: their first words are the same. */
static bool begins_like(const char *a, const char *b)
{
    const char *end = strpbrk(a + strspn(a, " "), " \t\n");
    size_t length = end ? (size_t)(end - (a + strspn(a, " "))) : strlen(a);
    return strstr(b, "make") || strstr(b, "pytest") || strncmp(a + strspn(a, " "), b, length) == 0;
}

/* What lies in a directory that a rule was made for belongs to that rule; so does the same call once more. */
static bool may_be_covered(const struct row *by, const struct row *row)
{
    if (strstr(by->proposal, "Edit(//ws/**)") &&
        (row->call.tool == &world_edit || row->call.tool == &world_write ||
         (row->proposal &&
          (strstr(row->proposal, "Edit(//ws/") || strstr(row->proposal, "touch") || strstr(row->proposal, "chmod")))))
        return true; /* the files of the workspace, whatever changes them */
    if (by == row || strcmp(by->call.tool->name, row->call.tool->name) != 0)
        return by == row || row->call.tool == &world_bash || (by->call.subject && strcmp(by->call.subject, "/") == 0);
    if (!by->call.subject || !row->call.subject)
        return by->call.subject == row->call.subject;
    if (by->call.tool == &world_bash)
        return begins_like(by->call.subject, row->call.subject);
    size_t length = strlen(by->call.subject);
    return strncmp(by->call.subject, row->call.subject, length) == 0 &&
           (row->call.subject[length] == '/' || !row->call.subject[length] || length == 1);
}

static void a_proposal_that_is_taken_up_allows_its_call_and_no_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (!rows[i].proposal)
            continue;
        struct hv_arena arena = {0};
        struct policy *before = world_policy("", POLICY_DEFAULT, rows[i].directory, false);
        struct policy *after = with_proposals(before, &rows[i].call, &arena);
        struct policy_decision decision = decide(after, &rows[i].call, &arena);
        assert_int_equal(decision.verdict, HV_ALLOW);
        assert_true(decision.rule.len && strncmp(rows[i].proposal, decision.rule.ptr, decision.rule.len) == 0);
        for (size_t j = 0; j < ROW_COUNT; j++) {
            bool allowed = decide(before, &rows[j].call, &arena).verdict == HV_ALLOW;
            if (!allowed && decide(after, &rows[j].call, &arena).verdict == HV_ALLOW &&
                !may_be_covered(&rows[i], &rows[j]))
                fail_msg("%s allows %s(%s)", rows[i].proposal, rows[j].call.tool->name, rows[j].call.subject);
        }
        policy_unref(before);
        policy_unref(after);
        hv_arena_release(&arena);
    }
}

static void other_modes_offer_what_helps_there(void **state)
{
    static const struct world_call edit = {&world_edit, "/etc/app/x"}, make = {&world_bash, "make"};
    struct hv_arena arena = {0};
    (void)state;
    struct policy *policy = world_policy("", POLICY_PLAN, NULL, false);
    assert_int_equal(decide(policy, &edit, &arena).proposal.len, 0);
    policy_unref(policy);
    policy = world_policy("", POLICY_ACCEPT_EDITS, NULL, false);
    assert_true(hv_str_is(decide(policy, &edit, &arena).proposal, "Edit(//etc/app/x)"));
    policy_unref(policy);
    policy = world_policy("", POLICY_DONT_ASK, NULL, false);
    struct policy_decision decision = decide(policy, &make, &arena);
    assert_int_equal(decision.verdict, HV_DENY);
    assert_true(hv_str_find(decision.reason, HV_STR("Bash(make:*)"), 0) != SIZE_MAX);
    policy_unref(policy);
    hv_arena_release(&arena);
}

static void what_is_covered_already_is_not_proposed_again(void **state)
{
    static const struct policy_path paths[] = {
        {HV_STR("/ws/a.c"), HV_STR("/ws/a.c"), HV_FILE_REGULAR},
        {HV_STR("/ws/b.h"), HV_STR("/ws/b.h"), HV_FILE_REGULAR},
        {HV_STR("/other/c"), HV_STR("/other/c"), HV_FILE_REGULAR},
    };
    struct hv_arena arena = {0};
    struct policy_decision decision;
    struct policy *policy = world_policy("allow Edit(./*.c)", POLICY_DEFAULT, NULL, false);
    struct policy_facts facts = {.tool = &world_edit,
                                 .reads = paths,
                                 .read_count = 2,
                                 .writes = paths,
                                 .write_count = 2,
                                 .touches_listed_only = true,
                                 .interactive = true};
    (void)state;
    policy_decide(policy, &facts, &arena, &decision);
    assert_true(hv_str_is(decision.proposal, "Edit(//ws/b.h)"));
    facts.write_count = 3; /* two files lack a rule: one rule cannot name both */
    policy_decide(policy, &facts, &arena, &decision);
    assert_int_equal(decision.verdict, HV_ASK);
    assert_int_equal(decision.proposal.len, 0);
    policy_unref(policy);
    hv_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proposals_are_as_narrow_as_can_be),
        cmocka_unit_test(a_proposal_that_is_taken_up_allows_its_call_and_no_other),
        cmocka_unit_test(other_modes_offer_what_helps_there),
        cmocka_unit_test(what_is_covered_already_is_not_proposed_again),
    };
    return cmocka_run_group_tests_name("policy_proposal", tests, NULL, NULL);
}
