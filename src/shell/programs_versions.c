/*
 * programs_versions.c: programs of which nothing is known but that they tell their version, or how they are used, when
 * that is all that they are asked. Left out are those that look for a newer version first (fly, infracost,
 * telepresence), load plugins of the project before (pdm, cpack, MSBuild), start a server (eslint_d), or take the word
 * for something else (mutt, xclip).
 */
#include "shell/programs.h"
#include "shell/rows.h"

/* The only word behind the name is one of asked. */
static void judge_asked(struct shell_reading *reading, const struct shell_word *words, size_t count, const char *asked)
{
    if (count == 2 && words[1].known && shell_names_have(asked, words[1].value))
        return;
    reading->act.reads_listed = reading->act.writes_listed = false;
    shell_worsenf(reading, SHELL_UNKNOWN, "what %.*s does is not known", HV_STR_ARG(words[0].value));
}

static void judge_long(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    judge_asked(reading, words, count, "--version --help");
}

static void judge_version(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    judge_asked(reading, words, count, "--version");
}

static void judge_letter(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    judge_asked(reading, words, count, "-V");
}

static void judge_one_dash(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    judge_asked(reading, words, count, "-version");
}

static void judge_word(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    judge_asked(reading, words, count, "version --version");
}

const struct shell_program shell_programs_versions[] = {
    /* Searching, editing, terminals. */
    {"ast-grep btm bandwhich codespell d2 ddrescue fq gping hatch kitty lazydocker mdcat onefetch "
     "oxlint selene silicon stylua taplo tree-sitter ttyd wezterm alacritty foot xsel "
     "zoxide wl-copy wl-paste dstat pv espeak espeak-ng lame timidity fluidsynth firefox",
     .judge = judge_long},
    /* Languages and builds. */
    {"cargo-audit cargo-deny cargo-expand cargo-nextest cargo-watch cargo-outdated ctest cython dprint "
     "goreleaser hlint indent astyle uncrustify thrift flatc capnp gcovr lcov kcov heaptrack cppclean cpplint yapf "
     "autopep8 pyupgrade pip-audit virtualenv pipenv sqlfluff phpcs phpcbf swiftformat xcpretty uglifyjs sass "
     "browserslist svgo htmlhint mitmproxy gitlab-runner jwt optipng jpegoptim qrencode zbarimg stow chezmoi task",
     .judge = judge_long},
    /* Machines and clusters: ceph asks its monitors how it is used. */
    {"grub-install logrotate smbclient iscsiadm targetcli drbdadm pcs ceph gluster lxc-ls trace-cmd lttng turbostat "
     "fio gnome-shell plasmashell i3 kscreen-doctor ostree toolbox distrobox emerge firejail bwrap fakeroot "
     "age certtool ausearch salt-call kubeseal kubeconform kubeval conftest virt-install tzselect dpkg-parsechangelog "
     "ddcutil",
     .judge = judge_version},
    {"ipmitool monit p4 abcm2ps", .judge = judge_letter},
    {"Xorg cwebp dwebp mage comby grpcurl apktool", .judge = judge_one_dash},
    {"kompose opa tailscale swiftlint lefthook pass", .judge = judge_word},
    {"rust-analyzer", .judge = judge_long,
     .needs_none = "rust-toolchain rust-toolchain.toml .cargo/config .cargo/config.toml"},
    {0},
};
