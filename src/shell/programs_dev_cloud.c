/*
 * programs_dev_cloud.c: clients of services: gh, glab, aws, gcloud, az, terraform, databases, platforms. Nearly all
 * they do reaches the network. Those that list and show what the person's own account holds only read, as long as no
 * word chooses another server (--endpoint-url), reads a file into the request (file://, @file) or opens a browser.
 * Words that print a secret (gh auth token) are left out, so that they are asked. terraform 1.x, aws 2, gh 2.x.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#include <string.h>

/* A client that reaches the network but for its version. */
#define CLIENT(names)                                                                                                  \
    {                                                                                                                  \
        names, .judge = shell_judge_client                                                                             \
    }

/* -w opens a browser; the host of -R is one that the person has logged in to. */
static const struct shell_option gh_options[] = {
    VALUES("-R --repo -L --limit -s --state -l --label -a --assignee -A --author -S --search --json -q --jq -B --base"
           " -H --head -t --template -m --milestone -b --branch -e --event -u --user -c --commit -O --order --sort"
           " --created --actor --mention"),
    FLAGS("--exclude-drafts --exclude-pre-releases"),
    HELPS("--help"),
    {0}};

static const struct shell_program gh_pr_rows[] = {
    SHOWS_MORE("list ls", gh_options, FLAGS("-d --draft"), VALUES("--app")),
    SHOWS_MORE("view", gh_options, FLAGS("-c --comments")),
    SHOWS_MORE("diff", gh_options, FLAGS("--patch --name-only"), VALUES("--color -e --exclude")),
    SHOWS_MORE("status", gh_options, FLAGS("-c --conflict-status")),
    SHOWS_MORE("checks", gh_options, FLAGS("--watch --required --fail-fast"), VALUES("-i --interval")),
    REACHERS("create new merge checkout co close reopen comment edit review ready lock unlock update-branch revert"),
    {0},
};
static const struct shell_program gh_issue_rows[] = {
    SHOWS_MORE("list ls", gh_options, VALUES("--app")),
    SHOWS_MORE("view", gh_options, FLAGS("-c --comments")),
    SHOWS_MORE("status", gh_options, VALUES("--app")),
    REACHERS("create new close reopen comment edit delete lock unlock pin unpin transfer develop"),
    {0},
};
static const struct shell_program gh_run_rows[] = {
    SHOWS_MORE("list ls", gh_options, FLAGS("--all"), VALUES("-w --workflow")),
    SHOWS_MORE("view", gh_options, FLAGS("--log --log-failed -v --verbose --exit-status"),
               VALUES("-j --job --attempt")),
    REACHERS("cancel delete rerun watch"),
    WRITERS("download"),
    {0},
};

static const struct shell_program gh_rows[] = {
    PLAIN("version"),
    PLAIN("help"),
    SHOWS("completion", VALUES("-s --shell")),
    GROUP("config", SHOWS("get list ls", VALUES("-h --host")), WRITERS("set clear-cache")),
    GROUP("alias", PLAIN("list ls"), WRITERS("set delete import")),
    GROUP("extension ext extensions", PLAIN("list ls"), REACHERS("search browse"), RUNNERS("install upgrade exec"),
          WRITERS("create remove")),
    GROUP("auth", SHOWS("status", FLAGS("-a --active"), VALUES("-h --hostname"), HELPS("--help")),
          REACHERS("login logout refresh switch"), WRITERS("setup-git")),
    {"pr", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = gh_pr_rows},
    {"issue", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = gh_issue_rows},
    {"run", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = gh_run_rows},
    GROUP("repo", SHOWS_MORE("view", gh_options, FLAGS("--no-archived")),
          SHOWS_MORE("list ls", gh_options, FLAGS("--archived --fork --source --no-archived"),
                     VALUES("--language --topic --visibility")),
          REACHERS("clone create new delete edit fork rename sync archive unarchive set-default deploy-key autolink"
                   " gitignore license")),
    GROUP("release", SHOWS_MORE("list ls view", gh_options, FLAGS("--exclude-drafts")),
          REACHERS("create new delete delete-asset edit upload verify verify-asset"), WRITERS("download")),
    GROUP("workflow", SHOWS_MORE("list ls", gh_options, FLAGS("--all")),
          SHOWS_MORE("view", gh_options, FLAGS("-y --yaml"), VALUES("-r --ref")), REACHERS("run enable disable")),
    GROUP("label", SHOWS_MORE("list ls", gh_options, FLAGS("--all")), REACHERS("create clone delete edit")),
    RUNNERS("browse codespace cs copilot"),
    REACHERS("api search gist project org ruleset secret variable ssh-key gpg-key cache attestation status preview"
             " agent-task"),
    {0},
};

