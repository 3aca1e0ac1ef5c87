/*
 * programs_machine.c: more of what tells about a machine: systemd's other clients 252, NetworkManager, graphics cards,
 * other packagings (pacman, snap, flatpak), telephones. programs_system.c has what every Linux has.
 */
#include "shell/programs.h"
#include "shell/rows.h"

/* ---- blkid ----------------------------------------------------------------------------------------------- */

/* What it finds it notes in /run/blkid, where it may; not where it only probes, and -c /dev/null names no such file. */
static void check_blkid(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-p --probe -i --info -k --list-filesystems -c --cache-file"))
        shell_worsen(reading, SHELL_WRITES, "blkid notes what it finds in /run/blkid; with -c /dev/null it does not");
}

/* ---- systemd --------------------------------------------------------------------------------------------- */

/* -H and -M ask another machine; they are left out. */
static const struct shell_option systemd_options[] = {
    FLAGS("-a --all -l --full --no-pager --no-legend --value -q --quiet --plain --user --system --no-ask-password -j"
          " --acquired --unique --activatable --list --no-hostname -r --reverse"),
    VALUES("-p --property -P -n --lines -o --output --json -S --since -U --until -F --field"),
    HELPS("-h --help --version"),
    {0},
};
#define ASKS(names)                                                                                                    \
    {                                                                                                                  \
        names, SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = systemd_options, .rest = SHELL_EFFECT_NONE                \
    }
