-- Failed tries to sign in within a window that runs.
-- Caller: readFailures. No locks. Index: sign_in_failures_pkey.
-- $1 key
select failures, floor(extract(epoch from ends_at) * 1000)::bigint as ends_at
from foothold.sign_in_failures
where key = $1::text and ends_at > now();