/* OWNER/REPO is asked of the host that the person has logged in to; HOST/OWNER/REPO and addresses name another one,
 * which may be sent the token for it. */
static bool names_host(const struct shell_word *word)
{
    size_t slash = hv_str_find_byte(word->value, '/', 0);
    return !word->known || (slash != SIZE_MAX && hv_str_find_byte(word->value, '/', slash + 1) != SIZE_MAX);
}

static void judge_gh(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {HELPS("--version --help -h"), VALUES("-R --repo"), {0}};
    static const struct shell_program row = {"gh", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = gh_rows,
                                             .options = options};
    shell_judge_row(reading, &row, words, count);
    for (size_t at = 1; at < count; at++)
        if (names_host(&words[at]))
            shell_worsen(reading, SHELL_NETWORK, "gh may ask another host");
}

static const struct shell_program glab_rows[] = {
    PLAIN("version help"),
    GROUP("alias", PLAIN("list"), WRITERS("set delete")),
    REACHERS("mr issue repo release ci pipeline job api auth user label snippet variable schedule incident cluster"
             " duo changelog check-update ssh-key deploy-key token iteration securefile stack"),
    {0},
};

static const struct shell_option aws_options[] = {VALUES("--profile"), {0}};

/* `aws configure get aws_secret_access_key` prints a secret. */
static void judge_aws_get(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"get", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = aws_options,
                                             .rest = SHELL_EFFECT_NONE};
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments))
        return;
    bool plain = arguments.operand_count == 1 && arguments.operands[0]->known &&
                 shell_names_have("region output cli_pager sso_region", arguments.operands[0]->value);
    if (!plain)
        shell_worsen(reading, SHELL_UNKNOWN, "aws configure get may print a secret");
}

static const struct shell_program aws_configure_rows[] = {
    SHOWS("list list-profiles", VALUES("--profile")),
    {"get", .judge = judge_aws_get},
    REACHERS("sso sso-session"),
    WRITERS("set import add-model"),
    {0},
};

/* An option that sends the request elsewhere, reads it from a file, or looks less closely whom it talks to. The
 * client takes abbreviations, so what one of these begins with counts. */
static bool aws_option_is_harmful(struct hv_str option)
{
    static const char *const harmful[] = {"--endpoint-url", "--cli-input-json", "--cli-input-yaml", "--cli-auto-prompt",
                                          "--ca-bundle",    "--no-verify-ssl",  "--debug",          "--outfile"};
    struct hv_str name = hv_str_slice(option, 0, hv_str_find_byte(option, '=', 0));
    for (size_t at = 0; at < sizeof harmful / sizeof *harmful; at++)
        if (hv_str_starts(hv_str_from(harmful[at]), name))
            return true;
    return !hv_str_starts(name, HV_STR("--"));
}

/* `aws [options] SERVICE OPERATION …`: the place of SERVICE; count when there is none. */
static size_t aws_service(const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++) {
        if (shell_names_have("--profile --region --output --query --color", words[at].value))
            at++;
        else if (!shell_names_have("--no-cli-pager --no-paginate", words[at].value))
            return at;
    }
    return count;
}

/* It lists or describes what the account holds. */
static bool aws_only_asks(const struct shell_word *words, size_t count)
{
    size_t service = aws_service(words, count);
    if (service + 1 >= count)
        return false;
    for (size_t at = 1; at < count; at++) {
        struct hv_str value = words[at].value;
        if (!words[at].known || hv_str_find(value, HV_STR("://"), 0) != SIZE_MAX ||
            (value.len && *value.ptr == '-' && aws_option_is_harmful(value)))
            return false;
    }
    struct hv_str name = words[service].value, operation = words[service + 1].value;
    if (hv_str_is(name, "sts"))
        return hv_str_is(operation, "get-caller-identity");
    if (hv_str_is(name, "s3") && hv_str_is(operation, "ls")) {
        for (size_t at = service + 2; at < count; at++)
            if (hv_str_starts(words[at].value, HV_STR("-")) &&
                !shell_names_have("--recursive --human-readable --summarize --no-paginate --profile --region",
                                  words[at].value))
                return false;
        return true;
    }
    return hv_str_starts(operation, HV_STR("describe-")) || hv_str_starts(operation, HV_STR("list-"));
}

