/*
 * programs_dev_cloud.c: clients of services: gh, glab, aws, gcloud, az, terraform, databases, platforms. Nearly all
 * they do reaches the network, and what is asked there can carry anything out: only what the machine itself knows
 * (versions, settings) only reads. Words that print a secret (gh auth token) are left out, so that they are asked.
 * terraform 1.x, aws 2, gh 2.x.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#include <string.h>

/* A client that reaches the network but for its version. */
#define CLIENT(names)                                                                                                  \
    {                                                                                                                  \
        names, .judge = shell_judge_client                                                                             \
    }

static const struct shell_program gh_rows[] = {
    PLAIN("version"),
    PLAIN("help"),
    SHOWS("completion", VALUES("-s --shell")),
    GROUP("config", SHOWS("get list ls", VALUES("-h --host")), WRITERS("set clear-cache")),
    GROUP("alias", PLAIN("list ls"), WRITERS("set delete import")),
    GROUP("extension ext extensions", PLAIN("list ls"), REACHERS("search browse"), RUNNERS("install upgrade exec"),
          WRITERS("create remove")),
    GROUP("auth", REACHERS("login logout refresh switch status"), WRITERS("setup-git")),
    REACHERS("pr issue run repo release workflow label"),
    RUNNERS("browse codespace cs copilot"),
    REACHERS("api search gist project org ruleset secret variable ssh-key gpg-key cache attestation status preview"
             " agent-task"),
    {0},
};

/* gh pr create --help. No alias and no extension has the name of one of these; an option before it might take it. */
static bool gh_only_helps(const struct shell_word *words, size_t count)
{
    static const char core[] =
        "pr issue run repo release workflow label search secret variable gist cache auth project";
    return count == 4 && words[1].known && words[2].known && words[3].known && words[2].value.len &&
           shell_names_have(core, words[1].value) && *words[2].value.ptr != '-' && hv_str_is(words[3].value, "--help");
}

static const struct shell_program gh_row = {"gh", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = gh_rows,
                                            .options = OPTIONS(HELPS("--version --help -h"), VALUES("-R --repo"))};

static void judge_gh(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!gh_only_helps(words, count))
        shell_judge_row(reading, &gh_row, words, count);
}

static const struct shell_option aws_options[] = {VALUES("--profile"), {0}};

/* `aws configure get aws_secret_access_key` prints a secret. */
static void check_aws_get(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    bool plain = arguments->operand_count == 1 && arguments->operands[0]->known &&
                 shell_names_have("region output cli_pager sso_region", arguments->operands[0]->value);
    if (!plain)
        shell_worsen(reading, SHELL_UNKNOWN, "aws configure get may print a secret");
}

static const struct shell_program aws_configure_rows[] = {
    SHOWS("list-profiles", VALUES("--profile")),
    /* It looks where the keys come from: a program of the settings, or the service of the machine. */
    REACHERS("list"),
    {"get", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = aws_options, .rest = SHELL_EFFECT_NONE,
     .check = check_aws_get},
    REACHERS("sso sso-session"),
    WRITERS("set import add-model"),
    {0},
};

static void judge_aws(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program configure = {"configure", SHELL_SYNTAX_EXACT, SHELL_WRITES,
                                                   .subcommands = aws_configure_rows, .options = aws_options};
    if (count == 2 && words[1].known && shell_names_have("--version help", words[1].value))
        return;
    if (count > 1 && words[1].known && hv_str_is(words[1].value, "configure"))
        shell_judge_row(reading, &configure, words + 1, count - 1);
    else
        shell_worsen(reading, SHELL_NETWORK, "aws reaches the network");
}

static const struct shell_option gcloud_options[] = {
    VALUES("--format --verbosity --filter --limit"), FLAGS("-q --quiet --all"), {0}};
