/* run.c: see run.h. One call owns one process on its stack; nothing outlives it. */
#include "proc/run.h"

#include "proc/process.h"

#include <string.h>

static void cleanup_process(struct hv_process *process)
{
    process_release(process);
}

enum hv_code proc_host_run(const struct hv_host *host, const struct hv_command *command, struct hv_exit *out,
                           struct hv_error *err)
{
    (void)host;
    __attribute__((cleanup(cleanup_process))) struct hv_process process = {0};
    struct hv_command plain = *command;
    plain.tty = plain.one_output = plain.keeps_input = plain.lingers = false;
    enum hv_code code = process_start(&process, &plain, err);
    if (code)
        return code;
    process_attend(&process, 0);
    return process_conclude(&process, out, err);
}

const char *proc_signal_name(int number, char *text, size_t size)
{
    const char *name = sigabbrev_np(number);
    if (name)
        snprintf(text, size, "SIG%s", name);
    else
        snprintf(text, size, "signal %d", number);
    return text;
}
