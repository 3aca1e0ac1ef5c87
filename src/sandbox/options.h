/*
 * options.h: what the settings say of the sandbox (`sandbox.*`), as a plain struct; and the two questions that can be
 * answered by it alone: does this command leave the sandbox, and may it reach that host. Pure.
 */
#ifndef SANDBOX_OPTIONS_H
#define SANDBOX_OPTIONS_H

#include <helve/json.h>

struct sandbox_strings {
    struct hv_str *items;
    size_t count, capacity;
};

enum sandbox_choice { SANDBOX_UNSET = 0, SANDBOX_YES, SANDBOX_NO };

/* Zeroed: nothing was said. Lists of all scopes add up; of single values the strongest scope's counts. */
struct sandbox_options {
    enum sandbox_choice enabled;              /* unset: where it is available */
    enum sandbox_choice fail_if_unavailable;  /* unset: no; the ordinary decision stands */
    enum sandbox_choice auto_allow;           /* autoAllowBashIfSandboxed; unset: no */
    enum sandbox_choice allow_unsandboxed;    /* allowUnsandboxedCommands; unset: yes, after asking */
    struct sandbox_strings excluded;          /* commands that run outside: "docker", "docker compose *" */
    struct sandbox_strings write, deny_write; /* absolute, tidy */
    struct sandbox_strings read, deny_read;   /* absolute, tidy; read: out of what is hidden otherwise */
    struct sandbox_strings deny_write_patterns, deny_read_patterns, read_patterns; /* as rules have them: "*.key" */
    struct sandbox_strings passed_environment;  /* variables that look like secrets, and reach commands; "*" in them */
    struct sandbox_strings domains, no_domains; /* "example.org", "*.example.org", "localhost:8080", "*" */
    struct sandbox_strings unix_sockets;        /* absolute, tidy */
    enum sandbox_choice all_unix_sockets;       /* network.allowAllUnixSockets */
    int64_t http_port, socks_port;              /* the person's own proxies on this machine; 0: ours */
    int64_t memory_limit, file_limit, process_limit; /* bytes, bytes, count; 0: the default */
};

/* A setting that cannot be used. */
typedef void sandbox_problem(void *user, const char *key, const char *message);

/*
 * Add what one source says: value is the member `sandbox` of a settings file (NULL: nothing). Call it for the strongest
 * source first. Paths begin at directory (absolute), "~" is home. Texts are copied into arena. Members that are unknown
 * or of the wrong type are told to problem (may be NULL) and left out.
 */
void sandbox_options_add(struct sandbox_options *options, struct hv_arena *arena, const struct hv_json *value,
                         struct hv_str directory, struct hv_str home, sandbox_problem *problem, void *user);

/* excludedCommands has a pattern for this command. Only of a single plain command can that be said: one with operators,
 * redirections or substitutions is never excluded, since its other parts would leave the sandbox with it. */
bool sandbox_is_excluded(const struct sandbox_options *options, struct hv_str command);

/* What a connection to a host needs to know. */
struct sandbox_domain {
    bool allowed;
    bool named; /* by a rule without a wildcard: addresses of this machine and its network are meant, too */
    struct hv_str denied_by; /* the rule of deniedDomains, or absent */
};
/* Would this element of allowedDomains take the host? "localhost", "127.0.0.1" and "::1" are the same one. */
bool sandbox_domain_takes(struct hv_str rule, struct hv_str host, unsigned port);
/* The port that the element names of this machine's loopback; 0: none. */
unsigned sandbox_domain_loopback_port(struct hv_str rule);
/* host: a name or a literal address, without brackets. */
struct sandbox_domain sandbox_domain_of(const struct sandbox_options *options, struct hv_str host, unsigned port);

#endif