static const struct shell_program gcloud_rows[] = {
    SHOWS_MORE("version", gcloud_options, FLAGS("--no-user-output-enabled")),
    GROUP("config", SHOWS_MORE("list get get-value", gcloud_options, VALUES("--configuration")),
          GROUP("configurations", SHOWS_MORE("list describe", gcloud_options, VALUES("--configuration")),
                WRITERS("activate create delete rename")),
          WRITERS("set unset")),
    GROUP("auth", SHOWS_MORE("list", gcloud_options, VALUES("--filter-account")), REACHERS("login revoke"),
          WRITERS("configure-docker activate-service-account")),
    REACHERS("compute container projects run functions builds logging sql storage iam services app artifacts pubsub"
             " secrets dns deploy dataproc bigtable spanner redis composer ai ml monitoring beta alpha info components"
             " organizations billing kms firestore firebase scheduler tasks workflows eventarc api-gateway topic init"),
    {0},
};

static const struct shell_program az_rows[] = {
    SHOWS("version", VALUES("-o --output --query")),
    GROUP("account", SHOWS("show list", FLAGS("--all"), VALUES("-o --output --query")),
          REACHERS("set clear list-locations management-group")),
    GROUP("config", SHOWS("get", VALUES("-o --output --query")), WRITERS("set unset")),
    GROUP("cloud", SHOWS("show list", VALUES("-o --output --query")), WRITERS("set register")),
    REACHERS("login logout group vm aks acr storage network webapp functionapp keyvault sql cosmosdb resource role ad"
             " deployment monitor identity container containerapp pipelines repos devops boards upgrade extension rest"
             " disk snapshot image appservice servicebus eventhubs policy provider tag lock graph"),
    {0},
};

/* ---- terraform ------------------------------------------------------------------------------------------- */

static void check_terraform_format(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++)
        shell_apply(reading, SHELL_EFFECT_READ_TREE, arguments->operands[at], HV_STR("fmt"));
    if (!arguments->operand_count)
        shell_reads_directory(reading, true);
    const struct shell_given *write = shell_given(arguments, "-write");
    bool off = write && write->has_argument && write->argument.known && hv_str_is(write->argument.value, "false");
    bool late = false; /* behind the first file "-check" is another file */
    for (size_t at = arguments->first + 1; at < arguments->count; at++)
        late |= shell_may_be_option(&arguments->words[at]);
    if (late || (!off && (write || !shell_given(arguments, "-check"))))
        shell_worsen(reading, SHELL_WRITES, "terraform fmt changes files");
}

