-- Takes one failed try to sign in back.
-- Caller: takeBackFailure. Locks: its row. Index: sign_in_failures_pkey.
-- $1 key
update foothold.sign_in_failures
set failures = greatest(failures - 1, 0)
where key = $1::text;
