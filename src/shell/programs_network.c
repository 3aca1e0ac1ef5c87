/*
 * programs_network.c: what reaches other machines. A name that is looked up, or an address that is fetched, can carry
 * data out, so none of these only reads. openssl has sub-commands that stay at home.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#include <string.h>

static bool only_asks_for_help(const struct shell_word *words, size_t count)
{
    return count == 2 && words[1].known && shell_names_have("--help --version -V", words[1].value);
}

/* curl --version, however quiet: it prints that and stops, when it is told no address before. */
static bool curl_tells_version(const struct shell_word *words, size_t count)
{
    bool version = false;
    for (size_t at = 1; at < count; at++) {
        if (!words[at].known || !shell_names_have("--version -V -s --silent -S --show-error -sS -q", words[at].value))
            return false;
        version |= shell_names_have("--version -V", words[at].value);
    }
    return version && hv_str_is(words[0].value, "curl");
}

/* curl --help CATEGORY, curl --manual. */
static bool curl_explains(const struct shell_word *words, size_t count)
{
    bool alone = count == 2 && words[1].known && shell_names_have("--manual -M", words[1].value);
    bool about = count == 3 && words[1].known && words[2].known && shell_names_have("--help -h", words[1].value) &&
                 words[2].value.len && *words[2].value.ptr != '-';
    return (alone || about) && hv_str_is(words[0].value, "curl");
}

static void judge_network(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool version =
        count == 2 && words[1].known && hv_str_is(words[1].value, "-v") && shell_names_have("dig delv", words[0].value);
    if (version || only_asks_for_help(words, count) || curl_tells_version(words, count) || curl_explains(words, count))
        return;
    reading->act.reads_listed = reading->act.writes_listed = false;
    shell_worsenf(reading, SHELL_NETWORK, "%.*s reaches the network", HV_STR_ARG(words[0].value));
}

static void judge_remote(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool lists = count == 3 && words[1].known && hv_str_is(words[1].value, "-Q") && words[2].known &&
                 !shell_may_be_option(&words[2]) && hv_str_is(words[0].value, "ssh");
    if (!lists && !only_asks_for_help(words, count))
        shell_worsenf(reading, SHELL_EXECUTES, "%.*s runs programs, here or on another machine",
                      HV_STR_ARG(words[0].value));
}

/* -avn: letters of options without arguments, none of which makes rsync run or write more than it does anyway. */
static bool is_plain_rsync_option(struct hv_str word, bool *dry)
{
    static const char words[] =
        "--delete --dry-run --progress --stats --list-only --checksum --itemize-changes --archive "
        "--recursive --verbose --human-readable --update --existing --ignore-existing --size-only";
    static const char letters[] = "avrnzPchitlHpuxmAXWSq";
    *dry |= shell_names_have("--dry-run --list-only", word);
    if (hv_str_starts(word, HV_STR("--")))
        return shell_names_have(words, word) || hv_str_starts(word, HV_STR("--exclude=")) ||
               hv_str_starts(word, HV_STR("--include="));
    for (size_t i = 1; i < word.len; i++)
        if (!strchr(letters, word.ptr[i]))
            return false;
    *dry |= hv_str_find_byte(word, 'n', 0) != SIZE_MAX;
    return word.len > 1;
}

/* rsync between directories of this machine writes, unless it is told to try only; a colon means another machine; some
 * options run programs. */
static void judge_rsync(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool dry = false, plain = true;
    if (only_asks_for_help(words, count))
        return;
    for (size_t i = 1; i < count; i++) {
        bool option = shell_may_be_option(&words[i]);
        bool certain = words[i].known && is_plain_rsync_option(words[i].value, &dry);
        plain &= option ? certain : words[i].known;
        if (option && !certain)
            shell_worsen(reading, SHELL_EXECUTES, "options of rsync may run programs");
        else if (!option && hv_str_find_byte(words[i].value, ':', 0) != SIZE_MAX)
            shell_worsen(reading, SHELL_NETWORK, "rsync reaches another machine");
        else if (!option)
            shell_reads(reading, &words[i], true);
    }
    if (dry && plain)
        return;
    shell_changes(reading, "rsync changes files");
}

/* ---- openssl -------------------------------------------------------------------------------------------- */

static const struct shell_option coding_options[] = {
    FLAGS("-d -e -a -A -base64 -hex -n -noout -strparse -i -dump"),
    VALUES("-inform -offset -length -bits"),
    FILES("-in"),
    OUTPUTS("-out"),
    HELPS("-help"),
    {0},
};