static const struct shell_program terraform_rows[] = {
    {"version", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-json"))},
    {"fmt", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-check -diff -recursive -no-color"), MAYBE("-list -write")), .rest = SHELL_EFFECT_NONE,
     .check = check_terraform_format},
    GROUP("workspace", PLAIN("show"), REACHERS("list select new delete")),
    REACHERS("init get login logout state output providers force-unlock refresh"),
    RUNNERS("plan apply destroy import validate show graph console test taint untaint metadata modules"),
    {0},
};

/* ---- databases ------------------------------------------------------------------------------------------- */

/* Text has part, whatever the case of its letters. */
static bool has_nocase(struct hv_str text, const char *part)
{
    size_t len = strlen(part);
    for (size_t at = 0; at + len <= text.len; at++)
        if (hv_str_eq_nocase(hv_str_slice(text, at, at + len), hv_str_of(part, len)))
            return true;
    return false;
}

static bool starts_nocase(struct hv_str text, const char *beginning)
{
    return hv_str_eq_nocase(hv_str_slice(text, 0, strlen(beginning)), hv_str_from(beginning));
}

/* The function edit() runs an editor; "edited" and "credits" are only names. */
static bool calls_edit(struct hv_str text)
{
    for (size_t at = 0; at + 4 <= text.len; at++) {
        size_t next = at + 4;
        if (!hv_str_eq_nocase(hv_str_slice(text, at, next), HV_STR("edit")))
            continue;
        while (next < text.len && (unsigned char)text.ptr[next] <= ' ')
            next++;
        if (next < text.len && strchr("(\"`]'", text.ptr[next]))
            return true;
    }
    return false;
}

/* One statement or dot command of sqlite3 that only reads, when the file is opened with -readonly. */
static bool sqlite_only_reads(struct hv_str text)
{
    static const char *const dots[] = {".tables",  ".schema",     ".databases", ".indexes",
                                       ".indices", ".fullschema", ".dbinfo"};
    static const char *const harmful[] = {"load_extension",
                                          "writefile",
                                          "readfile",
                                          "fts3_tokenizer",
                                          "attach",
                                          "vacuum",
                                          "zipfile",
                                          "fsdir",
                                          "sqlar",
                                          "\n.",
                                          "\r",
                                          "--",
                                          "/*",
                                          "main.pragma",
                                          "writable_schema"};
    text = hv_str_trim(text);
    for (size_t at = 0; at < sizeof dots / sizeof *dots; at++) {
        struct hv_str dot = hv_str_from(dots[at]), rest = hv_str_slice(text, dot.len, text.len);
        if (hv_str_starts(text, dot) && (!rest.len || rest.ptr[0] == ' ') && !memchr(rest.ptr, '\n', rest.len) &&
            !memchr(rest.ptr, '|', rest.len))
            return true;
    }
    for (size_t at = 0; at < sizeof harmful / sizeof *harmful; at++)
        if (has_nocase(text, harmful[at]))
            return false;
    if (calls_edit(text))
        return false;
    size_t end = hv_str_find_byte(text, ';', 0);
    if (end != SIZE_MAX && end + 1 != text.len)
        return false;
    return starts_nocase(text, "select ") || starts_nocase(text, "explain query plan select ") ||
           starts_nocase(text, "pragma table_info(") || starts_nocase(text, "pragma index_list(") ||
           starts_nocase(text, "pragma foreign_key_list(");
}

static bool selects(const struct shell_arguments *arguments)
{
    for (size_t at = 1; at < arguments->operand_count; at++)
        if (has_nocase(arguments->operands[at]->value, "select") || has_nocase(arguments->operands[at]->value, "full"))
            return true;
    return false;
}

/* What is selected from may be a view that the file itself defines, and which calls edit(): not with -safe. */
static void check_views(struct shell_reading *reading, const struct shell_word *file)
{
    bool plain = file->known && file->value.len && file->value.ptr[0] != '/' &&
                 hv_str_find(file->value, HV_STR(".."), 0) == SIZE_MAX;
    for (size_t at = 0; at < file->value.len; at++)
        plain &= file->value.ptr[at] != ' ' && file->value.ptr[at] != ':';
    if (plain)
        shell_needs_none(reading, hv_arena_format(reading->arena, "%.*s:edit %.*s-wal", HV_STR_ARG(file->value),
                                                  HV_STR_ARG(file->value))
                                      .ptr);
    else
        shell_worsen(reading, SHELL_EXECUTES, "a view of the database may run a program; with -safe it does not");
}

static void check_sqlite(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    bool reads = shell_given(arguments, "-readonly") && arguments->operand_count > 1 && !arguments->scattered;
    for (size_t at = 1; reads && at < arguments->operand_count; at++)
        reads = arguments->operands[at]->known && sqlite_only_reads(arguments->operands[at]->value);
    if (arguments->operand_count)
        shell_reads(reading, arguments->operands[0], false);
    if (!reads && !shell_given(arguments, "-readonly"))
        shell_worsen(reading, SHELL_EXECUTES,
                     "sqlite3 may change the database and run programs; with -readonly a plain SELECT does not");
    else if (!reads)
        shell_worsen(reading, SHELL_EXECUTES, "sqlite3 may run programs, or write other files, by what it is given");
    else if (!shell_given(arguments, "-safe") && selects(arguments))
        check_views(reading, arguments->operands[0]);
}

static const struct shell_program pg_restore_row = {"pg_restore",
                                                    SHELL_SYNTAX_EXACT,
                                                    SHELL_READ_ONLY,
                                                    .options = OPTIONS(FLAGS("-l --list"), VALUES("-F --format")),
                                                    .rest = SHELL_EFFECT_READ_TREE,
                                                    .reads_input = true,
                                                    .needs = "-l --list"};

/* -l prints the table of contents of a file; without it, or with the name of a database, it restores. */
static void judge_pg_restore(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool lists = false;
    for (size_t at = 1; at < count; at++)
        lists |= words[at].known && shell_names_have("-l --list", words[at].value);
    if (lists)
        shell_judge_row(reading, &pg_restore_row, words, count);
    else
        shell_judge_client(reading, words, count);
}

/* `terraform -help plan`, `terraform state list -help`: names of commands, and one word that asks for help. */
static bool asks_for_help(const struct shell_word *words, size_t count)
{
    size_t asked = 0;
    for (size_t at = 1; at < count; at++) {
        bool asks = words[at].known && shell_names_have("-help --help -h", words[at].value);
        asked += asks;
        if (!asks && (!words[at].known || !shell_is_identifier(words[at].value)))
            return false;
    }
    return asked == 1;
}

static const struct shell_program terraform_row = {
    "terraform", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
    .options = OPTIONS(HELPS("-v -version --version -help --help -h"), TREES("-chdir")), .subcommands = terraform_rows};

/* Whatever it is asked, terraform asks its maker, too, whether there is a newer one: not with the environment that
 * commands run with. tofu does not. */
static void judge_terraform(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!asks_for_help(words, count))
        shell_judge_row(reading, &terraform_row, words, count);
    if (hv_str_is(shell_plain_tool(words[0].value), "tofu"))
        return;
    reading->act.terraform = reading->act.class == SHELL_READ_ONLY;
    if (!reading->world->git_is_quiet)
        shell_worsen(reading, SHELL_NETWORK, "terraform asks its maker whether there is a newer one");
}

