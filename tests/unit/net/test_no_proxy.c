/* test_no_proxy.c: entries of NO_PROXY in the forms that people write, and hosts that they keep from the proxy or not.
 */
#include "net/no_proxy.h"

#include <helve/helve.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct {
    const char *list, *host;
    unsigned port;
    bool exempt;
} cases[] = {
    {"", "example.com", 80, false},
    {"*", "example.com", 80, true},
    {"a.test,*", "10.1.2.3", 80, true},
    {"example.com", "example.com", 443, true},
    {"example.com", "EXAMPLE.com", 443, true},
    {"Example.COM", "api.example.com", 443, true},
    {"example.com", "notexample.com", 443, false},
    {"example.com", "example.com.evil.test", 443, false},
    {".example.com", "example.com", 443, true},
    {".example.com", "a.b.example.com", 443, true},
    {"..", "example.com", 443, false},
    {"example.com.", "example.com", 443, true},
    {"example.com", "example.com.", 443, true},
    {"*.example.com", "api.example.com", 443, true},
    {"*.example.com", "example.com", 443, false},
    {"*example.com", "example.com", 443, true},
    {"api-*.example.com", "API-7.example.com", 443, true},
    {"api-*.example.com", "web.example.com", 443, false},
    {"example.com:8080", "example.com", 8080, true},
    {"example.com:8080", "api.example.com", 8080, true},
    {"example.com:8080", "example.com", 80, false},
    {"*:8080", "example.com", 8080, true},
    {"*:8080", "example.com", 80, false},
    {"example.com:", "example.com", 80, false},
    {"example.com:x", "example.com", 80, false},
    {"example.com:99999999999", "example.com", 80, false},
    {"a.test;b.test", "b.test", 80, true},
    {"a.test b.test\tc.test\nd.test", "d.test", 80, true},
    {" , ;; a.test ,", "a.test", 80, true},
    {" , ;; ", "a.test", 80, false},
    {"192.0.2.2", "192.0.2.2", 80, true},
    {"192.0.2.2", "192.0.2.22", 80, false},
    {"0.2.2", "192.0.2.2", 80, false},
    {"192.0.2.2:18437", "192.0.2.2", 18437, true},
    {"192.0.2.2:18437", "192.0.2.2", 18438, false},
    {"192.0.2.*", "192.0.2.2", 80, true},
    {"192.0.2.*", "192.0.3.2", 80, false},
    {"192.0.2.*:81", "192.0.2.2", 81, true},
    {"192.0.2.0/24", "192.0.2.200", 80, true},
    {"192.0.2.0/24", "192.0.3.200", 80, false},
    {"10.0.0.0/7", "11.255.0.1", 80, true},
    {"10.0.0.0/7", "12.0.0.1", 80, false},
    {"0.0.0.0/0", "12.0.0.1", 80, true},
    {"0.0.0.0/0", "example.com", 80, false},
    {"10.0.0.0/33", "10.0.0.0", 80, false},
    {"10.0.0.0/", "10.0.0.0", 80, false},
    {"10.0.0.0/-1", "10.0.0.0", 80, false},
    {"/8", "10.0.0.0", 80, false},
    {"2.0/8", "10.0.0.0", 80, false},
    {"::1", "[::1]", 80, true},
    {"[::1]", "::1", 80, true},
    {"[::1]:8080", "[::1]", 8080, true},
    {"[::1]:8080", "[::1]", 80, false},
    {"0:0:0:0:0:0:0:1", "[::1]", 80, true},
    {"::8080", "[::1]", 8080, false},
    {"fd00::/8", "[fd12:3456::1]", 80, true},
    {"[fd00::]/8", "[fd12:3456::1]", 80, true},
    {"fd00::/8", "[2001:db8::1]", 80, false},
    {"fd00::/8", "253.0.0.1", 80, false},
    {"::ffff:192.0.2.2", "192.0.2.2", 80, true},
    {"<local>", "intranet", 80, true},
    {"<local>", "example.com", 80, false},
    {"<local>", "::1", 80, false},
    {"http://example.com", "example.com", 80, true},
    {"http://example.com:8080/v1", "example.com", 8080, true},
    {"https://example.com/", "other.test", 80, false},
    {"example.com", "", 80, false},
    {"[", "[", 80, true},
};

static void test_entries(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (no_proxy_exempts(hv_str_from(cases[i].list), hv_str_from(cases[i].host), cases[i].port) != cases[i].exempt)
            fail_msg("\"%s\" of %s:%u should be %d", cases[i].list, cases[i].host, cases[i].port, cases[i].exempt);
}

static void test_absent(void **state)
{
    (void)state;
    assert_false(no_proxy_exempts((struct hv_str){0}, (struct hv_str){0}, 80));
    assert_false(no_proxy_exempts((struct hv_str){0}, HV_STR("example.com"), 80));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_entries), cmocka_unit_test(test_absent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
