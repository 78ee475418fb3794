-- Tells the server's version and whether the version table is there.
-- Caller: migrate, checkSchema. No locks.
-- $1 the table's name with its schema
select
  current_setting('server_version_num')::integer as server_version,
  current_setting('server_version') as server_version_text,
  to_regclass($1::text) is not null as has_schema_info;
