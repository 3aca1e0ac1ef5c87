/* secret_variable.h: which variables of the environment look like secrets, by their names and values. Pure. */
#ifndef CONFIG_SECRET_VARIABLE_H
#define CONFIG_SECRET_VARIABLE_H

#include "config/settings.h"

/* The name says so (GITHUB_TOKEN, DB_PASSWORD, AWS_SECRET_ACCESS_KEY …) and the value is no path, number or switch; or
 * the value is an address with a password in it (postgres://u:p@h/d). */
bool variable_is_secret(struct hv_str name, struct hv_str value);
/* The settings pass it on to commands all the same (sandbox.passEnvironment: names, "*" in them is anything). */
bool variable_is_passed(const struct settings *settings, struct hv_str name);

#endif
