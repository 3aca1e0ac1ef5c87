/*
 * programs_documents.c: documents, translations, pictures, sound and films beyond programs_media.c: gettext 0.21,
 * pandoc 3, qpdf 11, mupdf, libtiff, libwebp, libpng, exiv2 0.27, ffmpeg 6, sox 14, mkvtoolnix, flac; and servers that
 * are asked for their version.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#include <string.h>

#define NONE SHELL_EFFECT_NONE
#define READ SHELL_EFFECT_READ
#define HELP HELPS("-h --help -V --version")

/* ---- gettext --------------------------------------------------------------------------------------------- */

static const struct shell_option gettext_options[] = {
    FLAGS(
        "-K --msgid -T --msgstr -J --msgctxt -C --comment -X --extracted-comment -E -F -G -i -v -s -n --no-wrap"
        " --invert-match --ignore-case --extended-regexp --fixed-strings --sort-output --sort-by-file --no-location"
        " --add-location --force-po --indent --strict -p --properties-output --stringtable-output --escape --no-escape"
        " --translated --no-fuzzy --untranslated --only-fuzzy --no-obsolete --only-obsolete --set-fuzzy --clear-fuzzy"
        " --set-obsolete --clear-obsolete --clear-previous --previous --empty --unique --repeated --use-first -u -m -q"
        " --quiet --verbose --multi-domain --use-fuzzy --use-untranslated --no-fuzzy-matching"),
    VALUES("-w --width -l --lang -t --to-code"),
    FILES("-f --file -D --directory --ignore-file --only-file"),
    OUTPUTS("-o --output-file"),
    HELP,
    {0},
};

/* ---- pandoc ---------------------------------------------------------------------------------------------- */

/* A reader or writer of its own, not a script. */
static bool is_format(const struct shell_word *word)
{
    for (size_t i = 0; i < word->value.len; i++) {
        char byte = word->value.ptr[i];
        if (!(byte >= 'a' && byte <= 'z') && !(byte >= '0' && byte <= '9') && !memchr("_+-", byte, 3))
            return false;
    }
    return word->known && word->value.len && !hv_str_is(word->value, "pdf");
}

static bool has_format(const struct shell_arguments *arguments, const char *names, const char *wanted)
{
    const struct shell_given *given = shell_given(arguments, names);
    if (!given)
        return !wanted;
    struct hv_str name = given->argument.value;
    for (size_t i = 0; i < name.len; i++)
        if (memchr("+-", name.ptr[i], 2))
            name.len = i;
    return is_format(&given->argument) && (!wanted || shell_names_have(wanted, name));
}

/* Formats that cannot include other files, nor (as iframes of HTML and EPUB) what is elsewhere. */
static void check_pandoc(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    static const char plain[] =
        "markdown gfm commonmark commonmark_x markdown_strict markdown_github docx odt json ipynb csv tsv";
    /* The others hold the pictures that the document names, which are fetched for them. */
    static const char texts[] =
        "markdown gfm commonmark commonmark_x markdown_strict markdown_github markdown_mmd markdown_phpextra plain html"
        " html4 html5 latex rst org mediawiki man ms textile asciidoc asciidoctor docbook docbook4 docbook5 json native"
        " jira dokuwiki zimwiki beamer revealjs slidy s5 dzslides slideous context texinfo tei jats xwiki muse haddock"
        " csljson biblatex bibtex typst opml xml djot";
    static const char *const endings[] = {".md", ".markdown", ".docx", ".odt", ".ipynb"};
    bool known = shell_given(arguments, "-f --from -r --read") && has_format(arguments, "-f --from -r --read", plain);
    bool named = arguments->operand_count > 0 && !shell_given(arguments, "-f --from -r --read");
    for (size_t at = 0; at < arguments->operand_count; at++) {
        const struct shell_word *word = arguments->operands[at];
        bool ends = false;
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
            ends |= hv_str_ends(word->known ? word->value : word->tail, hv_str_from(endings[i]));
        named &= ends;
        known &= word->known || word->value.len || word->tail.len;
        known &= hv_str_find(word->value, HV_STR("://"), 0) == SIZE_MAX;
        named &= hv_str_find(word->value, HV_STR("://"), 0) == SIZE_MAX;
        shell_reads(reading, word, false);
    }
    reading->act.reads_input = !arguments->operand_count;
    static const char to[] = "-t --to -w --write";
    if ((!known && !named) || (shell_given(arguments, to) && !has_format(arguments, to, texts)))
        shell_worsen(reading, SHELL_EXECUTES, "pandoc may run scripts, or read and fetch what the document names");
}

