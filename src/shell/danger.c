/*
 * danger.c: see danger.h. One row per program that can do great harm, with the function that looks at its words; then
 * what only shows in the script as a whole (danger_flow.c).
 */
#include "shell/danger.h"

#include "shell/danger_flow.h"
#include "shell/danger_paths.h"
#include "shell/danger_secrets.h"
#include "shell/danger_tells.h"

#include <string.h>

#define DESTROYS_TREE "it would destroy a root or home directory"
#define WRITES_DEVICE "it would write to a block device"
#define DESTROYS_ACCOUNTS "it would overwrite the accounts or mounts of the system"

struct scan {
    struct hv_arena *arena;
    const struct shell_danger_world *world;
    const struct shell_run *run;
    struct hv_str directory;         /* that run is looked at in; absent: not known */
    const struct suspects *suspects; /* where it may run when that is not known; NULL: nobody knows */
    size_t options_end;              /* where the "--" of run stands, or behind its words; 0: not looked for yet */
    struct shell_danger found;       /* the gravest so far */
};

/* The places that matter. */
struct suspects {
    struct shell_danger_world world; /* without links: what may be is not looked up */
    struct hv_str items[SHELL_NAMED_PLACES_MAX + 1];
    size_t count;
};

static void report(struct scan *scan, enum shell_danger_level level, const char *what)
{
    if (level > scan->found.level)
        scan->found = (struct shell_danger){level, what, scan->run};
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static struct hv_str word_at(const struct shell_run *run, size_t at)
{
    return at < run->word_count ? shell_word_text(&run->words[at]) : (struct hv_str){0};
}

/* An option of one letter, alone or among others; or a long one or a beginning of it. */
static bool has_option(const struct shell_run *run, char letter, const char *longer)
{
    for (size_t i = 1; i < run->word_count; i++) {
        struct hv_str word = word_at(run, i);
        if (hv_str_is(word, "--"))
            return false;
        bool is_long = hv_str_starts(word, HV_STR("--"));
        if (is_long && longer && word.len > 3 &&
            hv_str_starts(hv_str_from(longer), hv_str_slice(word, 0, hv_str_find_byte(word, '=', 0))))
            return true;
        if (!is_long && hv_str_starts(word, HV_STR("-")) && letter && hv_str_find_byte(word, letter, 1) != SIZE_MAX)
            return true;
    }
    return false;
}

/* The first word behind the options, and its place; absent when there is none. */
static struct hv_str first_operand(const struct shell_run *run, size_t *at)
{
    for (*at = 1; *at < run->word_count; (*at)++)
        if (!hv_str_starts(word_at(run, *at), HV_STR("-")))
            return word_at(run, *at);
    return (struct hv_str){0};
}

/* What may be an operand: not an option, unless it stands behind "--". */
static bool is_operand(struct scan *scan, size_t at)
{
    const struct shell_run *run = scan->run;
    if (!hv_str_starts(run->words[at].value, HV_STR("-")) || hv_str_is(run->words[at].value, "-"))
        return true;
    if (!scan->options_end)
        for (scan->options_end = 1; scan->options_end < run->word_count; scan->options_end++)
            if (hv_str_is(run->words[scan->options_end].value, "--"))
                break;
    return at > scan->options_end;
}

/* ---- what is destroyed ------------------------------------------------------------------------------------------- */

/* A word that is removed, or changed, with all below it when whole. */
static void check_tree(struct scan *scan, const struct shell_word *word, bool whole)
{
    bool contents;
    enum danger_place place = danger_place_of(scan->arena, scan->world, scan->directory, word, &contents);
    if (place == DANGER_PLACE_NONE || (!whole && !contents))
        return;
    if (place == DANGER_PLACE_WORKSPACE)
        report(scan, SHELL_DANGER_CONFIRM, "it would remove the whole workspace");
    else if (place == DANGER_PLACE_PARENT)
        report(scan, SHELL_DANGER_FORBID, "it would destroy the workspace and what is around it");
    else if (place == DANGER_PLACE_SHARED && contents)
        report(scan, SHELL_DANGER_CONFIRM, "it would empty a directory that others use, too");
    else
        report(scan, SHELL_DANGER_FORBID, DESTROYS_TREE);
}

static void check_removal(struct scan *scan)
{
    const struct shell_run *run = scan->run;
    bool whole = has_option(run, 'r', "--recursive") || has_option(run, 'R', NULL);
    if (has_option(run, 0, "--no-preserve-root") && !has_option(run, 0, "--no-p="))
        report(scan, SHELL_DANGER_FORBID, DESTROYS_TREE);
    for (size_t i = 1; i < run->word_count; i++) {
        /* An option that nobody knows may be -r. */
        whole |= !run->words[i].known && !run->words[i].value.len && run->words[i].flags & SHELL_WORD_MANY &&
                 !(run->words[i].flags & SHELL_WORD_GLOB) && i + 1 < run->word_count;
    }
    for (size_t i = 1; i < run->word_count; i++)
        if (is_operand(scan, i))
            check_tree(scan, &run->words[i], whole);
}

/* chmod, chown, chgrp …: with -R on a tree; alone on the root itself it is confirmed. */
static void check_ownership(struct scan *scan)
{
    const struct shell_run *run = scan->run;
    size_t at;
    bool whole = has_option(run, 'R', "--recursive");
    (void)first_operand(run, &at);
    if (has_option(run, 0, "--no-preserve-root"))
        report(scan, SHELL_DANGER_FORBID, DESTROYS_TREE);
    for (size_t i = 1; i < run->word_count; i++) {
        bool contents;
        if (i == at || !is_operand(scan, i))
            continue;
        enum danger_place place = danger_place_of(scan->arena, scan->world, scan->directory, &run->words[i], &contents);
        if (place == DANGER_PLACE_NONE || place == DANGER_PLACE_WORKSPACE)
            continue;
        report(scan, whole ? SHELL_DANGER_FORBID : SHELL_DANGER_CONFIRM,
               whole ? "it would change who may use a root or home directory"
                     : "it changes who may use a directory of the system");
    }
}

static bool is_test_of_find(struct hv_str word)
{
    return shell_is_one_of(word, "-name -iname -path -ipath -wholename -regex -iregex -newer -mtime -mmin -atime -amin "
                                 "-ctime -cmin -size -user -group -empty -uid -gid -perm -inum -nouser -nogroup "
                                 "-samefile -lname -maxdepth");
}

/* find / -delete; with a test that narrows it, it is confirmed. */
static void check_find(struct scan *scan)
{
    const struct shell_run *run = scan->run;
    bool removes = danger_has_word(run, "-delete"), narrowed = false, roots = false;
    for (size_t i = 1; i + 1 < run->word_count; i++)
        if (shell_is_one_of(word_at(run, i), "-exec -execdir -ok -okdir -x -X"))
            removes |= shell_is_one_of(shell_base_name(word_at(run, i + 1)), "rm shred unlink rmdir srm");
    if (!removes)
        return;
    for (size_t i = 1; i < run->word_count; i++)
        narrowed |= is_test_of_find(word_at(run, i)) && !hv_str_is(word_at(run, i + 1), "*");
    for (size_t i = 1; i < run->word_count; i++) {
        struct hv_str word = word_at(run, i);
        if (shell_is_one_of(word, "-H -L -P"))
            continue;
        if (hv_str_starts(word, HV_STR("-")) || shell_is_one_of(word, "! ("))
            break;
        roots = true;
        struct scan part = {.arena = scan->arena, .world = scan->world, .run = run, .directory = scan->directory};
        check_tree(&part, &run->words[i], true);
        if (narrowed && part.found.level)
            part.found.level = part.found.level == SHELL_DANGER_FORBID ? SHELL_DANGER_CONFIRM : SHELL_DANGER_NONE;
        report(scan, part.found.level, part.found.what);
    }
    struct hv_str here = scan->directory;
    if (!roots && here.len)
        check_tree(scan, &(struct shell_word){.text = here, .value = here, .known = true}, true);
}

/* mv: what is moved away is gone from its place. */
static void check_move(struct scan *scan)
{
    const struct shell_run *run = scan->run;
    for (size_t i = 1; i + 1 < run->word_count; i++)
        if (is_operand(scan, i))
            check_tree(scan, &run->words[i], true);
    if (hv_str_is(word_at(run, run->word_count - 1), "/dev/null"))
        report(scan, SHELL_DANGER_CONFIRM, "it throws away what it moves");
}

static void check_rsync(struct scan *scan)
{
    const struct shell_run *run = scan->run;
    if (has_option(run, 0, "--delete") || danger_has_word(run, "--delete-before --delete-after --delete-during --del"))
        check_tree(scan, &run->words[run->word_count - 1], true);
}

/* ---- devices and the files that everything depends on ------------------------------------------------------------ */

/* A place that is written. */
static void check_target(struct scan *scan, const struct shell_word *word)
{
    struct hv_str directory = scan->directory, written, resolved;
    bool unsure = false;
    if (!word->value.len || !danger_path_of(scan->arena, scan->world, directory, word->value, &written, &resolved))
        return;
    if (danger_is_device_at(word, written, resolved, &unsure))
        report(scan, SHELL_DANGER_FORBID, WRITES_DEVICE);
    else if (unsure)
        report(scan, SHELL_DANGER_CONFIRM, "it may write to a block device");
    if (danger_is_account_file(written) || danger_is_account_file(resolved))
        report(scan, SHELL_DANGER_FORBID, DESTROYS_ACCOUNTS);
}

static void check_all_targets(struct scan *scan)
{
    for (size_t i = 1; i < scan->run->word_count; i++)
        if (is_operand(scan, i))
            check_target(scan, &scan->run->words[i]);
}

static void check_last_target(struct scan *scan)
{
    if (scan->run->word_count > 1)
        check_target(scan, &scan->run->words[scan->run->word_count - 1]);
}

/* sed -i, perl -i: they write what they are given. */
static void check_in_place(struct scan *scan)
{
    if (has_option(scan->run, 'i', "--in-place"))
        check_all_targets(scan);
}

/* dd of=… */
static void check_dd(struct scan *scan)
{
    for (size_t i = 1; i < scan->run->word_count; i++) {
        struct shell_word word = scan->run->words[i];
        if (!hv_str_starts(word.value, HV_STR("of=")))
            continue;
        word.value = hv_str_slice(word.value, 3, word.value.len);
        check_target(scan, &word);
    }
}

/* Partition tables, file systems: writing, unless they are told to list. */
static void check_disk_tool(struct scan *scan)
{
    static const char lists[] = "-l --list -p --print print -d --dump --no-act -n --dry-run -V --version -h --help -G "
                                "--show-geometry --getsize64 status isLuks luksDump list info --detail --examine";
    bool unsure = false;
    if (danger_has_word(scan->run, lists) || danger_only_tells(scan->run))
        return;
    if (hv_str_is(scan->run->name, "wipefs") && !has_option(scan->run, 'a', "--all") &&
        !has_option(scan->run, 'o', "--offset"))
        return;
    for (size_t i = 1; i < scan->run->word_count; i++)
        if (danger_is_device(scan->arena, scan->world, scan->directory, &scan->run->words[i], &unsure))
            report(scan, SHELL_DANGER_FORBID, WRITES_DEVICE);
    for (size_t i = 1; i < scan->run->word_count; i++)
        unsure |= !scan->run->words[i].known && scan->run->words[i].flags & SHELL_WORD_VARIABLE;
    if (unsure || shell_is_one_of(scan->run->name, "fdisk cfdisk gdisk parted"))
        report(scan, SHELL_DANGER_CONFIRM, "it may write to a block device");
}

static void check_shred(struct scan *scan)
{
    check_all_targets(scan);
    check_removal(scan);
}

static void check_remove_and_target(struct scan *scan)
{
    check_removal(scan);
    check_all_targets(scan);
}

static void check_move_and_targets(struct scan *scan)
{
    check_move(scan);
    check_all_targets(scan);
}

/* ---- processes and the machine ----------------------------------------------------------------------------------- */

/* kill -9 -1: everything that may be killed. */
static void check_kill(struct scan *scan)
{
    const struct shell_run *run = scan->run;
    for (size_t i = 1; i < run->word_count; i++) {
        struct hv_str word = word_at(run, i);
        bool behind_signal = i > 1; /* kill -1 PID is a signal */
        if (hv_str_is(word, "-1") && behind_signal && !shell_is_one_of(word_at(run, i - 1), "-s -n"))
            report(scan, SHELL_DANGER_FORBID, "it would end every process");
        else if (hv_str_is(word, "1") && !shell_is_one_of(word_at(run, i - 1), "-s -n"))
            report(scan, SHELL_DANGER_CONFIRM, "it signals the first process of the system");
    }
}

static void check_always(struct scan *scan)
{
    if (danger_only_tells(scan->run))
        return;
    report(scan, SHELL_DANGER_CONFIRM, "it changes the machine for everybody");
}

static void check_ldconfig(struct scan *scan)
{
    if (!danger_has_word(scan->run, "-p --print-cache"))
        check_always(scan);
}

static void check_changer(struct scan *scan)
{
    if (danger_only_tells(scan->run))
        return;
    report(scan, SHELL_DANGER_CONFIRM, "it acts as another user");
}

static void check_account(struct scan *scan)
{
    if (danger_only_tells(scan->run))
        return;
    report(scan, SHELL_DANGER_CONFIRM, "it changes the accounts of the machine");
}

static void check_kill_all(struct scan *scan)
{
    report(scan, SHELL_DANGER_FORBID, "it would end every process");
}

static void check_help_or(struct scan *scan, const char *harmless, const char *what)
{
    if (!danger_has_word(scan->run, harmless))
        report(scan, SHELL_DANGER_CONFIRM, what);
}

/* `mount -l -t ext4`: what is mounted of that kind. */
static bool lists_mounts(const struct shell_run *run)
{
    for (size_t at = 1; at < run->word_count; at++)
        if (hv_str_is(word_at(run, at), "-t") && at + 1 < run->word_count && run->words[at + 1].known)
            at++;
        else if (!hv_str_is(word_at(run, at), "-l"))
            return false;
    return true;
}

static void check_mount(struct scan *scan)
{
    const struct shell_run *run = scan->run;
    if (run->word_count == 1 || (run->word_count == 2 && shell_is_one_of(word_at(run, 1), "-l -V --version -h --help")))
        return; /* it lists */
    if (hv_str_is(run->name, "mount") && lists_mounts(run))
        return;
    if (hv_str_is(run->name, "losetup") && shell_is_one_of(word_at(run, 1), "-a --all -l --list"))
        return;
    report(scan, SHELL_DANGER_CONFIRM, "it changes what is mounted");
}

static void check_crontab(struct scan *scan)
{
    check_help_or(scan, "-l", "it changes scheduled jobs");
}

static void check_at(struct scan *scan)
{
    check_help_or(scan, "-l -c -V", "it schedules a job");
}

static void check_firewall(struct scan *scan)
{
    check_help_or(scan, "-L -S -nL -vL -nvL -Lnv -Ln --list --list-rules list status show --list-all --state",
                  "it changes the firewall");
}

static void check_systemctl(struct scan *scan)
{
    static const char harmless[] = "status show cat list-units list-unit-files list-timers list-sockets list-jobs "
                                   "list-dependencies list-machines is-active is-enabled is-failed is-system-running "
                                   "help get-default show-environment --version --help list-paths list-automounts "
                                   "list-sessions session-status show-session list-users user-status show-user "
                                   "list-seats seat-status show-seat";
    size_t at;
    struct hv_str verb = first_operand(scan->run, &at);
    if (!verb.len || shell_is_one_of(verb, harmless) || danger_has_word(scan->run, "--version --help"))
        return;
    report(scan, SHELL_DANGER_CONFIRM, "it changes services of the machine");
}

static void check_service(struct scan *scan)
{
    check_help_or(scan, "status --status-all list print blame", "it changes services of the machine");
}

static void check_sysctl(struct scan *scan)
{
    const struct shell_run *run = scan->run;
    bool writes = has_option(run, 'w', "--write") || has_option(run, 'p', "--load") || danger_has_word(run, "--system");
    for (size_t i = 1; i < run->word_count; i++)
        writes |= hv_str_find_byte(word_at(run, i), '=', 0) != SIZE_MAX;
    if (writes)
        report(scan, SHELL_DANGER_CONFIRM, "it changes settings of the kernel");
}

static void check_clock(struct scan *scan)
{
    bool sets = !danger_only_tells(scan->run) && has_option(scan->run, 's', "--set");
    if (sets || danger_has_word(scan->run, "set-time set-timezone set-ntp set-hostname -w"))
        report(scan, SHELL_DANGER_CONFIRM, "it changes the clock or the name of the machine");
}

/* Where the object of ip stands ("addr" in "ip -4 addr show"): behind options without an argument. */
static size_t object_of_ip(const struct shell_run *run)
{
    static const char flags[] =
        "-4 -6 -0 -s -stats -statistics -d -details -o -oneline -br -brief -j -json -p -pretty "
        "-c -color -c=auto -c=always -c=never -color=auto -color=always -color=never --color=auto "
        "--color=always --color=never -h -human -iec -t -timestamp -ts -N -Numeric";
    size_t at = 1;
    while (at < run->word_count && shell_is_one_of(word_at(run, at), flags))
        at++;
    return hv_str_starts(word_at(run, at), HV_STR("-")) ? 1 : at;
}

static void check_network_setup(struct scan *scan)
{
    const struct shell_run *run = scan->run;
    size_t object = hv_str_is(run->name, "ip") ? object_of_ip(run) : 1;
    /* "ip link show up" shows what is up. */
    if (hv_str_is(run->name, "ip") && object < run->word_count && run->words[object].known &&
        (shell_is_one_of(word_at(run, object + 1), "show list ls lst") ||
         (shell_is_one_of(word_at(run, object), "a addr address") && hv_str_is(word_at(run, object + 1), "s"))))
        return;
    bool changes = danger_has_word(run, "add del delete set flush change replace append up down");
    /* "ip a" shows addresses, "ip addr a" adds one. */
    for (size_t at = object + 1; at < run->word_count; at++)
        changes |= shell_is_one_of(word_at(run, at), "a d");
    if (changes)
        report(scan, SHELL_DANGER_CONFIRM, "it changes the network of the machine");
}

/* ---- secrets ----------------------------------------------------------------------------------------------------- */

static void check_shown_variables(struct scan *scan)
{
    if (danger_shows_secret(scan->run))
        report(scan, SHELL_DANGER_CONFIRM, "it shows a secret of the environment");
}

static void check_ssh_add(struct scan *scan)
{
    check_help_or(scan, "-l -L", "it changes the keys that the SSH agent holds");
}

static void check_secrets(struct scan *scan)
{
    if (danger_reads_secrets(scan->run))
        report(scan, SHELL_DANGER_CONFIRM, "it reads or changes credentials");
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Sorted by name; a program may have several rows. */
/* clang-format off */
static const struct row {
    const char *name;
    void (*check)(struct scan *scan);
} rows[] = {
    {"addgroup", check_account}, {"adduser", check_account}, {"age", check_secrets}, {"apachectl", check_always},
    {"at", check_at}, {"aws", check_secrets}, {"az", check_secrets}, {"badblocks", check_disk_tool},
    {"batch", check_at}, {"blkdiscard", check_disk_tool}, {"bputil", check_always}, {"brctl", check_network_setup},
    {"bw", check_secrets}, {"capsh", check_changer}, {"cat", check_shown_variables}, {"cfdisk", check_disk_tool},
    {"chamber", check_secrets}, {"chattr", check_ownership}, {"chcon", check_ownership}, {"chfn", check_account},
    {"chgrp", check_ownership}, {"chkconfig", check_service}, {"chmod", check_ownership}, {"chown", check_ownership},
    {"chpasswd", check_account}, {"chroot", check_always}, {"chsh", check_account}, {"cp", check_last_target},
    {"crontab", check_crontab}, {"cryptsetup", check_disk_tool}, {"csrutil", check_always}, {"date", check_clock},
    {"dc3dd", check_dd}, {"dcfldd", check_dd}, {"dd", check_dd}, {"delgroup", check_account},
    {"deluser", check_account}, {"diskutil", check_always}, {"dmsetup", check_disk_tool}, {"doas", check_changer},
    {"docker", check_secrets}, {"doppler", check_secrets}, {"dscl", check_account}, {"ebtables", check_firewall},
    {"echo", check_shown_variables}, {"ed", check_all_targets}, {"efibootmgr", check_always},
    {"ethtool", check_network_setup}, {"ex", check_all_targets}, {"fallocate", check_all_targets}, {"fd", check_find},
    {"fdfind", check_find}, {"fdisk", check_disk_tool}, {"find", check_find}, {"firewall-cmd", check_firewall},
    {"fusermount", check_mount}, {"gcloud", check_secrets}, {"gdisk", check_disk_tool}, {"gh", check_secrets},
    {"gio", check_remove_and_target}, {"git", check_secrets}, {"glab", check_secrets}, {"gopass", check_secrets},
    {"gosu", check_changer}, {"gpasswd", check_account}, {"gpg", check_secrets}, {"gpg2", check_secrets},
    {"groupadd", check_account}, {"groupdel", check_account}, {"groupmod", check_account},
    {"grub-install", check_always}, {"gsed", check_in_place}, {"halt", check_always}, {"hdparm", check_disk_tool},
    {"heroku", check_secrets}, {"hostnamectl", check_clock}, {"hwclock", check_clock},
    {"ifconfig", check_network_setup}, {"infisical", check_secrets}, {"init", check_always},
    {"initctl", check_service}, {"insmod", check_always}, {"install", check_last_target}, {"ip", check_network_setup},
    {"ip6tables", check_firewall}, {"ipset", check_firewall}, {"iptables", check_firewall},
    {"iptables-restore", check_firewall}, {"iw", check_network_setup}, {"iwconfig", check_network_setup},
    {"k", check_secrets}, {"kexec", check_always}, {"keyctl", check_secrets}, {"keyring", check_secrets},
    {"kill", check_kill}, {"killall5", check_kill_all}, {"kubectl", check_secrets}, {"launchctl", check_service},
    {"ldconfig", check_ldconfig}, {"ln", check_last_target}, {"loginctl", check_systemctl}, {"losetup", check_mount},
    {"lpass", check_secrets}, {"lvremove", check_disk_tool}, {"machinectl", check_changer},
    {"mdadm", check_disk_tool}, {"mkdosfs", check_disk_tool}, {"mke2fs", check_disk_tool},
    {"mkntfs", check_disk_tool}, {"mkswap", check_disk_tool}, {"modprobe", check_always}, {"mount", check_mount},
    {"mv", check_move_and_targets}, {"newgrp", check_changer}, {"newusers", check_account}, {"nft", check_firewall},
    {"nmcli", check_network_setup}, {"npm", check_secrets}, {"nsenter", check_always}, {"nvme", check_disk_tool},
    {"nvram", check_always}, {"oc", check_secrets}, {"op", check_secrets}, {"parted", check_disk_tool},
    {"partprobe", check_disk_tool}, {"pass", check_secrets}, {"passwd", check_account}, {"perl", check_in_place},
    {"pfctl", check_firewall}, {"pivot_root", check_always}, {"pkexec", check_changer}, {"pmset", check_always},
    {"podman", check_secrets}, {"poweroff", check_always}, {"printenv", check_shown_variables},
    {"printf", check_shown_variables}, {"pvcreate", check_disk_tool}, {"pvremove", check_disk_tool},
    {"rc-service", check_service}, {"rc-update", check_service}, {"reboot", check_always},
    {"resize2fs", check_disk_tool}, {"restorecon", check_ownership}, {"rm", check_remove_and_target},
    {"rmdir", check_remove_and_target}, {"rmmod", check_always}, {"route", check_network_setup},
    {"rsync", check_rsync}, {"run0", check_changer}, {"runuser", check_changer}, {"secret-tool", check_secrets},
    {"security", check_secrets}, {"sed", check_in_place}, {"service", check_service}, {"setcap", check_always},
    {"setenforce", check_always}, {"setfacl", check_ownership}, {"setpriv", check_changer},
    {"sfdisk", check_disk_tool}, {"sg", check_changer}, {"sg_format", check_disk_tool}, {"sgdisk", check_disk_tool},
    {"shred", check_shred}, {"shutdown", check_always}, {"sops", check_secrets}, {"sponge", check_all_targets},
    {"srm", check_remove_and_target}, {"ssh-add", check_ssh_add}, {"ssh-keygen", check_secrets},
    {"su", check_changer}, {"su-exec", check_changer}, {"sudo", check_changer}, {"sudoedit", check_changer},
    {"supervisorctl", check_service}, {"swapoff", check_disk_tool}, {"swapon", check_disk_tool},
    {"switch_root", check_always}, {"sysadminctl", check_account}, {"sysctl", check_sysctl},
    {"systemctl", check_systemctl}, {"tc", check_network_setup}, {"tee", check_all_targets},
    {"telinit", check_always}, {"terraform", check_secrets}, {"timedatectl", check_clock},
    {"trash", check_remove_and_target}, {"truncate", check_all_targets}, {"tune2fs", check_disk_tool},
    {"ufw", check_firewall}, {"umount", check_mount}, {"unlink", check_remove_and_target},
    {"update-alternatives", check_always}, {"update-grub", check_always}, {"update-rc.d", check_always},
    {"useradd", check_account}, {"userdel", check_account}, {"usermod", check_account}, {"vault", check_secrets},
    {"vgcreate", check_disk_tool}, {"vgremove", check_disk_tool}, {"vigr", check_account}, {"vipw", check_account},
    {"visudo", check_always}, {"visudo", check_changer}, {"wipefs", check_disk_tool}, {"xfs_growfs", check_disk_tool},
    {"zpool", check_disk_tool},
};
/* clang-format on */

enum { ROW_COUNT = sizeof rows / sizeof *rows };

static size_t first_row(struct hv_str name)
{
    size_t low = 0, high = ROW_COUNT;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (shell_compare_name(name, rows[middle].name) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool makes_file_system(struct hv_str name)
{
    return hv_str_starts(name, HV_STR("mkfs")) || hv_str_starts(name, HV_STR("newfs"));
}

/* What a program of that name is checked for. */
struct checked {
    struct hv_str name;
    size_t row; /* the first one; ROW_COUNT: none */
    bool makes_file_system;
};

static struct checked look_up_name(struct hv_str name)
{
    size_t row = first_row(name);
    bool has_row = row < ROW_COUNT && !shell_compare_name(name, rows[row].name);
    return (struct checked){name, has_row ? row : ROW_COUNT, makes_file_system(name)};
}

static bool is_checked(const struct checked *checked)
{
    return checked->row < ROW_COUNT || checked->makes_file_system;
}

static void check_redirects(struct scan *scan, const struct shell_command *command)
{
    for (size_t i = 0; i < command->redirect_count; i++) {
        const struct shell_redirect *redirect = &command->redirects[i];
        switch (redirect->kind) {
        case SHELL_REDIRECT_WRITE:
        case SHELL_REDIRECT_APPEND:
        case SHELL_REDIRECT_BOTH:
        case SHELL_REDIRECT_BOTH_APPEND:
        case SHELL_REDIRECT_READ_WRITE: check_target(scan, &redirect->target); break;
        default: break;
        }
    }
}

/* "iptables --version": whatever the program is, this alone does nothing. */
static bool asks_version(const struct shell_run *run)
{
    return run->word_count == 2 && run->words[1].known &&
           shell_is_one_of(run->words[1].value, "--version --help -V -version");
}

static void check_run_here(struct scan *scan, const struct checked *checked)
{
    struct hv_str name = scan->run->name;
    bool asks = asks_version(scan->run) || (scan->run->word_count == 2 && hv_str_is(name, "apachectl") &&
                                            shell_is_one_of(word_at(scan->run, 1), "-v -V"));
    for (size_t i = checked->row; !asks && i < ROW_COUNT && !shell_compare_name(name, rows[i].name); i++)
        rows[i].check(scan);
    if (checked->makes_file_system)
        check_disk_tool(scan);
    if (scan->run->words == scan->run->command->words)
        check_redirects(scan, scan->run->command);
    /* What happens on another machine is not this one's end. */
    if (scan->run->elsewhere && scan->found.level == SHELL_DANGER_FORBID)
        scan->found.level = SHELL_DANGER_CONFIRM;
}

/* What it is checked for is the same in every directory. */
static bool is_checked_without_place(const struct scan *scan, const struct checked *checked)
{
    const struct shell_run *run = scan->run;
    if (checked->makes_file_system || (run->words == run->command->words && run->command->redirect_count))
        return false;
    for (size_t i = checked->row; i < ROW_COUNT && !shell_compare_name(run->name, rows[i].name); i++)
        if (rows[i].check != check_secrets && rows[i].check != check_shown_variables && rows[i].check != check_always)
            return false;
    return true;
}

static struct shell_danger danger_in(const struct scan *scan, const struct shell_danger_world *world,
                                     const struct checked *checked, struct hv_str directory)
{
    struct scan there = {.arena = scan->arena, .world = world, .run = scan->run, .directory = directory};
    check_run_here(&there, checked);
    return there.found;
}

static void find_suspects(const struct shell_danger_world *world, struct suspects *out)
{
    out->world = *world;
    out->world.resolve = NULL;
    for (size_t i = 0; i < world->places->count; i++)
        if (danger_place_is_guarded(world, world->places->items[i]))
            out->items[out->count++] = world->places->items[i];
    /* cd $x where x is not set goes home */
    if (world->home.len)
        out->items[out->count++] = world->home;
}

/* Where it is not known at all in which directory it runs. */
static void check_astray_run(struct scan *scan, const struct checked *checked)
{
    const struct suspects *suspects = scan->suspects;
    const struct shell_danger_world *world = &suspects->world;
    bool found = false;
    for (size_t i = 0; !found && i < suspects->count; i++)
        found = danger_in(scan, world, checked, suspects->items[i]).level == SHELL_DANGER_FORBID;
    if (found)
        report(scan, SHELL_DANGER_CONFIRM,
               "it may destroy what the system needs: in which directory it runs is not known");
    /* cd "$x" where x is not set stays */
    for (size_t i = 0; !found && i < world->root_count; i++) {
        struct shell_danger danger = danger_in(scan, world, checked, world->roots[i]);
        if (danger.level)
            report(scan, SHELL_DANGER_CONFIRM, danger.what);
    }
}

/* Wherever it may run. */
static void check_run(struct scan *scan, const struct checked *checked)
{
    const struct shell_command *command = scan->run->command;
    uint32_t some = command->places ? command->places : command->likely_places;
    const struct shell_choices *choices = some ? &scan->run->script->choices[some - 1] : NULL;
    scan->directory = command->directory;
    check_run_here(scan, checked);
    if (command->directory.len || is_checked_without_place(scan, checked))
        return;
    for (uint32_t i = 0; i < (choices ? choices->count : 0); i++) {
        struct shell_danger danger = danger_in(scan, scan->world, checked, choices->values[i]);
        report(scan, danger.level, danger.what);
    }
    if (command->likely_directory.len) {
        struct shell_danger danger = danger_in(scan, scan->world, checked, command->likely_directory);
        report(scan, danger.level, danger.what);
    }
    if (!command->likely_directory.len && !choices && scan->suspects)
        check_astray_run(scan, checked);
}

/* "> /dev/sda" alone, or of a group: no run has these redirections. */
static void check_bare_redirects(struct scan *scan, const struct shell_script *script)
{
    for (size_t i = 0; i < script->count; i++)
        if (script->commands[i].kind != SHELL_COMMAND_SIMPLE || !script->commands[i].word_count) {
            struct shell_run run = {.script = script, .command = &script->commands[i]};
            scan->run = &run;
            scan->directory = script->commands[i].directory;
            check_redirects(scan, &script->commands[i]);
        }
    scan->run = NULL;
    scan->found.run = NULL;
}

/* The dangers of each run, to items: how many. *too_much: guesses whose words are too many to look at are left out,
 * since each that has a row looks at all behind it. */
static size_t check_runs(struct scan *start, const struct shell_runs *runs, struct shell_danger *items, bool *too_much)
{
    enum { GUESSED_WORDS_MAX = 1 << 13 };
    struct checked last = {.row = ROW_COUNT};
    size_t count = 0, guessed_words = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct shell_run *run = &runs->items[i];
        if (!hv_str_eq(last.name, run->name)) /* often so */
            last = look_up_name(run->name);
        if (!is_checked(&last) && !run->command->redirect_count)
            continue;
        guessed_words += run->guessed && is_checked(&last) ? run->word_count : 0;
        *too_much |= guessed_words > GUESSED_WORDS_MAX;
        if (run->guessed && guessed_words > GUESSED_WORDS_MAX)
            continue;
        struct scan scan = *start;
        scan.run = run;
        check_run(&scan, &last);
        if (scan.found.level)
            items[count++] = scan.found;
    }
    return count;
}

void shell_find_dangers(struct hv_arena *arena, const struct shell_script *script, const struct shell_runs *runs,
                        const struct shell_danger_world *world, struct shell_dangers *out)
{
    struct shell_danger *items = hv_arena_alloc(arena, (runs->count + DANGER_FLOW_MAX + 2) * sizeof *items);
    size_t count = danger_find_flows(script, runs, items);
    struct scan whole = {.arena = arena, .world = world}, fresh = whole;
    struct suspects suspects = {0};
    bool too_much = false;
    if (world->places)
        find_suspects(world, &suspects);
    fresh.suspects = world->places ? &suspects : NULL;
    check_bare_redirects(&whole, script);
    if (whole.found.level)
        items[count++] = whole.found;
    count += check_runs(&fresh, runs, items + count, &too_much);
    if (too_much && runs->complete)
        items[count++] = (struct shell_danger){SHELL_DANGER_CONFIRM, DANGER_TOO_MUCH, NULL};
    *out = (struct shell_dangers){items, count};
}
