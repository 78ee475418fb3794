-- Begins a change of one case under its lock. A client that vanishes, or stands still, in the middle keeps the lock for 2 s
-- at most: a sweep that frees what a stopped worker held must not wait behind that worker.
-- Caller: changeCase, and commit where it judges a case by itself. Sent as one message, without parameters.
begin;
set local lock_timeout = '10s';
set local idle_in_transaction_session_timeout = '2s';