/* ---- media ----------------------------------------------------------------------------------------------- */

/* exiv2 prints, unless its first operand or an option is one of its actions. */
static void check_exiv2(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char actions[] = "ad adjust rm delete in insert ex extract mv rename mo modify fi fixiso fc fixcom";
    for (size_t at = 1; at < count; at++)
        if (!words[at].known ? !words[at].value.len && !(words[at].flags & SHELL_WORD_GLOB)
                             : shell_names_have(actions, words[at].value))
            shell_worsen(reading, SHELL_WRITES, "exiv2 changes what is in the pictures");
    if (reading->act.class == SHELL_WRITES)
        reading->act.writes_listed = false;
}

/* Neither an address nor a command: "|cmd" runs one, "a:b" is a protocol, "@f" a list. */
static bool is_plain_file(const struct shell_word *word)
{
    bool open = !word->known && !(word->flags & SHELL_WORD_GLOB && word->value.len + word->tail.len > 0);
    return !open && hv_str_find_byte(word->value, ':', 0) == SIZE_MAX &&
           !(word->value.len && strchr("|@", word->value.ptr[0])) && !shell_may_be_option(word);
}

/* ffmpeg tells what it can do, and about a file when nothing is to be written. */
static void judge_ffmpeg(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char tells[] =
        "-version -formats -muxers -demuxers -devices -codecs -decoders -encoders -bsfs -protocols"
        " -filters -pix_fmts -layouts -sample_fmts -colors -hwaccels -buildconf -L -h -help"
        " --help";
    size_t at = 1;
    if (at < count && words[at].known && hv_str_is(words[at].value, "-hide_banner"))
        at++;
    if (at + 1 == count && words[at].known && shell_names_have(tells, words[at].value))
        return;
    if (at + 2 == count && words[at].known && hv_str_is(words[at].value, "-h") && words[at + 1].known)
        return;
    if (at + 2 == count && words[at].known && hv_str_is(words[at].value, "-i") && is_plain_file(&words[at + 1])) {
        shell_reads(reading, &words[at + 1], false);
        return;
    }
    shell_worsen(reading, SHELL_EXECUTES, "ffmpeg writes, and may reach the network");
}

static const struct shell_program soxi_row = {"soxi", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
                                              .options = OPTIONS(FLAGS("-t -r -c -s -d -D -b -B -p -e -a -V -T")),
                                              .rest = READ};

/* sox --i tells about files. */
static void judge_soxi(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    size_t first = 1;
    if (hv_str_ends(words[0].value, HV_STR("sox"))) {
        if (count == 2 && words[1].known && shell_names_have("--version --help", words[1].value))
            return;
        if (count < 3 || !words[1].known || !shell_names_have("--i --info", words[1].value)) {
            shell_worsen(reading, SHELL_EXECUTES, "sox writes sound, and may run programs");
            return;
        }
        first = 2;
    }
    for (size_t at = first; at < count; at++)
        if (!(words[at].known && hv_str_starts(words[at].value, HV_STR("-"))) && !is_plain_file(&words[at]))
            shell_worsen(reading, SHELL_EXECUTES, "a name of sox may be a command or an address");
    shell_judge_row(reading, &soxi_row, words + first - 1, count - first + 1);
}

static const struct shell_option qpdf_options[] = {
    FLAGS("--check --show-npages --show-encryption --show-xref --show-pages --list-attachments --check-linearization"
          " --is-encrypted --requires-password --show-encryption-key --raw-stream-data --filtered-stream-data "
          "--with-images"),
    MAYBE("--show-object --password --show-attachment"),
    HELPS("--version --help --copyright"),
    {0},
};

