/*
 * programs_dev_containers.c: docker(1), podman(1), kubectl and helm. The daemon of docker is on this machine unless an
 * option (-H, --context, --config) says otherwise: these are left out, and so are the options by which the client reads
 * other settings. What asks a cluster reaches the network; a file of --kubeconfig may run programs, too. docker 28.2,
 * compose 2.37, kubectl 1.33, helm 3.18.
 */
#include "shell/programs.h"
#include "shell/rows.h"

/* A row none of whose options does anything but change how the answer looks. */
#define LISTS(names, ...)                                                                                              \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__, HELPS("--help")),                  \
                                                    .rest = SHELL_EFFECT_NONE, .harmless_options = true                \
    }

#define PS_ROW(names)                                                                                                  \
    LISTS(names, FLAGS("-a --all -l --latest --no-trunc -q --quiet -s --size --noheading --ns -p --pod"),              \
          VALUES("-f --filter --format -n --last --sort"), CHANGES("--sync"))
#define IMAGES_ROW(names)                                                                                              \
    LISTS(names, FLAGS("-a --all --digests --no-trunc -q --quiet --tree -n --noheading --history"),                    \
          VALUES("-f --filter --format --sort"))
#define LOGS_ROW(names)                                                                                                \
    LISTS(names,                                                                                                       \
          FLAGS("--details -f --follow -t --timestamps --no-color --no-log-prefix -l --latest --names --color"),       \
          VALUES("--since -n --tail --until --index"))
#define INSPECT_ROW(names)                                                                                             \
    LISTS(names, FLAGS("-s --size -v --verbose -l --latest"), VALUES("-f --format --type --platform"))
#define LIST_ROW(names)                                                                                                \
    LISTS(names, FLAGS("--no-trunc -q --quiet -a --all --noheading"), VALUES("-f --filter --format"))

/* Without --no-stream it goes on, but it only reads. */
#define STATS_ROW LISTS("stats", FLAGS("-a --all --no-stream --no-trunc --no-reset"), VALUES("--format -i --interval"))
#define HISTORY_ROW LISTS("history", FLAGS("-H --human --no-trunc -q --quiet"), VALUES("--format --platform"))

/* ---- compose --------------------------------------------------------------------------------------------- */

static const struct shell_option compose_options[] = {
    FLAGS("--all-resources --compatibility --dry-run --verbose --no-ansi"),
    VALUES("--ansi -p --project-name --profile --progress --parallel"),
    FILES("-f --file --env-file"),
    TREES("--project-directory"),
    HELPS("--version -v --help -h"),
    {0},
};

/* What the compose files say is read by all; `include` and `extends` of remote files reach the network by git or oci.
 */
static const struct shell_program compose_rows[] = {
    LISTS("ps", FLAGS("-a --all --no-trunc --orphans -q --quiet --services"), VALUES("--filter --format --status")),
    LOGS_ROW("logs"),
    LISTS("ls", FLAGS("-a --all -q --quiet"), VALUES("--filter --format")),
    LISTS("images", FLAGS("-q --quiet"), VALUES("--format")),
    LISTS("port", VALUES("--index --protocol")),
    LISTS("top", FLAGS("-q")),
    LISTS("stats", FLAGS("-a --all --no-stream --no-trunc"), VALUES("--format")),
    LISTS("volumes", FLAGS("-q --quiet"), VALUES("--format")),
    LISTS("version", FLAGS("--short"), VALUES("-f --format")),
    LISTS("events", FLAGS("--json"), VALUES("--since --until")),
    SHOWS("config convert",
          FLAGS("--environment --hash --images --no-consistency --no-interpolate --no-normalize --no-path-resolution"
                " --profiles -q --quiet --services --variables --volumes --networks --models --no-env-resolution"),
          VALUES("--format"), OUTPUTS("-o --output"), REACHES("--resolve-image-digests --lock-image-digests")),
    REACHERS("pull push publish"),
    RUNNERS("up run exec build create start restart watch bridge alpha"),
    WRITERS("down stop kill rm pause unpause cp commit export scale wait attach"),
    {0},
};

/* What the files of compose include or extend may be fetched, with variables of the person in its address; .env may
 * name further files. */
