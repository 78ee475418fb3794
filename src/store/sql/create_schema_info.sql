-- Makes the table of the schema's version: one row, whose table lock lets one process migrate at a time.
-- Caller: migrate, after create_schema. Lock order: nothing else is held.
create table if not exists foothold.schema_info (
  is_only boolean primary key default true check (is_only),
  version integer not null,
  readable_from integer not null
);
