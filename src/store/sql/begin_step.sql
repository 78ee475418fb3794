-- Begins the transaction of a step. A client that vanishes in the middle keeps what it locked for 60 s at most, and so does a
-- statement that nobody waits for any more.
-- Tells the process of the server that has it: behind a pooler nobody else can say.
-- Caller: beginStep. Sent as one message, without parameters.
begin;
set local lock_timeout = '10s';
set local statement_timeout = '60s';
set local idle_in_transaction_session_timeout = '60s';
select pg_backend_pid() as pid;