static void judge_qpdf(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {
        "qpdf",
        SHELL_SYNTAX_EXACT,
        SHELL_READ_ONLY,
        .options = qpdf_options,
        .first = {READ},
        .first_count = 1,
        .rest = SHELL_EFFECT_WRITE,
        .needs = "--check --show-npages --show-encryption --show-xref --show-pages --list-attachments --is-encrypted"
                 " --requires-password --check-linearization --show-object --show-attachment"};
    for (size_t at = 1; at < count; at++)
        if (words[at].value.len && words[at].value.ptr[0] == '@')
            shell_worsen(reading, SHELL_UNKNOWN, "the options in the file of qpdf are not known");
    shell_judge_row(reading, &row, words, count);
}

static const struct shell_program mkv_row =
    LOOKS_WITH("mkvmerge", "-i --identify -J", FLAGS("-i --identify -J"), VALUES("-F --identification-format"),
               HELPS("-V --version -h --help -l --list-types --list-languages"));
static const struct shell_program mkv_info =
    LOOKS_AT("mkvinfo", FLAGS("-a --all -v --verbose -s --summary -t --track-info -c --checksums -p -x -X"), HELP);

static void judge_mkv(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (words[at].value.len && words[at].value.ptr[0] == '@')
            shell_worsen(reading, SHELL_UNKNOWN, "the options in the file are not known");
    shell_judge_row(reading, hv_str_ends(words[0].value, HV_STR("mkvinfo")) ? &mkv_info : &mkv_row, words, count);
}

/* aspell list and its like read stdin; -c changes a file. */
static const struct shell_option aspell_options[] = {
    VALUES("-l -d --lang --master --mode --encoding --ignore --sug-mode --size --variety"),
    FLAGS("--ignore-case -H --camel-case"),
    HELPS("-? -v --version --help help version usage"),
    {0},
};

/* Options of a formatter may name a file that it writes. */
static void check_pygmentize(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (hv_str_find(words[at].value, HV_STR("cssfile"), 0) != SIZE_MAX ||
            (!words[at].known && words[at - 1].known && shell_names_have("-O -P", words[at - 1].value)) ||
            (!words[at].known &&
             (hv_str_starts(words[at].value, HV_STR("-O")) || hv_str_starts(words[at].value, HV_STR("-P")))))
            shell_worsen(reading, SHELL_WRITES, "pygmentize writes the file of styles");
}

/* Settings of the directory are options, one of which names a file to write. */
/* A directory is converted beside itself, a table is printed. */
static void check_xlsx2csv(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!arguments->operand_count)
        return;
    const struct shell_word *table = arguments->operands[0];
    if (!hv_str_ends(table->known ? table->value : table->tail, HV_STR(".xlsx")))
        shell_worsen(reading, SHELL_WRITES, "xlsx2csv writes files beside those of a directory");
}

/* NAME=value sets. */
static void check_postconf(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (!words[at].known || hv_str_find_byte(words[at].value, '=', 0) != SIZE_MAX)
            shell_worsen(reading, SHELL_WRITES, "postconf sets what is given with =");
}