static void judge_aws(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program configure = {"configure", SHELL_SYNTAX_EXACT, SHELL_WRITES,
                                                   .subcommands = aws_configure_rows, .options = aws_options};
    if (count == 2 && words[1].known && shell_names_have("--version help", words[1].value))
        return;
    if (count > 1 && words[1].known && hv_str_is(words[1].value, "configure"))
        shell_judge_row(reading, &configure, words + 1, count - 1);
    else if (!aws_only_asks(words, count))
        shell_worsen(reading, SHELL_NETWORK, "aws reaches the network");
}

/*
 * gcloud and az are trees of groups with a verb at the end. A row of theirs with SHELL_SYNTAX_EXACT has the options
 * that say what is listed; the words are groups of `groups` up to one of `verbs`. A value with "@" at its beginning
 * (az) is the contents of a file.
 */
static bool only_asks(struct shell_reading *reading, const struct shell_program *row, const char *groups,
                      const char *verbs, const struct shell_word *words, size_t count)
{
    struct shell_reading tried = *reading; /* what it finds does not count when the words are others */
    struct shell_arguments arguments;
    size_t at = 0;
    for (size_t i = 1; i < count; i++)
        if (!words[i].known || hv_str_starts(words[i].value, HV_STR("@")))
            return false;
    if (!shell_arguments(&tried, row, words, count, &arguments))
        return false;
    while (at < arguments.operand_count && shell_names_have(groups, arguments.operands[at]->value))
        at++;
    for (size_t i = 0; i < arguments.given_count; i++)
        if (hv_str_starts(arguments.given[i].argument.value, HV_STR("@")))
            return false;
    return at && at < arguments.operand_count && shell_names_have(verbs, arguments.operands[at]->value);
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

static void judge_gcloud(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char groups[] =
        "compute instances disks networks subnets firewall-rules addresses images snapshots zones regions machine-types"
        " forwarding-rules backend-services url-maps routers routes instance-groups instance-templates container"
        " clusters node-pools projects run services revisions jobs functions builds triggers logging sinks sql"
        " databases storage buckets iam service-accounts roles app versions artifacts repositories docker packages"
        " pubsub topics subscriptions dns managed-zones record-sets redis spanner dataproc scheduler tasks queues"
        " workflows organizations billing accounts";
    static const struct shell_option ask_options[] = {
        VALUES("--project --account --region --zone --zones --regions --sort-by --page-size"
               " --platform --location --instance --cluster --service"),
        FLAGS("--uri --global --managed"),
        {0}};
    static const struct shell_program asks = {"gcloud", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = ask_options,
                                              .more_options = gcloud_options};
    static const struct shell_option options[] = {
        HELPS("-v --version -h --help"), VALUES("--project --account --configuration"), {0}};
    static const struct shell_program row = {"gcloud",
                                             SHELL_SYNTAX_EXACT,
                                             SHELL_READ_ONLY,
                                             .subcommands = gcloud_rows,
                                             .more_options = gcloud_options,
                                             .options = options};
    if (!only_asks(reading, &asks, groups, "list describe", words, count))
        shell_judge_row(reading, &row, words, count);
}

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

static void judge_az(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    /* Not: keys, secret, credential, connection-string, appsettings, which print secrets. */
    static const char groups[] = "vm vmss group aks nodepool acr repository storage account network vnet subnet nsg"
                                 " public-ip lb nic dns zone webapp functionapp plan appservice sql server db cosmosdb"
                                 " resource identity disk image snapshot role definition monitor metrics container"
                                 " containerapp eventhubs namespace servicebus topic queue policy provider tag lock";
    static const struct shell_option ask_options[] = {
        VALUES("-o --output --query -g --resource-group -n --name --subscription -l --location"
               " --server -s --vnet-name --registry --repository"),
        FLAGS("-d --show-details --only-show-errors --all"),
        {0}};
    static const struct shell_program asks = {"az", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = ask_options};
    static const struct shell_option options[] = {HELPS("-v --version -h --help"), {0}};
    static const struct shell_program row = {"az", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = az_rows,
                                             .options = options};
    if (!only_asks(reading, &asks, groups, "list show show-tags list-ip-addresses", words, count))
        shell_judge_row(reading, &row, words, count);
}

/* ---- terraform ------------------------------------------------------------------------------------------- */

static void judge_terraform_format(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {
        FLAGS("-check -diff -recursive -no-color"), MAYBE("-list -write"), {0}};
    static const struct shell_program row = {"fmt", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = options};
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments))
        return;
    for (size_t at = 0; at < arguments.operand_count; at++)
        shell_apply(reading, SHELL_EFFECT_READ_TREE, arguments.operands[at], HV_STR("fmt"));
    if (!arguments.operand_count)
        shell_reads_directory(reading, true);
    const struct shell_given *write = shell_given(&arguments, "-write");
    bool off = write && write->has_argument && write->argument.known && hv_str_is(write->argument.value, "false");
    if (!off && (write || !shell_given(&arguments, "-check")))
        shell_worsen(reading, SHELL_WRITES, "terraform fmt changes files");
}

