-- Makes the schema, where migrating begins.
-- Caller: migrate, only when the schema's version table is not there. Lock order: nothing else is held.
create schema if not exists foothold;
