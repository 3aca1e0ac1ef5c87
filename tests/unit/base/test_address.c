/* Which addresses are of the public internet. */
#include "base/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool is_public(const char *text)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &in.sin_addr) == 1)
        return address_is_public((const struct sockaddr *)&in);
    assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
    return address_is_public((const struct sockaddr *)&in6);
}

static void places_of_the_internet_are_public(void **state)
{
    static const char *const texts[] = {
        "1.1.1.1",      "8.8.8.8",        "11.0.0.1",       "172.15.255.255",   "172.32.0.1",     "192.167.0.1",
        "192.169.0.1",  "100.63.255.255", "100.128.0.1",    "169.253.1.1",      "223.255.255.1",  "2606:4700::1111",
        "2a00:1450::1", "2001:4860::1",   "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!is_public(texts[i]))
            fail_msg("%s", texts[i]);
}

static void this_machine_and_its_network_are_not(void **state)
{
    static const char *const texts[] = {"127.0.0.1",
                                        "127.255.255.254",
                                        "0.0.0.0",
                                        "0.1.2.3",
                                        "10.0.0.1",
                                        "172.16.0.1",
                                        "172.31.255.255",
                                        "192.168.1.1",
                                        "169.254.169.254",
                                        "100.64.0.1",
                                        "100.100.100.200",
                                        "192.0.0.192",
                                        "198.18.0.1",
                                        "224.0.0.1",
                                        "255.255.255.255",
                                        "::1",
                                        "::",
                                        "fe80::1",
                                        "fc00::1",
                                        "fd00:ec2::254",
                                        "ff02::1",
                                        "::ffff:127.0.0.1",
                                        "::ffff:10.0.0.1",
                                        "::127.0.0.1",
                                        "64:ff9b::7f00:1",
                                        "64:ff9b:1::1",
                                        "2002:7f00:1::",
                                        "2002:a00:1::1",
                                        "2001:0:a00:1::1",
                                        "2001:db8::1",
                                        "2001:2::1",
                                        "100::1",
                                        "5f00::1",
                                        "2001:0:808:808:0:0:f5ff:fffe"};
    struct sockaddr_storage other = {.ss_family = AF_UNIX};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (is_public(texts[i]))
            fail_msg("%s", texts[i]);
    assert_false(address_is_public((const struct sockaddr *)&other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_of_the_internet_are_public),
        cmocka_unit_test(this_machine_and_its_network_are_not),
    };
    return cmocka_run_group_tests_name("address", tests, NULL, NULL);
}
