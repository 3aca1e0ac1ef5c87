/*
 * programs_dev_containers.c: docker(1), podman(1), kubectl and helm. The daemon of docker is on this machine unless an
 * option (-H, --context, --config) says otherwise: these are left out, and so are the options by which the client reads
 * other settings. What lists and shows the objects of the cluster that the person's own settings name only reads, but
 * for secrets; what names another cluster does not (--kubeconfig, whose file may also run programs, --server, -f URL).
 * docker 28.2, compose 2.37, kubectl 1.33, helm 3.18.
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
    LISTS(names, FLAGS("-a --all -l --latest --no-trunc -q --quiet -s --size --noheading --ns --sync -p --pod"),       \
          VALUES("-f --filter --format -n --last --sort"))
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

/* ---- docker ---------------------------------------------------------------------------------------------- */

static const struct shell_program docker_rows[] = {
    PS_ROW("ps"),
    IMAGES_ROW("images"),
    LOGS_ROW("logs"),
    INSPECT_ROW("inspect"),
    STATS_ROW,
    HISTORY_ROW,
    LISTS("version info", VALUES("-f --format")),
    LISTS("port diff", VALUES("--format")),
    {"top", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE, .harmless_options = true},
    LISTS("events", VALUES("-f --filter --format --since --until")),
    {"help", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE},
    GROUP("container", PS_ROW("ls list ps"), INSPECT_ROW("inspect"), LOGS_ROW("logs"), STATS_ROW,
          LISTS("port diff", VALUES("--format")), LISTS("top", FLAGS("-q")), RUNNERS("run exec create start restart"),
          WRITERS("attach commit cp export kill pause prune rename rm remove stop unpause update wait")),
    GROUP("image", IMAGES_ROW("ls list"), INSPECT_ROW("inspect"), HISTORY_ROW, REACHERS("pull push"), RUNNERS("build"),
          WRITERS("import load prune rm remove save tag")),
    GROUP("volume", LIST_ROW("ls list"), INSPECT_ROW("inspect"), WRITERS("create prune rm remove update")),
    GROUP("network", LIST_ROW("ls list"), INSPECT_ROW("inspect"), WRITERS("create connect disconnect prune rm remove")),
    GROUP("system", LISTS("df", FLAGS("-v --verbose"), VALUES("--format")), LISTS("info", VALUES("-f --format")),
          LISTS("events", VALUES("-f --filter --format --since --until")), REACHERS("dial-stdio"), WRITERS("prune")),
    GROUP("context", LIST_ROW("ls list"), INSPECT_ROW("inspect"), PLAIN("show"),
          WRITERS("create export import rm remove update use")),
    GROUP("plugin", LIST_ROW("ls list"), INSPECT_ROW("inspect"), REACHERS("install push upgrade"),
          WRITERS("create disable enable rm remove set")),
    GROUP("buildx", LISTS("ls version", FLAGS("--no-trunc"), VALUES("--format")), LISTS("du", FLAGS("--verbose")),
          REACHERS("inspect imagetools"), RUNNERS("build bake b create"), WRITERS("prune rm stop use")),
    GROUP("builder", RUNNERS("build"), WRITERS("prune")),
    GROUP("manifest", REACHERS("inspect push"), WRITERS("create annotate rm")),
    GROUP("swarm", REACHERS("init join"), WRITERS("leave update ca join-token unlock unlock-key")),
    GROUP("service stack node secret config", LIST_ROW("ls list ps services"), INSPECT_ROW("inspect"), LOGS_ROW("logs"),
          WRITERS("create rm remove update deploy scale rollback promote demote up down config")),
    {"compose", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = compose_rows, .options = compose_options},
    REACHERS("pull push search login logout trust scout"),
    RUNNERS("run exec build create start restart init debug model"),
    WRITERS("attach commit cp export import kill load pause rename rm rmi save stop tag unpause update wait"),
    {0},
};

