/** A certificate that nobody signed but its own key, for servers of tests that clients must refuse. The key is no secret. */

/** The key. */
export const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgkrSDFYGduOs/KSDQ
UmVsyfrQXzjm4MZLvoqjvj04e/OhRANCAASjnJajBhe4ZZL03mTn20QDmrOoCnCS
h17YGzOVhtMXBRjojBx6IfZNn8eGltiHpmfJDOnHlh40FB1U6Mzm/R2k
-----END PRIVATE KEY-----
`;

/** The certificate. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUSmr27UUQZxoI/+spBhp32zoumh8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyOTIzMzcxN1oYDzIxMjYxMTA1
MjMzNzE3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASjnJajBhe4ZZL03mTn20QDmrOoCnCSh17YGzOVhtMXBRjojBx6IfZN
n8eGltiHpmfJDOnHlh40FB1U6Mzm/R2ko1MwUTAdBgNVHQ4EFgQUVhOVsCU/V13P
vzNlDFO158QJvXgwHwYDVR0jBBgwFoAUVhOVsCU/V13PvzNlDFO158QJvXgwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAkPcV/v058hvVdJt+Wo5dH
8czxLB4blBpDH+NAa3SOLwIhAJujermJA0irgipOnmKFCRLubR35ngk3Cgb28gCH
7gbU
-----END CERTIFICATE-----
`;