const struct shell_program shell_programs_dev_cloud[] = {
    {"gh", .judge = judge_gh},
    {"glab", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         PLAIN("version help"), GROUP("alias", PLAIN("list"), WRITERS("set delete")),
         REACHERS("mr issue repo release ci pipeline job api auth user label snippet variable schedule incident cluster"
                  " duo changelog check-update ssh-key deploy-key token iteration securefile stack")),
     .options = OPTIONS(HELPS("-v --version --help -h"), VALUES("-R --repo"))},
    {"aws", .judge = judge_aws},
    {"gcloud", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = gcloud_rows, .more_options = gcloud_options,
     .options = OPTIONS(HELPS("-v --version -h --help"), VALUES("--project --account --configuration"))},
    /* With its version it tells whether there is a newer one, for which it asks; az version does not. */
    {"az", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = az_rows,
     .options = OPTIONS(HELPS("-h --help"), REACHES("-v --version"))},
    {"terraform tofu", .judge = judge_terraform},
    {"sqlite3", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(
         HELPS("-version --version -help --help"),
         FLAGS("-readonly -json -csv -header -noheader -column -line -list -box -table -markdown -html -ascii -tabs"
               " -quote -bail -batch -safe"),
         VALUES("-separator -newline -nullvalue")),
     .rest = SHELL_EFFECT_NONE, .check = check_sqlite},
    /* The settings of the project name a program (cowpath) that is started even to tell the version. */
    {"ansible ansible-playbook ansible-galaxy ansible-vault ansible-inventory ansible-doc ansible-config",
     .judge = shell_judge_client, .needs_none = "ansible.cfg"},
    /* It asks the plugins that lie in the directory what they are. */
    {"packer", .judge = shell_judge_project},
    CLIENT("hub heroku vercel netlify fly flyctl doctl linode-cli hcloud railway supabase firebase wrangler ngrok"
           " cloudflared pulumi cdk sam eb ecs-cli eksctl kops gsutil bq s3cmd rclone mc azcopy"
           " cf ibmcloud oci aliyun scw okteto render surge stripe twilio sentry-cli circleci travis act jira"),
    CLIENT("psql pg_dump pg_dumpall createdb dropdb mysql mysqldump mysqladmin mariadb mariadb-dump redis-cli"
           " mongosh mongo mongodump mongorestore cqlsh influx clickhouse-client sqlcmd sqlplus duckdb etcdctl consul"
           " vault nomad kafka-topics kafka-console-consumer rabbitmqctl nats"),
    {"pg_restore", .judge = judge_pg_restore},
    CLIENT("terragrunt tflint salt puppet"
           " chef knife fab capistrano"),
    {0},
};