static const struct shell_program podman_rows[] = {
    PS_ROW("ps"),
    IMAGES_ROW("images"),
    LOGS_ROW("logs"),
    INSPECT_ROW("inspect"),
    STATS_ROW,
    HISTORY_ROW,
    LISTS("version info", VALUES("-f --format"), FLAGS("-D --debug")),
    LISTS("port diff", VALUES("--format"), FLAGS("-a --all -l --latest")),
    {"top", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE, .harmless_options = true},
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
    GROUP("machine", LIST_ROW("ls list"), PLAIN("inspect info"), RUNNERS("init start ssh"), WRITERS("stop rm set")),
    {"compose", .judge = shell_judge_runs},
    REACHERS("pull push search login logout"),
    RUNNERS("run exec build create start restart kube play unshare"),
    WRITERS("attach commit cp export import kill load pause rename rm rmi save stop tag unpause update wait generate"),
    {0},
};

/* ---- kubernetes ------------------------------------------------------------------------------------------ */

/* `kubectl version --client` asks nobody. */
static void judge_kubectl_version(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {FLAGS("--short"), MAYBE("--client"), VALUES("-o --output"), {0}};
    static const struct shell_program row = {"version", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = options};
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments))
        return;
    const struct shell_given *client = shell_given(&arguments, "--client");
    if (!client || (client->has_argument && !(client->argument.known && hv_str_is(client->argument.value, "true"))))
        shell_worsen(reading, SHELL_NETWORK, "kubectl version asks the server; with --client it does not");
}

static const struct shell_option kubectl_options[] = {
    FLAGS("-A --all-namespaces --show-labels --no-headers -w --watch --watch-only --ignore-not-found --show-kind"
          " --show-managed-fields --output-watch-events -q --quiet"),
    MAYBE("--server-print --show-events"),
    VALUES("-n --namespace -o --output -l --selector --field-selector --sort-by --context --cluster -L --label-columns"
           " --chunk-size --request-timeout --subresource -v --types --for"),
    HELPS("-h --help"),
    {0}};

static bool has_secret(struct hv_str text)
{
    for (size_t at = 0; at + 6 <= text.len; at++)
        if (hv_str_eq_nocase(hv_str_slice(text, at, at + 6), HV_STR("secret")))
            return true;
    return false;
}

/* Objects are shown, secrets are not; -o takes a template from a file by some of its formats. */
static void judge_kubectl_get(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"get", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = kubectl_options,
                                             .rest = SHELL_EFFECT_NONE};
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments) || arguments.help)
        return;
    for (size_t at = 0; at < arguments.operand_count; at++) {
        bool plain = arguments.operands[at]->known || (at && !arguments.scattered);
        if (!plain || has_secret(arguments.operands[at]->value))
            shell_worsen(reading, SHELL_NETWORK, "kubectl may print a secret");
    }
    for (size_t at = 0; at < arguments.given_count; at++) {
        const struct shell_given *given = &arguments.given[at];
        if (shell_names_have("-o --output", given->name) &&
            (!given->argument.known || hv_str_find(given->argument.value, HV_STR("file"), 0) != SIZE_MAX))
            shell_worsen(reading, SHELL_UNKNOWN, "the format of kubectl may be a file");
    }
}

static const struct shell_program kubectl_config_rows[] = {
    SHOWS("view", FLAGS("--minify --flatten"), VALUES("-o --output --context --cluster"), HELPS("-h --help")),
    SHOWS("get-contexts", FLAGS("--no-headers"), VALUES("-o --output"), HELPS("-h --help")),
    SHOWS("current-context get-clusters get-users", HELPS("-h --help")),
    WRITERS("set set-cluster set-context set-credentials unset use-context use rename-context delete-context"
            " delete-cluster delete-user"),
    {0},
};