#define NAMES_OTHERS(file) " " file ":include " file ":extends " file ":\\x " file ":\\u"
static const char compose_files[] =
    ".env:COMPOSE_FILE" NAMES_OTHERS("compose.yaml") NAMES_OTHERS("compose.yml") NAMES_OTHERS("docker-compose.yaml")
        NAMES_OTHERS("docker-compose.yml") NAMES_OTHERS("compose.override.yaml") NAMES_OTHERS("compose.override.yml")
            NAMES_OTHERS("docker-compose.override.yaml") NAMES_OTHERS("docker-compose.override.yml");

/* The file of -f, if it can be looked for at all. */
static void check_compose_file(struct shell_reading *reading, const struct shell_word *word)
{
    bool plain = word->known && word->value.len && word->value.ptr[0] != '/' && !hv_str_is(word->value, "-") &&
                 hv_str_find(word->value, HV_STR(".."), 0) == SIZE_MAX;
    for (size_t at = 0; at < word->value.len; at++)
        plain &= word->value.ptr[at] != ' ' && word->value.ptr[at] != ':';
    if (!plain) {
        shell_worsen(reading, SHELL_NETWORK, "what the files of compose name may be fetched");
        return;
    }
    shell_needs_none(reading, hv_arena_format(reading->arena, "%.*s:include %.*s:extends %.*s:\\x %.*s:\\u",
                                              HV_STR_ARG(word->value), HV_STR_ARG(word->value), HV_STR_ARG(word->value),
                                              HV_STR_ARG(word->value))
                                  .ptr);
}

static void check_compose_files(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    const struct shell_word *name = arguments->operand_count ? arguments->operands[0] : NULL;
    if (!name || (name->known && shell_names_have("version ls", name->value)))
        return;
    for (size_t at = 0; at < arguments->given_count; at++) {
        const struct shell_given *given = &arguments->given[at];
        if (shell_names_have("-f --file --env-file", given->name))
            check_compose_file(reading, &given->argument);
        else if (hv_str_is(given->name, "--project-directory"))
            shell_worsen(reading, SHELL_NETWORK, "what the files of compose name may be fetched");
    }
    shell_needs_none(reading, compose_files);
}

/* A file of compose may be a repository or an image that is fetched. */
static void judge_compose(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char *const remote[] = {"://", "git@", "oci:", "github.com/", ".git#", "git:"};
    static const struct shell_program row = {"compose", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
                                             .subcommands = compose_rows, .options = compose_options};
    shell_judge_row(reading, &row, words, count);
    for (size_t at = 1; at < count; at++)
        for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
            if (hv_str_find(words[at].value, hv_str_from(remote[i]), 0) != SIZE_MAX)
                shell_worsen(reading, SHELL_NETWORK, "compose fetches files that are named by an address");
    struct shell_arguments arguments;
    if (shell_arguments(reading, &row, words, count, &arguments))
        check_compose_files(reading, &arguments);
}

/* ---- docker ---------------------------------------------------------------------------------------------- */

/* ---- kubernetes ------------------------------------------------------------------------------------------ */

/* `kubectl version --client` asks nobody. */
static void check_kubectl_version(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    const struct shell_given *client = shell_given(arguments, "--client");
    if (!client || (client->has_argument && !(client->argument.known && hv_str_is(client->argument.value, "true"))))
        shell_worsen(reading, SHELL_NETWORK, "kubectl version asks the server; with --client it does not");
}

/* What begins with "." or "/" is a chart on the disk, or an error. */
static void judge_local_chart(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"chart", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
                                             .rest = SHELL_EFFECT_READ_TREE};
    bool local = count == 2 && words[1].known &&
                 (hv_str_starts(words[1].value, HV_STR(".")) || hv_str_starts(words[1].value, HV_STR("/")));
    if (local)
        shell_judge_row(reading, &row, words, count);
    else
        shell_judge_reaches(reading, words, count);
}

