/* danger_secrets.c: see danger_secrets.h. */
#include "shell/danger_secrets.h"

bool danger_has_word(const struct shell_run *run, const char *names)
{
    for (size_t i = 1; i < run->word_count; i++)
        if (shell_is_one_of(shell_word_text(&run->words[i]), names))
            return true;
    return false;
}

/* Programs that hand out secrets: all of words must stand among the arguments; "a|b": one of them. */
static const struct secret {
    const char *program, *first, *second;
} secrets[] = {
    {"gh glab", "auth", "token login refresh logout setup-git"},
    {"gh glab", "auth", "-t --show-token"},
    {"security",
     "find-generic-password find-internet-password dump-keychain export find-key find-certificate "
     "add-generic-password add-internet-password delete-generic-password unlock-keychain",
     NULL},
    {"gpg gpg2",
     "--export-secret-keys --export-secret-subkeys --export-secret-key --export-ssh-key "
     "--delete-secret-keys --delete-secret-key --edit-key",
     NULL},
    {"ssh-keygen", "-y", NULL},
    {"pass gopass", "show ls -c edit generate insert rm", NULL},
    {"op", "read item document signin inject run", NULL},
    {"bw", "get list unlock export login", NULL},
    {"lpass", "show export login", NULL},
    {"vault", "read kv token login print", NULL},
    {"secret-tool keyring", "lookup get search store set", NULL},
    {"aws", "configure", "get export-credentials set"},
    {"aws", "secretsmanager", "get-secret-value"},
    {"aws", "ssm", "--with-decryption"},
    {"aws", "ecr ecr-public", "get-login-password"},
    {"aws", "sts", "get-session-token assume-role get-federation-token"},
    {"gcloud", "auth", "print-access-token print-identity-token login"},
    {"gcloud", "secrets", "access"},
    {"az", "account", "get-access-token"},
    {"az", "keyvault", "show download"},
    {"kubectl oc k", "get describe", "secret secrets"},
    {"kubectl oc k", "config", "--raw"},
    {"kubectl oc k", "create", "token"},
    {"heroku", "auth:token config", NULL},
    {"doppler infisical chamber sops", "secrets export read decrypt -d --decrypt", NULL},
    {"git", "credential credential-store credential-cache", NULL},
    {"npm", "token", NULL},
    {"docker podman", "login", NULL},
    {"terraform", "login", NULL},
    {"age", "-d --decrypt", NULL},
    {"keyctl", "print pipe read", NULL},
};

static bool is_secret_name(struct hv_str name)
{
    static const char *const parts[] = {"TOKEN",  "SECRET",     "PASSWORD",    "PASSWD",     "API_KEY",
                                        "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL", NULL};
    for (size_t i = 0; parts[i]; i++)
        if (hv_str_find(name, hv_str_from(parts[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

bool danger_shows_secret(const struct shell_run *run)
{
    bool named = hv_str_is(run->name, "printenv");
    for (size_t i = 1; i < run->word_count; i++) {
        bool variable = !run->words[i].known && run->words[i].flags & SHELL_WORD_VARIABLE;
        struct hv_str text = run->words[i].text;
        if (!named && !variable)
            continue;
        bool length = hv_str_find(text, HV_STR("${#"), 0) != SIZE_MAX ||
                      hv_str_find(text, HV_STR(":+"), 0) != SIZE_MAX; /* ${#x}, ${x:+set} tell no value */
        if (!length && is_secret_name(text))
            return true;
    }
    return false;
}

bool danger_reads_secrets(const struct shell_run *run)
{
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        const struct secret *secret = &secrets[i];
        if (shell_is_one_of(run->name, secret->program) && danger_has_word(run, secret->first) &&
            (!secret->second || danger_has_word(run, secret->second)))
            return true;
    }
    return false;
}