static const struct shell_program kubectl_rows[] = {
    {"version", .judge = judge_kubectl_version},
    {"config", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = kubectl_config_rows},
    GROUP("plugin", SHOWS("list", FLAGS("--name-only"))),
    PLAIN("options completion help"),
    {"get describe", .judge = judge_kubectl_get},
    SHOWS_MORE("logs", kubectl_options,
               FLAGS("-f --follow -p --previous --timestamps --all-containers --prefix --ignore-errors --all-pods"),
               VALUES("-c --container --since --since-time --tail --limit-bytes --max-log-requests"
                      " --pod-running-timeout")),
    GROUP("top",
          SHOWS_MORE("pods pod po nodes node no", kubectl_options, FLAGS("--containers --sum --use-protocol-buffers"))),
    SHOWS_MORE("explain", kubectl_options, FLAGS("--recursive"), VALUES("--api-version")),
    SHOWS_MORE("api-resources api-versions events", kubectl_options, VALUES("--verbs --api-group --namespaced"),
               MAYBE("--cached")),
    {"cluster-info", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = kubectl_options},
    GROUP("auth", SHOWS_MORE("can-i", kubectl_options, FLAGS("--list --no-headers")),
          SHOWS_MORE("whoami", kubectl_options, FLAGS("--all")), REACHERS("reconcile")),
    GROUP("rollout", SHOWS_MORE("status history", kubectl_options, VALUES("--timeout --revision"), MAYBE("--watch")),
          REACHERS("restart undo pause resume")),
    REACHERS("diff wait kustomize"
             " apply create delete edit patch replace scale expose run set label annotate cordon uncordon"
             " drain taint autoscale certificate port-forward proxy"),
    RUNNERS("exec attach cp debug"),
    {0},
};

static const struct shell_program helm_rows[] = {
    SHOWS("version", FLAGS("--short -c --client"), VALUES("--template")),
    PLAIN("env help completion"),
    GROUP("repo", SHOWS("list ls", VALUES("-o --output")), REACHERS("add update index"), WRITERS("remove rm")),
    GROUP("search",
          SHOWS("repo", FLAGS("-l --versions --devel -r --regexp --fail-on-no-result"),
                VALUES("--version -o --output --max-col-width")),
          REACHERS("hub")),
    GROUP("plugin", PLAIN("list ls"), RUNNERS("install update uninstall")),
    SHOWS("list ls",
          FLAGS("-A --all-namespaces -a --all -q --short -r --reverse -d --date --deployed --failed --pending"
                " --superseded --uninstalled --uninstalling --no-headers"),
          VALUES("-n --namespace -o --output -f --filter -m --max -l --selector --offset --time-format --kube-context"),
          HELPS("-h --help")),
    SHOWS("status history", FLAGS("--show-desc"), VALUES("-n --namespace --revision --max --kube-context"),
          HELPS("-h --help")),
    REACHERS("get show inspect template lint pull fetch push registry dependency dep install"
             " upgrade uninstall delete del un rollback test"),
    WRITERS("create package verify"),
    {0},
};

const struct shell_program shell_programs_dev_containers[] = {
    {"docker", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = docker_rows,
     .options = OPTIONS(HELPS("-v --version --help"), FLAGS("-D --debug"), VALUES("-l --log-level"),
                        REACHES_WITH("-H --host -c --context"))},
    {"podman", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = podman_rows,
     .options = OPTIONS(HELPS("-v --version -h --help"), VALUES("--log-level"), REACHES("-r --remote"),
                        REACHES_WITH("-c --connection --url"))},
    {"docker-compose", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = compose_rows, .options = compose_options},
    {"kubectl oc", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = kubectl_rows,
     .options =
         OPTIONS(HELPS("-h --help"), VALUES("--context -n --namespace --cluster -v"), RUNS_WITH("--kubeconfig"))},
    {"helm", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .subcommands = helm_rows,
     .options = OPTIONS(HELPS("-h --help"), VALUES("-n --namespace --kube-context"), RUNS_WITH("--kubeconfig"))},
    {"minikube kind k3d k3s colima limactl vagrant", .judge = shell_judge_tool},
    {"k9s stern kubectx kubens skaffold tilt argocd flux istioctl kustomize crictl ctr nerdctl skopeo crane cosign",
     .judge = shell_judge_client},
    {0},
};