static const struct shell_program terraform_rows[] = {
    {"version", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-json"))},
    {"fmt", .judge = judge_terraform_format},
    REACHERS("init get login logout state output workspace providers force-unlock refresh"),
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

/* One statement or dot command of sqlite3 that only reads, when the file is opened with -readonly. */
static bool sqlite_only_reads(struct hv_str text)
{
    static const char *const dots[] = {".tables",  ".schema",     ".databases", ".indexes",
                                       ".indices", ".fullschema", ".dbinfo"};
    static const char *const harmful[] = {
        "load_extension", "writefile",      "readfile", "edit(", "edit\"", "edit`", "edit]", "edit (", "fts3_tokenizer",
        "attach",         "vacuum",         "zipfile",  "fsdir", "sqlar",  "\n.",   "\r",    "--",     "/*",
        "main.pragma",    "writable_schema"};
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
    size_t end = hv_str_find_byte(text, ';', 0);
    if (end != SIZE_MAX && end + 1 != text.len)
        return false;
    return starts_nocase(text, "select ") || starts_nocase(text, "explain query plan select ") ||
           starts_nocase(text, "pragma table_info(") || starts_nocase(text, "pragma index_list(") ||
           starts_nocase(text, "pragma foreign_key_list(");
}

static void judge_sqlite(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {
        HELPS("-version --version -help --help"),
        FLAGS("-readonly -json -csv -header -noheader -column -line -list -box -table -markdown -html -ascii -tabs"
              " -quote -bail -batch -safe"),
        VALUES("-separator -newline -nullvalue"),
        {0}};
    static const struct shell_program row = {"sqlite3", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = options};
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments) || arguments.help)
        return;
    bool reads = shell_given(&arguments, "-readonly") && arguments.operand_count > 1 && !arguments.scattered;
    for (size_t at = 1; reads && at < arguments.operand_count; at++)
        reads = arguments.operands[at]->known && sqlite_only_reads(arguments.operands[at]->value);
    if (arguments.operand_count)
        shell_reads(reading, arguments.operands[0], false);
    if (!reads)
        shell_worsen(reading, SHELL_EXECUTES, "sqlite3 may change the database and run programs");
}

const struct shell_program shell_programs_dev_cloud[] = {
    {"gh", .judge = judge_gh},
    {"glab", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = glab_rows,
     .options = OPTIONS(HELPS("-v --version --help -h"), VALUES("-R --repo"))},
    {"aws", .judge = judge_aws},
    {"gcloud", .judge = judge_gcloud},
    {"az", .judge = judge_az},
    {"terraform tofu", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .subcommands = terraform_rows,
     .options = OPTIONS(HELPS("-v -version --version -help --help -h"), TREES("-chdir"))},
    {"sqlite3", .judge = judge_sqlite},
    CLIENT("hub heroku vercel netlify fly flyctl doctl linode-cli hcloud railway supabase firebase wrangler ngrok"
           " cloudflared pulumi cdk sam serverless eb ecs-cli eksctl kops gsutil bq s3cmd rclone mc azcopy"
           " cf ibmcloud oci aliyun scw okteto render surge stripe twilio sentry-cli circleci travis act jira"),
    CLIENT(
        "psql pg_dump pg_dumpall pg_restore createdb dropdb mysql mysqldump mysqladmin mariadb mariadb-dump redis-cli"
        " mongosh mongo mongodump mongorestore cqlsh influx clickhouse-client sqlcmd sqlplus duckdb etcdctl consul"
        " vault nomad kafka-topics kafka-console-consumer rabbitmqctl nats"),
    CLIENT(
        "ansible ansible-playbook ansible-galaxy ansible-vault ansible-inventory packer terragrunt tflint salt puppet"
        " chef knife fab capistrano"),
    {0},
};
