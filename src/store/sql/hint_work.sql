-- Hints that work of the inbox is due. By itself, never with what it is about: a hint in a transaction makes every commit
-- wait for the one before.
-- Caller: hintWork. Lock order: nothing. Index: none.
-- $1 the schema to hint about
select pg_notify('foothold_due', $1::text);
