/*
 * programs_disks.c: partitions, file systems, volumes, images of disks and firmware, boards: what shows them.
 * util-linux 2.38, parted 3.5, gptfdisk 1.0, e2fsprogs 1.47, btrfs-progs 6, OpenZFS 2.1, LVM 2.03, squashfs-tools 4.5,
 * u-boot-tools 2023, device-tree-compiler 1.6. Whether a device may be opened at all is said elsewhere (policy).
 */
#include "shell/programs.h"
#include "shell/rows.h"

#define UTIL_HELP HELPS("-h --help -V --version")
#define GNU_HELP HELPS("--help --version")
#define NONE SHELL_EFFECT_NONE
#define READ SHELL_EFFECT_READ

/* parted [-s] FILE [unit U] print: every word of its own language only shows. */
static void check_parted(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    static const char shows[] = "print p free all devices list unit u s S B b kB MB GB TB KiB MiB GiB TiB % cyl chs"
                                " compact align-check opt optimal min minimal 1 2 3 4 5 6 7 8 9 help";
    bool plain = arguments->operand_count > 1 || shell_given(arguments, "-l --list");
    if (arguments->operand_count)
        shell_reads(reading, arguments->operands[0], false);
    for (size_t at = 1; at < arguments->operand_count; at++)
        plain &= arguments->operands[at]->known && shell_names_have(shows, arguments->operands[at]->value);
    if (plain && !arguments->scattered)
        return;
    shell_changes(reading, "parted changes the table of partitions");
}

/* A source of a device tree includes other files; a blob does not. */
static const struct shell_option dtc_options[] = {
    FLAGS("-q --quiet -f --force -s --sort -@ --symbols -A --auto-alias -T --annotate"),
    VALUES("-I --in-format -O --out-format -b --boot-cpu -H --phandle -R --reserve -S --space -p --pad -a --align"),
    VALUES("-E --error -W --warning -V --out-version"),
    TREES("-i --include"),
    OUTPUTS("-o --out -d --out-dependency"),
    HELPS("-h --help -v --version"),
    {0},
};

static void judge_dtc(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"dtc", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = dtc_options,
                                             .rest = READ};
    struct shell_arguments arguments;
    shell_judge_row(reading, &row, words, count);
    if (reading->act.class != SHELL_READ_ONLY || !shell_arguments(reading, &row, words, count, &arguments))
        return;
    const struct shell_given *format = shell_given(&arguments, "-I --in-format");
    if (!format || !format->argument.known || !hv_str_is(format->argument.value, "dtb"))
        reading->act.reads_listed = false;
}

#define ZFS(names, ...)                                                                                                \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .rest = NONE                      \
    }

/* To compare a snapshot with what came after it, it makes another one for a while. */
static void check_zfs_diff(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    size_t snapshots = 0;
    for (size_t at = 0; at < arguments->operand_count; at++)
        snapshots +=
            arguments->operands[at]->known && hv_str_find_byte(arguments->operands[at]->value, '@', 0) != SIZE_MAX;
    if (arguments->operand_count != 2 || snapshots != 2)
        shell_worsen(reading, SHELL_WRITES, "zfs diff makes a snapshot unless it compares two of them");
}

/* unsquashfs takes files out, unless it is told to list or to print. */
static const struct shell_option squash_options[] = {
    FLAGS("-l -ls -ll -lls -lln -lc -llc -s -stat -n -no-progress -q -quiet -cat -fstime -mkfs-time -UTC -full"),
    VALUES("-d -dest -p -processors"),
    HELPS("-v -version -h -help --help"),
    {0},
};

/* Behind the image all words are names of files to take out: "unsquashfs a.sqfs -l" takes out a file called -l. */
static void judge_unsquashfs(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char needs[] = "-l -ls -ll -lls -lln -lc -llc -s -stat -cat -fstime -mkfs-time";
    static const struct shell_program row = {
        "unsquashfs",    SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = squash_options,
        .first = {READ}, .first_count = 1,   .rest = NONE,    .needs = needs};
    struct shell_arguments arguments;
    bool looks = false;
    shell_judge_row(reading, &row, words, count);
    if (!shell_arguments(reading, &row, words, count, &arguments) || arguments.help)
        return;
    for (size_t at = 1; at < arguments.first; at++)
        looks |= words[at].known && shell_names_have(needs, words[at].value);
    if (looks)
        return;
    shell_changes(reading, "unsquashfs takes files out");
}

static const struct shell_option smart_options[] = {
    FLAGS("--scan --scan-open -i --info -a --all -x --xall -H --health -A --attributes -c --capabilities"),
    VALUES("-d --device -l --log -n --nocheck -f --format -q --quietmode -v --vendorattribute -P --presets"),
    MAYBE("-j --json -g --get"),
    HELPS("-h --help -V --version"),
    {0},
};