const struct shell_program shell_programs_documents[] = {
    /* Translations. */
    {"msggrep", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = gettext_options,
     .more_options = OPTIONS(VALUES("-e --regexp")), .rest = READ},
    {"msgcat msgattrib msgunfmt msgcmp msgcomm msgconv msgen msguniq", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = gettext_options, .more_options = OPTIONS(FLAGS("-e")), .rest = READ},
    {"msgfmt", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-c --check --check-format --check-header --check-domain --check-compatibility -v --verbose"
                       " --statistics -f --use-fuzzy -C"),
                 OUTPUTS("-o --output-file"), HELP),
     .rest = READ, .needs = "-o --output-file"},
    {"msgmerge msgfilter msgexec msginit xgettext pofilter", .judge = shell_judge_tool},
    SHOWS("gettext ngettext", FLAGS("-e -E -n -s"), VALUES("-d --domain -c --context"), HELP),
    LOOKS_AT("pocount", FLAGS("--csv --short --no-color --incomplete"), HELPS("-h --help --version")),
    {"aspell", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = aspell_options,
     .subcommands = SUBCOMMANDS({"list dicts modes filters munch-list expand soundslike", SHELL_SYNTAX_EXACT,
                                 SHELL_READ_ONLY, .options = aspell_options, .reads_input = true})},
    LOOKS_WITH("hunspell", "-l -L -G -D", FLAGS("-l -L -G -D -w -1 -H -t -n -O -X"), VALUES("-d -i"),
               HELPS("-h --help -v -vv")),
    {"typos", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--diff --files --identifiers --words --hidden --no-ignore --isolated --sort -q --quiet"),
                        FLAGS("--force-exclude -v --verbose"),
                        VALUES("--format --color --locale --exclude -j --threads"), HELP),
     .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ_TREE},

    /* Documents. */
    {"pandoc", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-s --standalone --toc --table-of-contents -N --number-sections --reference-links --strip-comments -S"
               " --no-highlight --ascii --trace --quiet"),
         VALUES("-f --from -r --read -t --to -w --write --wrap --columns --toc-depth --markdown-headings --tab-stop"
                " --eol --shift-heading-level-by"),
         OUTPUTS("-o --output"),
         HELPS("-v --version -h --help --list-input-formats --list-output-formats --list-extensions"
               " --list-highlight-languages --list-highlight-styles")),
     .rest = NONE, .check = check_pandoc},
    {"qpdf", .judge = judge_qpdf},
    COMMANDS("mutool", LOOKS_AT("info pages", FLAGS("-F -I -M -P -S -X"), VALUES("-p")),
             LOOKS_AT("show", FLAGS("-e -b -g"), VALUES("-p"), OUTPUTS("-o")),
             WRITERS("draw convert clean extract create merge poster sign trace run")),
    {"pdfgrep", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-n --page-number -i --ignore-case -c --count -H --with-filename -h --no-filename -r -R"
                              " --recursive -o --only-matching -P --perl-regexp -F --fixed-strings -l"
                              " --files-with-matches -L -q --quiet --warn-empty --unac -p --page-count -Z"),
                        VALUES("-m --max-count -A -B -C --context --page-range --include --exclude --color"
                               " --match-prefix-separator"),
                        {"-e --regexp", NONE, SHELL_ARITY_ONE}, FILES("-f --file"), HELPS("--help -V --version")),
     .first = {NONE}, .first_count = 1, .rest = SHELL_EFFECT_READ_TREE, .first_given_by = "-e --regexp -f --file",
     .answers = true},
    LOOKS_AT("antiword catdoc catppt xls2csv odt2txt", FLAGS("-a -b -d -t -s -w -x -r --text --html"),
             VALUES("-m -p -f -q -c"), OUTPUTS("--output -o")),
    /* Without --nopict pictures become files. */
    LOOKS_WITH("unrtf", "--nopict", FLAGS("--text --html --nopict --quiet")),
    LOOKS_AT("djvudump", OUTPUTS("-o")),
    {"xlsx2csv", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(VALUES("-s -n -d"), FLAGS("-i"), HELPS("--help --version")), .first = {READ}, .first_count = 1,
     .rest = SHELL_EFFECT_WRITE, .check = check_xlsx2csv},
    {"djvutxt", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(MAYBE("-page -detail"), VALUES("-s -n -d"), FLAGS("-i"), HELPS("--help --version")),
     .first = {READ}, .first_count = 1, .rest = SHELL_EFFECT_WRITE},
    LOOKS_AT("cmark cmark-gfm lowdown", FLAGS("--hardbreaks --sourcepos --unsafe --smart --nobreaks"),
             VALUES("-t --to -e --extension --width -T"), OUTPUTS("-o"), HELPS("--help --version -h")),
    LOOKS_AT("markdown discount", FLAGS("-d -T"), VALUES("-f -b -s -t"), OUTPUTS("-o"), HELPS("-V --help --version")),
    LOOKS_AT("mandoc", FLAGS("-a -c -h"), VALUES("-T -W -I -K -m -s -S")),
    {"pygmentize", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-g -v"), VALUES("-l -f -O -P -F -S -a"), OUTPUTS("-o"), HELPS("-h --help -V")),
     .rest = SHELL_EFFECT_READ, .check_words = check_pygmentize},
    {"chktex lacheck", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-q --quiet -v -v0 -v1 -v2 -v3 -I -I0"), VALUES("-n -w -e"), HELPS("-h --help -W")),
     .rest = SHELL_EFFECT_READ, .needs_none = ".chktexrc chktexrc"},
    {"kpsewhich", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-all"), MAYBE("-var-value -expand-var -expand-path -format -engine -progname -show-path"),
                 HELPS("-version -help --version --help")),
     .rest = NONE},
    COMMANDS("tlmgr", PLAIN("version help"), SHOWS("paper", FLAGS("--list"))),
    {"texdoc", .judge = shell_judge_tool}, /* it opens a viewer */

    /* Pictures. */
    LOOKS_AT("pngcheck", FLAGS("-c -f -p -q -s -t -v -7 -vv -vt -F"), HELPS("-h")),
    LOOKS_AT_WORDS("webpinfo", FLAGS("-quiet -diag -summary -bitstream_info"), HELPS("-h -H -help -longhelp -version")),
    {"webpmux", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-info"), HELPS("-version -h -help")),
     .rest = READ, .needs = "-info"},
    LOOKS_WITH("gifsicle", "-I --info", FLAGS("-I --info --size-info --cinfo --xinfo"), HELPS("-h --help --version")),
    LOOKS_AT("jpeginfo", FLAGS("-c --check -i --info -l --list -v --verbose -5 --md5 -s"),
             HELPS("-h --help -V --version")),
    LOOKS_AT("jhead", FLAGS("-v -c -q -exifmap -se"), HELPS("-h -V")),
    {"exiv2", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-u -v -q -b"), VALUES("-p -P -g -K -n -Q --Print --print --grep --key"), HELP),
     .rest = SHELL_EFFECT_READ, .check_words = check_exiv2},
    LOOKS_ANYHOW("tiffinfo", FLAGS("-D -d -c -i -j -r -s -w -z -m"), VALUES("-o"), HELPS("-h")),
    LOOKS_AT("tiffdump pngmeta giftext rdjpgcom", FLAGS("-h -v -raw -verbose")),
    LOOKS_WITH("icotool icns2png wrestool", "-l --list", FLAGS("-l --list -v"), HELPS("--help --version")),
    LOOKS_WITH("heif-info", "-d --dump-boxes", FLAGS("-d --dump-boxes"), HELPS("-h --help")),
    COMMANDS("assimp", LOOKS_AT("info", FLAGS("-r --raw -v --verbose -s --silent")),
             PLAIN("listext listexport version")),

    /* Sound and films. */
    {"ffmpeg", .judge = judge_ffmpeg},
    {"sox soxi", .judge = judge_soxi},
    {"mkvmerge mkvinfo", .judge = judge_mkv},
    LOOKS_AT("mp4info mp4dump opusinfo ogginfo sndfile-info midicsv avinfo", FLAGS("-v -q --verbose"),
             HELPS("-h --help --version")),
    {"MP4Box", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-info"), HELPS("-version -h")),
     .rest = READ, .needs = "-info"},
    LOOKS_WITH("id3v2 mid3v2 vorbiscomment", "-l --list", FLAGS("-l --list -R"), HELPS("-h --help --version")),
    LOOKS_WITH("metaflac", "--list --show-md5sum --show-vendor-tag --show-sample-rate --show-total-samples --show-bps",
               FLAGS("--list --show-md5sum --show-vendor-tag --show-sample-rate --show-total-samples --show-bps"
                     " --show-channels --with-filename --no-filename"),
               MAYBE("--show-tag --block-type --block-number"), HELPS("--help --version")),
    LOOKS_WITH("flac", "-t --test", FLAGS("-t --test -s --silent -w"), HELPS("-h --help -v --version")),
    {"fpcalc", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-raw -json -text -plain -ts"), VALUES("-length -rate -channels"), HELPS("-version -help")),
     .rest = READ},
    LOOKS_WITH("ttx", "-l", FLAGS("-l"), HELPS("-h --help --version")),
    {"hb-shape", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--no-glyph-names --no-positions --no-clusters --ned -V --verbose --utf8-clusters"),
                        VALUES("--script --language --features --direction --variations --font-size -u --unicodes"),
                        OUTPUTS("-o --output-file"), HELPS("-h --help --version")),
     .first = {READ}, .first_count = 1, .rest = NONE, .reads_input = true},

    /* Servers and others that are asked for their version alone. */
    {"mongod mongos mysqld mariadbd postgres redis-server valkey-server memcached etcd minio haproxy caddy traefik "
     "php-fpm lighttpd varnishd squid named unbound sshd dockerd containerd runc crun kubelet kubeadm influxd "
     "clickhouse "
     "elasticsearch rabbitmq-server nats-server zookeeper kafka-server-start prometheus promtool grafana-server loki "
     "alertmanager vector telegraf fluentd fluent-bit filebeat cockroach tidb surreal arangod couchdb neo4j vsftpd "
     "proftpd "
     "exim postfix dovecot smbd nmbd openvpn wg-quick tor i2pd dnsmasq chronyd ntpd rsyslogd auditd",
     .judge = shell_judge_about},
    {"sigrok-cli picocom minicom byobu zellij fzf sk hyperfine jless fx gdalinfo ogrinfo gdal_translate ogr2ogr mpirun "
     "mpiexec guix lxc lxd incus k6 ab wrk siege locust vegeta artillery newman dive trivy grype syft snyk gitleaks "
     "trufflehog semgrep checkov tfsec mkcert certbot restic borg syncthing unison entr inotifywait fswatch watchexec "
     "watchman tig lazygit gitui delta difft meld kdiff3 git-lfs git-cliff earthly buildah ko pueue "
     "hashcat john hydra sqlmap nikto msfconsole metasploit aircrack-ng wireshark zeek suricata snort lynis rkhunter "
     "chkrootkit nuclei ffuf gobuster feroxbuster amass subfinder httpx masscan rustscan kismet volatility3 "
     "squeue sinfo sacct sbatch slurmd octave maxima gp sage gnuplot graphviz dot plantuml mermaid drawio ditaa "
     "zola mdbook vuepress astro svelte-kit vue cordova "
     "capacitor tauri wails bindgen cbindgen maturin cross sccache-dist trunk dx diesel sqlx flyway liquibase atlas "
     "dbmate migrate goose drizzle-kit hasura supabase-cli temporal airflow dagster prefect dbt mlflow dvc "
     "wandb "
     "tensorboard accelerate torchrun deepspeed ollama vllm huggingface-cli hf label-studio great_expectations",
     .judge = shell_judge_tool},
    /* Even for its version it reads prisma.config.ts, and fetches its engines. */
    REACHERS("prisma"),
    {"VBoxManage vboxmanage", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version -V --help")),
     .subcommands = SUBCOMMANDS(PLAIN("list showvminfo showmediuminfo"))},
    {"qemu-system blender godot unity steam wine wine64 winetricks mono-sgen krita audacity handbrake obs vlc mpv "
     "mplayer scribus lyx freecad openscad kicad-cli love scummvm retroarch minetest dosbox",
     .judge = shell_judge_tool},
    {"postconf", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-d -n -m -l -p -a -A -h -H -x -f -C"), FILES("-c")), .rest = SHELL_EFFECT_NONE,
     .check_words = check_postconf},
    {"wg", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version --help")),
     .subcommands = SUBCOMMANDS(WRITERS("set setconf addconf syncconf"), RUNNERS("genkey genpsk pubkey"))},
    {0},
};
