-- Forgets failed tries to sign in.
-- Caller: clearFailures. Locks: its row. Index: sign_in_failures_pkey.
-- $1 key
delete from foothold.sign_in_failures where key = $1::text;
