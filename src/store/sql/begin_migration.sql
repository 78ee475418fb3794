-- Begins one migration. The bound on waiting for locks keeps a migration from stopping a busy database.
-- Caller: migrate. Sent as one message, without parameters.
begin;
set local lock_timeout = '10s';
lock table foothold.schema_info in exclusive mode;