/* A kind of log with a number behind it sets how the disk logs or recovers. */
static void check_smartctl(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (hv_str_find(words[at].value, HV_STR("scterc,"), 0) != SIZE_MAX ||
            hv_str_find(words[at].value, HV_STR("phy,reset"), 0) != SIZE_MAX ||
            hv_str_find(words[at].value, HV_STR("scttempint"), 0) != SIZE_MAX)
            shell_worsen(reading, SHELL_WRITES,
                         "smartctl sets what is given with a number, and counts anew with reset");
}

/* losetup -l DEVICE FILE makes a device of the file for all that. */
static void check_losetup(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (arguments->operand_count < 2 && !arguments->scattered)
        return;
    shell_changes(reading, "losetup makes a device of a file");
}

const struct shell_program shell_programs_disks[] = {
    {"swapon", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-s --summary --noheadings --raw --bytes -v --verbose"), MAYBE("--show"), UTIL_HELP),
     .rest = SHELL_EFFECT_WRITES, .needs = "-s --summary --show"},
    {"losetup", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-l --list -a --all -J --json -n --noheadings --raw"), VALUES("-O --output"),
                        FILES("-j --associated"), UTIL_HELP),
     .rest = READ, .needs = "-l --list -a --all -j --associated", .check = check_losetup},
    LOOKS_AT("wipefs", FLAGS("-i --noheadings -J --json -n --no-act -p --parsable -q --quiet"),
             VALUES("-O --output -t --types"), UTIL_HELP),
    {"fdisk", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-l --list -x --list-details --bytes -s --getsz"),
                        VALUES("-b --sector-size -o --output -t --type"), MAYBE("-u --units -L --color -c"), UTIL_HELP),
     .rest = READ, .needs = "-l --list -x --list-details -s --getsz"},
    {"sfdisk", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-l --list -d --dump -J --json -F --list-free -V --verify -s --show-size -g "
                              "--show-geometry -T --list-types"),
                        FLAGS("-q --quiet --bytes"), VALUES("-o --output -X --label"), HELPS("-h --help -v --version")),
     .rest = READ,
     .needs = "-l --list -d --dump -J --json -F --list-free -V --verify -s --show-size -g --show-geometry -T"
              " --list-types"},
    {"parted", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-s --script -m --machine -j --json -l --list"), CHANGES("-f --fix"),
                        HELPS("-h --help -v --version")),
     .rest = NONE, .check = check_parted},
    LOOKS_WITH("gdisk", "-l", FLAGS("-l")),
    LOOKS_WITH("sgdisk", "-p --print -i --info -v --verify -O --print-mbr -D --display-alignment -L --list-types",
               FLAGS("-p --print -v --verify -O --print-mbr -D --display-alignment -L --list-types"),
               FLAGS("-E --end-of-largest -f --first-in-largest -F --first-aligned-in-largest"), VALUES("-i --info"),
               HELPS("-? --help -V --version")),
    LOOKS_WITH("partx", "-s --show -l --list", FLAGS("-s --show -l --list -b --bytes -g --noheadings -P --pairs -r"),
               FLAGS("--raw"), VALUES("-n --nr -o --output -t --type"), UTIL_HELP),
    LOOKS_AT("dumpe2fs", FLAGS("-b -f -g -h -i -m -x"), VALUES("-o"), HELPS("-V")),
    LOOKS_WITH("tune2fs", "-l", FLAGS("-l")),
    {"e2label", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .first = {READ}, .first_count = 1, .rest = SHELL_EFFECT_WRITES},
    LOOKS_ANYHOW("xfs_info", VALUES("-t"), HELPS("-V")),
    LOOKS_ANYHOW("filefrag", FLAGS("-b -B -e -k -s -v -x -X"), HELPS("-V")),
    {"btrfs", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(GNU_HELP),
     .subcommands = SUBCOMMANDS(
         GROUP("filesystem fi",
               READS_FILES("show df usage du", FLAGS("-b --raw -h -H --human-readable --iec --si -k -m -g -t -T"),
                           FLAGS("--kbytes --mbytes --gbytes --tbytes -d --all-devices --mounted -s --summarize"))),
         GROUP("subvolume sub su",
               READS_FILES("list show get-default", FLAGS("-p -a -c -g -o -u -q -R -t -s -r -d"), MAYBE("--sort"))),
         GROUP("device dev", READS_FILES("usage", FLAGS("-b --raw -h -H --iec --si"))),
         GROUP("property prop", PLAIN("list")), GROUP("inspect-internal inspect", READS_FILES("rootid", FLAGS("-q"))),
         GROUP("scrub", PLAIN("status")), GROUP("balance", PLAIN("status")), PLAIN("version help"))},
    {"zpool", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(GNU_HELP),
     .subcommands =
         SUBCOMMANDS(ZFS("list status iostat get history version",
                         FLAGS("-H -L -P -p -v -x -g -s -t -D -e -i -l -j -n -y -q -w -a"), VALUES("-o -T")))},
    {"zfs", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(GNU_HELP),
     .subcommands = SUBCOMMANDS(ZFS("list get version holds", FLAGS("-H -p -r -F -t"), VALUES("-o -s -S -d")),
                                {"diff", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-F -H -h -t")),
                                 .rest = NONE, .check = check_zfs_diff})},
    {"lvs vgs pvs lvdisplay vgdisplay pvdisplay lvscan pvscan", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a --all -v --verbose -q --quiet --noheadings --segments --unbuffered --aligned --nosuffix --unquoted "
               "-c"),
         FLAGS("--colon -C --columns -m --maps -H --history --readonly --nolocking -P --partial -s --short --rows"),
         FLAGS("--nameprefixes"), VALUES("-o --options -O --sort -S --select --units --reportformat --separator"),
         UTIL_HELP),
     .rest = NONE},
    COMMANDS("dmsetup", SHOWS("ls info status deps targets version",
                              FLAGS("-c -C --columns --noheadings --tree -v --verbose"), VALUES("-o -O --target"))),
    LOOKS_WITH("mdadm", "-D --detail -Q --query -E --examine --detail-platform",
               FLAGS("-D --detail -Q --query -E --examine --detail-platform -s --scan -b --brief -v --verbose -Y"),
               FLAGS("--export"), HELPS("-h --help -V --version")),
    {"smartctl", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = smart_options, .rest = READ,
     .check_words = check_smartctl},
    COMMANDS("nvme", SHOWS("list list-subsys version help", FLAGS("-v --verbose"), VALUES("-o --output-format"))),

    /* Images of disks, of file systems, of firmware. */
    LOOKS_AT("isoinfo", FLAGS("-d -f -J -l -p -R -r -s"), VALUES("-x -N -T -j"), FILES("-i"), HELPS("-h -version")),
    LOOKS_AT("iso-info cd-info", FLAGS("-l -f -d --no-header --no-joliet --no-rock-ridge -q --quiet"),
             FILES("-i --input"), HELPS("-V --version -? --help --usage")),
    {"unsquashfs", .judge = judge_unsquashfs},
    LOOKS_ANYHOW("lsinitramfs", FLAGS("-l")),
    LOOKS_WITH("mkimage dumpimage", "-l", FLAGS("-l"), VALUES("-T"), HELPS("-V -h")),
    {"dtc", .judge = judge_dtc},
    LOOKS_ANYHOW("fdtdump", FLAGS("-d --debug -s --scan"), UTIL_HELP),
    {"fdtget", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-p --properties -l --list"), VALUES("-t --type -d --default"), UTIL_HELP),
     .first = {READ}, .first_count = 1, .rest = NONE},
    SHOWS("fw_printenv", FLAGS("-n --noheader"), FILES("-c --config"), HELPS("-h --help -V --version")),
    SHOWS("mtdinfo ubinfo lsmtd", FLAGS("-a --all -M --map-only -u --ubi-info"), UTIL_HELP),
    LOOKS_WITH("abootimg", "-i", FLAGS("-i")),
    LOOKS_AT("binwalk", FLAGS("-B --signature -A --opcodes -I --invalid -q --quiet -v --verbose"),
             VALUES("-R --raw -l --length -o --offset -O --base -K --block -y --include -x --exclude"),
             HELPS("-h --help")),
    LOOKS_AT("fiwalk fls ils mmls fsstat img_stat mmstat istat", FLAGS("-r -p -l -a -d -u -D -F -v"),
             VALUES("-o -i -f -t -B -b -z"), HELPS("-V")),
    {"qemu-img qemu-nbd qemu-io", .judge = shell_judge_tool},

    /* Boards. */
    SHOWS("st-info", FLAGS("--probe --flash --sram --descr --pagesize --chipid --serial"), HELPS("--version --help")),
    COMMANDS("probe-rs", PLAIN("list"), GROUP("chip", PLAIN("list info"))),
    COMMANDS("picotool", LOOKS_AT("info", FLAGS("-a --all -b --basic -p --pins -d --device -l --build --debug")),
             PLAIN("help version")),
    {"gpiodetect gpioinfo", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("-h --help -v --version")),
     .rest = NONE},
    {"i2cdetect", SHELL_SYNTAX_EXACT, SHELL_WRITES, "i2cdetect writes to the bus",
     .options = OPTIONS(HELPS("-l -V -h")), .rest = NONE},
    {"v4l2-ctl", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--list-devices -D --info --all --list-formats --list-formats-ext -L --list-ctrls-menus"
                              " -l --list-ctrls --get-fmt-video -V"),
                        FILES("-d --device"), HELPS("-h --help")),
     .needs = "--list-devices -D --info --all --list-formats --list-formats-ext -L --list-ctrls-menus -l --list-ctrls"
              " --get-fmt-video -V"},
    SHOWS_WITH("aplay arecord", "-l --list-devices -L --list-pcms", FLAGS("-l --list-devices -L --list-pcms"),
               HELPS("-h --help --version")),
    COMMANDS("pactl", PLAIN("list info stat get-default-sink get-default-source")),
    COMMANDS("wpctl", PLAIN("status inspect get-volume")),
    {0},
};