#define SYSTEMD(names, ...)                                                                                            \
    {                                                                                                                  \
        names, SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = systemd_options,                                          \
                                                  .subcommands = (const struct shell_program[])                        \
        {                                                                                                              \
            __VA_ARGS__,                                                                                               \
            {                                                                                                          \
                0                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
/* Sub-commands that show without a further word, and set with one. */
#define SHOWS_ALONE(names)                                                                                             \
    {                                                                                                                  \
        names, SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = systemd_options, .rest = SHELL_EFFECT_WRITES              \
    }

/* Its -o names a file. */
static const struct shell_option coredump_options[] = {OUTPUTS("-o --output"), {0}};

/* ---- network --------------------------------------------------------------------------------------------- */

/* -s shows secrets. */
static const struct shell_option nmcli_options[] = {
    FLAGS("-t --terse -p --pretty -o --overview"),
    VALUES("-f --fields -g --get-values -m --mode -c --colors -e --escape -w --wait"),
    HELPS("-v --version -h --help"),
    {0},
};

/* iw dev; iw dev IF info|link|station dump; iw list; iw phy; iw reg get. */
static void judge_iw(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool asks = count > 1;
    for (size_t at = 1; at < count; at++)
        asks = asks && words[at].known && !hv_str_starts(words[at].value, HV_STR("-"));
    if (asks && count == 2 && shell_names_have("dev phy list", words[1].value))
        return;
    if (asks && hv_str_is(words[1].value, "reg") && count == 3 && hv_str_is(words[2].value, "get"))
        return;
    bool device = asks && count > 3 && shell_names_have("dev phy", words[1].value);
    if (device && ((count == 4 && shell_names_have("info link", words[3].value)) ||
                   (count == 5 && hv_str_is(words[3].value, "station") && hv_str_is(words[4].value, "dump"))))
        return;
    shell_changes(reading, "iw changes how the machine is connected");
}

/* ---- packages -------------------------------------------------------------------------------------------- */

static void check_pacman(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    /* -Ss and -Si look in the list of packages that was fetched before; -S alone installs. */
    bool looks = shell_given(arguments, "-Q --query");
    if (shell_given(arguments, "-S --sync"))
        looks = shell_given(arguments, "-s --search -i --info") && !shell_given(arguments, "-Q --query -u --upgrades");
    if (!looks)
        shell_worsen(reading, SHELL_WRITES, "pacman changes which packages are installed");
}

const struct shell_program shell_programs_machine[] = {
    SYSTEMD("timedatectl", ASKS("status show list-timezones timesync-status show-timesync")),
    /* `hostnamectl --static` alone shows; its older names need no sub-command. */
    {"hostnamectl", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = systemd_options,
     .more_options = OPTIONS(FLAGS("--static --transient --pretty")),
     .subcommands = SUBCOMMANDS(ASKS("status show"), SHOWS_ALONE("hostname icon-name chassis deployment location"))},
    SYSTEMD("localectl", ASKS("status list-locales list-keymaps list-x11-keymap-models list-x11-keymap-layouts"
                              " list-x11-keymap-variants list-x11-keymap-options")),
    SYSTEMD("loginctl", ASKS("list-sessions session-status show-session list-users user-status show-user list-seats"
                             " seat-status show-seat")),
    SYSTEMD("networkctl", ASKS("list status lldp label")),
    SYSTEMD("machinectl", ASKS("list list-images status show image-status show-image")),
    {"coredumpctl", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = coredump_options, .more_options = systemd_options,
     .subcommands = SUBCOMMANDS({"list info", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = coredump_options,
                                 .more_options = systemd_options, .rest = SHELL_EFFECT_NONE})},
    SYSTEMD("systemd-analyze", ASKS("time blame critical-chain security unit-paths calendar timespan timestamp")),
    {"resolvectl", SHELL_SYNTAX_GNU, SHELL_NETWORK, "resolvectl asks for names", .options = systemd_options,
     .subcommands = SUBCOMMANDS(ASKS("status statistics show-cache show-server-state"),
                                SHOWS_ALONE("dns domain default-route llmnr mdns dnssec dnsovertls nta"))},
    {"nmcli", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = nmcli_options,
     .subcommands = SUBCOMMANDS(
         {"g gen general d dev device c con connection", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = nmcli_options,
          .subcommands =
              SUBCOMMANDS({"status show", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
                           .options = OPTIONS(FLAGS("--active --order -a"), VALUES("-f --fields -g --get-values")),
                           .rest = SHELL_EFFECT_NONE})})},
    {"iw", .judge = judge_iw},
    {"nvidia-smi", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-L --list-gpus -q --query -x --xml-format -u --unit -B --list-excluded-gpus"),
                        VALUES("-i --id -l --loop -d --display --loop-ms --query-gpu --query-compute-apps"
                               " --query-accounted-apps --query-supported-clocks --query-remapped-rows --format"),
                        HELPS("-h --help --version")),
     .subcommands = SUBCOMMANDS(SHOWS("topo", FLAGS("-m --matrix -mp")), SHOWS("nvlink", FLAGS("-s --status -c")),
                                SHOWS("dmon pmon", VALUES("-c --count -d --delay -i --id -s --select -o --options")))},
    {"nvtop radeontop intel_gpu_top", .judge = shell_judge_tool},
    {"blkid", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-p --probe -i --info -k --list-filesystems -l --list-one"),
                        VALUES("-o --output -s --match-tag -t --match-token -L --label -U --uuid -u --usages -n"),
                        OUTPUTS("-c --cache-file -w"), HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_NONE, .check = check_blkid},
    {"modinfo", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --author -d --description -l --license -p --parameters -n --filename -0 --null"),
                        VALUES("-F --field -k --set-version"), TREES("-b --basedir"), HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_READ},
    {"uuidgen", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-r --random -t --time -m --md5 -s --sha1 -x --hex"), VALUES("-n --namespace -N --name"),
                        HELPS("-h --help -V --version"))},
    {"atq", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-V"), VALUES("-q -o"))},
    {"screen", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(HELPS("-ls -list -v --version --help")),
     .without_operands = SHELL_EFFECT_EXECUTE},
    {"pacman", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-Q --query -S --sync -e --explicit -i --info -l --list -o --owns -s --search -m --foreign -n --native "
               "-d --deps -t"
               " --unrequired -k --check -q --quiet -g --groups -u --upgrades"),
         HELPS("-V --version -h --help")),
     .rest = SHELL_EFFECT_NONE, .check = check_pacman},
    {"snap", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version -h --help")),
     .subcommands = SUBCOMMANDS(SHOWS("list", FLAGS("--all"), VALUES("--color --unicode")),
                                SHOWS("version services connections interfaces changes tasks", FLAGS("--all")),
                                REACHERS("find info download"),
                                WRITERS("install remove refresh revert enable disable set unset connect disconnect"
                                        " alias unalias start stop restart abort"),
                                RUNNERS("run try pack"))},
    {"flatpak", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version -h --help")),
     .subcommands = SUBCOMMANDS(
         SHOWS("list ps history info remotes", FLAGS("--app --runtime --user --system -d"), VALUES("--columns")),
         REACHERS("search remote-ls remote-info update"), RUNNERS("run install build"),
         WRITERS("uninstall override remote-add remote-delete repair mask pin config"))},
    {"virsh", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-q --quiet -r --readonly"), HELPS("-v --version")), .takes_commands = true,
     .subcommands =
         SUBCOMMANDS(SHOWS("list net-list pool-list vol-list",
                           FLAGS("--all --inactive --name --title"
                                 " --uuid --table --details"),
                           VALUES("--pool")),
                     SHOWS("dominfo domstate version nodeinfo dommemstat domblklist domiflist", FLAGS("--all")))},
    {"pio platformio", SHELL_SYNTAX_EXACT, SHELL_EXECUTES, "platformio runs the project's code",
     .options = OPTIONS(HELPS("--version -h --help")),
     .subcommands = SUBCOMMANDS(GROUP("device", SHOWS("list", FLAGS("--serial --logical --mdns --json-output"))),
                                RUNNERS("run test check ci remote debug"))},
    {"esptool esptool.py", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS(HELPS("-h --help")),
     .subcommands = SUBCOMMANDS(PLAIN("version"))},
    {"openocd avrdude groff nginx apachectl apache2ctl httpd", .judge = shell_judge_about},
    {"ptx cscope", .judge = shell_judge_tool},
    {0},
};