const struct shell_program shell_programs_dev_containers[] = {
    {"docker", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         PS_ROW("ps"), IMAGES_ROW("images"), LOGS_ROW("logs"), INSPECT_ROW("inspect"), STATS_ROW, HISTORY_ROW,
         LISTS("version info", VALUES("-f --format")), LISTS("port diff", VALUES("--format")),
         {"top", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE, .harmless_options = true},
         LISTS("events", VALUES("-f --filter --format --since --until")),
         {"help", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE},
         GROUP("container", PS_ROW("ls list ps"), INSPECT_ROW("inspect"), LOGS_ROW("logs"), STATS_ROW,
               LISTS("port diff", VALUES("--format")), LISTS("top", FLAGS("-q")),
               RUNNERS("run exec create start restart"),
               WRITERS("attach commit cp export kill pause prune rename rm remove stop unpause update wait")),
         GROUP("image", IMAGES_ROW("ls list"), INSPECT_ROW("inspect"), HISTORY_ROW, REACHERS("pull push"),
               RUNNERS("build"), WRITERS("import load prune rm remove save tag")),
         GROUP("volume", LIST_ROW("ls list"), INSPECT_ROW("inspect"), WRITERS("create prune rm remove update")),
         GROUP("network", LIST_ROW("ls list"), INSPECT_ROW("inspect"),
               WRITERS("create connect disconnect prune rm remove")),
         GROUP("system", LISTS("df", FLAGS("-v --verbose"), VALUES("--format")), LISTS("info", VALUES("-f --format")),
               LISTS("events", VALUES("-f --filter --format --since --until")), REACHERS("dial-stdio"),
               WRITERS("prune")),
         GROUP("context", LIST_ROW("ls list"), INSPECT_ROW("inspect"), PLAIN("show"),
               WRITERS("create export import rm remove update use")),
         GROUP("plugin", LIST_ROW("ls list"), INSPECT_ROW("inspect"), REACHERS("install push upgrade"),
               WRITERS("create disable enable rm remove set")),
         GROUP("buildx", LISTS("ls version", FLAGS("--no-trunc"), VALUES("--format")), LISTS("du", FLAGS("--verbose")),
               REACHERS("inspect imagetools"), RUNNERS("build bake b create"), WRITERS("prune rm stop use")),
         GROUP("builder", RUNNERS("build"), WRITERS("prune")),
         GROUP("manifest", REACHERS("inspect push"), WRITERS("create annotate rm")),
         GROUP("swarm", REACHERS("init join"), WRITERS("leave update ca join-token unlock unlock-key")),
         GROUP("service stack node secret config", LIST_ROW("ls list ps services"), INSPECT_ROW("inspect"),
               LOGS_ROW("logs"),
               WRITERS("create rm remove update deploy scale rollback promote demote up down config")),
         {"compose", .judge = judge_compose}, REACHERS("pull push search login logout trust scout"),
         RUNNERS("run exec build create start restart init debug model"),
         WRITERS("attach commit cp export import kill load pause rename rm rmi save stop tag unpause update wait")),
     .options = OPTIONS(HELPS("-v --version --help"), FLAGS("-D --debug"), VALUES("-l --log-level"),
                        REACHES_WITH("-H --host -c --context"))},
    {"podman", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         PS_ROW("ps"), IMAGES_ROW("images"), LOGS_ROW("logs"), INSPECT_ROW("inspect"), STATS_ROW, HISTORY_ROW,
         LISTS("version info", VALUES("-f --format"), FLAGS("-D --debug")),
         LISTS("port diff", VALUES("--format"), FLAGS("-a --all -l --latest")),
         /* What is no descriptor makes it run ps in the container. */
         {"top", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .first = {SHELL_EFFECT_NONE}, .first_count = 1},
         GROUP("container", PS_ROW("ls list ps"), INSPECT_ROW("inspect"), LOGS_ROW("logs"), STATS_ROW,
               LISTS("port diff exists", VALUES("--format")), RUNNERS("run exec create start restart"),
               WRITERS("attach commit cp export kill pause prune rename rm stop unpause update wait cleanup")),
         GROUP("image", IMAGES_ROW("ls list"), INSPECT_ROW("inspect"), HISTORY_ROW, LISTS("exists tree", FLAGS("-q")),
               REACHERS("pull push search"), RUNNERS("build"), WRITERS("import load prune rm save tag untag")),
         GROUP("pod", PS_ROW("ps ls list"), INSPECT_ROW("inspect"), LISTS("exists", FLAGS("-q")), LOGS_ROW("logs"),
               RUNNERS("create start restart"), WRITERS("kill pause prune rm stop unpause clone")),
         GROUP("volume", LIST_ROW("ls list"), INSPECT_ROW("inspect"), WRITERS("create prune rm import export")),
         GROUP("network", LIST_ROW("ls list"), INSPECT_ROW("inspect"), WRITERS("create connect disconnect prune rm")),
         GROUP("system", LISTS("df", FLAGS("-v --verbose"), VALUES("--format")), LISTS("info", VALUES("-f --format")),
               WRITERS("prune reset migrate renumber")),
         GROUP("machine", LIST_ROW("ls list"), PLAIN("inspect info"), RUNNERS("init start ssh"),
               WRITERS("stop rm set")),
         {"compose", .judge = shell_judge_runs}, REACHERS("pull push search login logout"),
         RUNNERS("run exec build create start restart kube play unshare"),
         WRITERS("attach commit cp export import kill load pause rename rm rmi save stop tag unpause update wait "
                 "generate")),
     .options = OPTIONS(HELPS("-v --version -h --help"), VALUES("--log-level"), REACHES("-r --remote"),
                        REACHES_WITH("-c --connection --url"))},
    {"docker-compose", .judge = judge_compose},
    {"kubectl oc", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         {"version", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
          .options = OPTIONS(FLAGS("--short"), MAYBE("--client"), VALUES("-o --output")), .rest = SHELL_EFFECT_NONE,
          .check = check_kubectl_version},
         {"config", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
          .subcommands = SUBCOMMANDS(
              SHOWS("view", FLAGS("--minify --flatten"), VALUES("-o --output --context --cluster"), HELPS("-h --help")),
              SHOWS("get-contexts", FLAGS("--no-headers"), VALUES("-o --output"), HELPS("-h --help")),
              SHOWS("current-context get-clusters get-users", HELPS("-h --help")),
              WRITERS("set set-cluster set-context set-credentials unset use-context use rename-context delete-context"
                      " delete-cluster delete-user"))},
         GROUP("plugin", SHOWS("list", FLAGS("--name-only"))), PLAIN("options completion help"),
         REACHERS(
             "get describe logs top explain api-resources api-versions cluster-info events diff auth wait kustomize"
             " apply create delete edit patch replace scale rollout expose run set label annotate cordon uncordon"
             " drain taint autoscale certificate port-forward proxy"),
         RUNNERS("exec attach cp debug")),
     .options =
         OPTIONS(HELPS("-h --help"), VALUES("--context -n --namespace --cluster -v"), RUNS_WITH("--kubeconfig"))},
    {"helm", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         SHOWS("version", FLAGS("--short -c --client"), VALUES("--template")), PLAIN("env help completion"),
         GROUP("repo", SHOWS("list ls", VALUES("-o --output")), REACHERS("add update index"), WRITERS("remove rm")),
         GROUP("search",
               SHOWS("repo", FLAGS("-l --versions --devel -r --regexp --fail-on-no-result"),
                     VALUES("--version -o --output --max-col-width")),
               REACHERS("hub")),
         GROUP("plugin", PLAIN("list ls"), RUNNERS("install update uninstall")),
         GROUP("show inspect", {"chart values readme crds all", .judge = judge_local_chart}),
         GROUP("dependency dep dependencies", READS_FILES("list ls", {0}), REACHERS("build update up")),
         REACHERS(
             "list ls status history get template lint pull fetch push registry install upgrade uninstall delete del"
             " un rollback test"),
         WRITERS("create package verify")),
     .options = OPTIONS(HELPS("-h --help"), VALUES("-n --namespace --kube-context"), RUNS_WITH("--kubeconfig"))},
    {"minikube kind k3d k3s colima limactl vagrant", .judge = shell_judge_tool},
    COMMANDS("kustomize", SHOWS("version", FLAGS("--short"), VALUES("-o --output")), REACHERS("build localize"),
             WRITERS("edit create"), RUNNERS("cfg fn")),
    {"k9s stern kubectx kubens skaffold tilt argocd flux istioctl crictl ctr nerdctl skopeo crane cosign",
     .judge = shell_judge_client},
    {0},
};
