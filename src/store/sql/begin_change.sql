-- Begins a change of one case under its lock. A client that vanishes in the middle keeps the lock for 15 s at most.
-- Caller: changeCase, and commit where it judges a case by itself. Sent as one message, without parameters.
begin;
set local lock_timeout = '10s';
set local idle_in_transaction_session_timeout = '15s';