static const struct shell_program openssl_rows[] = {
    {"version", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a -v -b -o -f -p -d -e -m -r -c"), HELPS("-help"))},
    {"help list ciphers", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-1 -commands -digest-commands -cipher-commands -digest-algorithms -cipher-algorithms "
                              "-public-key-algorithms"),
                        FLAGS("-disabled -providers -verbose -v -s -V -stdname -tls1_2 -tls1_3 -ssl3 -psk -srp"),
                        HELPS("-help")),
     .rest = SHELL_EFFECT_NONE},
    {"dgst md5 sha1 sha224 sha256 sha384 sha512", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS(
             "-c -d -r -hex -binary -list -md5 -sha1 -sha224 -sha256 -sha384 -sha512 -sha3-256 -sha3-512 -blake2b512"),
         FLAGS("-blake2s256 -xoflen"), VALUES("-hmac -mac -macopt"), OUTPUTS("-out"), HELPS("-help")),
     .rest = SHELL_EFFECT_READ},
    {"x509 req crl pkcs7 verify", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-noout -text -subject -issuer -dates -startdate -enddate -fingerprint -serial -hash "
                              "-subject_hash -email"),
                        FLAGS("-issuer_hash -modulus -pubkey -purpose -ocsp_uri -ocspid -alias -sha1 -sha256 -sha512 "
                              "-md5 -verify -trustout"),
                        FLAGS("-pubin -pubout -check -nodes -crl -lastupdate -nextupdate -print_certs"),
                        VALUES("-inform -outform -nameopt -certopt -checkend -checkhost -checkemail -checkip -ext"),
                        FILES("-in -CAfile"), OUTPUTS("-out -keyout"), HELPS("-help")),
     .rest = SHELL_EFFECT_READ, .reads_input = true},
    {"crl2pkcs7", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-nocrl"), VALUES("-inform -outform"), FILES("-in -certfile"), OUTPUTS("-out"), HELPS("-help")),
     .reads_input = true},
    {"base64 asn1parse", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = coding_options, .reads_input = true},
    {"ecparam", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-list_curves"), HELPS("-help"))},
    {"enc", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-list -ciphers"), HELPS("-help"))},
    {"errstr", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE},
    /* A key that is public; of a private one it would show all. */
    {"pkey rsa ec", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-pubin -text -text_pub -noout -pubout -modulus"), VALUES("-inform -outform"),
                        FILES("-in"), OUTPUTS("-out"), HELPS("-help")),
     .needs = "-pubin", .reads_input = true},
    {"rand", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = coding_options, .rest = SHELL_EFFECT_NONE},
    {"s_client s_server s_time ocsp", .judge = judge_network},
    {0},
};

static const struct shell_option help_options[] = {HELPS("--help --version -help -v"), {0}};

/* Whether a word may be the address of a store other than "file:", for which openssl loads an engine or a provider
 * (org.openssl.engine:NAME:KEY, where NAME may be a path; pkcs11:…): a scheme of two letters or more, and a colon. */
static bool names_store(struct hv_str word)
{
    static const char signs[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
    size_t end = 0;
    while (end < word.len && strchr(signs, word.ptr[end]) && word.ptr[end])
        end++;
    return end > 1 && end < word.len && word.ptr[end] == ':' && word.ptr[0] != '-' &&
           !hv_str_eq_nocase(hv_str_slice(word, 0, end), HV_STR("file"));
}

/* Commands that look for keys and certificates in stores. */
static void judge_stores(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!shell_names_have("x509 req crl pkcs7 crl2pkcs7 verify pkey rsa ec", words[0].value))
        return;
    for (size_t at = 1; at < count; at++)
        if (names_store(words[at].value) && !hv_str_is(words[at - 1].value, "-checkip"))
            shell_worsen(reading, SHELL_EXECUTES, "openssl loads an engine or a provider for what is no file");
}

/* A certificate or a list of revoked ones may be an address that is fetched. */
static void judge_openssl(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"openssl",
                                             SHELL_SYNTAX_WORDS,
                                             SHELL_READ_ONLY,
                                             .options = help_options,
                                             .subcommands = openssl_rows,
                                             .takes_commands = true};
    shell_judge_row(reading, &row, words, count);
    for (size_t i = 1; i < count; i++)
        if (hv_str_find(words[i].value, HV_STR("://"), 0) != SIZE_MAX ||
            (!words[i].known && !words[i].value.len && !(words[i].flags & (SHELL_WORD_GLOB | SHELL_WORD_NUMBER))))
            shell_worsen(reading, SHELL_NETWORK, "openssl fetches what is named by an address");
    if (count > 1)
        judge_stores(reading, words + 1, count - 1);
}

const struct shell_program shell_programs_network[] = {
    {"ping ping6 dig nslookup host whois delv getent traceroute traceroute6 tracepath mtr arping nmap iperf "
     "iperf3 fping hping3 ntpdate ntpq snmpwalk",
     .judge = judge_network},
    {"curl wget wget2 aria2c axel http https xh lynx w3m links elinks youtube-dl yt-dlp httpie",
     .judge = judge_network},
    {"nc ncat netcat telnet ftp lftp tftp scp sftp mail mailx sendmail msmtp swaks", .judge = judge_network},
    {"ssh mosh socat rsh rlogin ssh-copy-id sshpass autossh", .judge = judge_remote},
    {"rsync", .judge = judge_rsync},
    {"openssl", .judge = judge_openssl},
    {0},
};
