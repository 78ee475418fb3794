-- What a server tells of itself, for `foothold doctor`.
-- Caller: inspectServer. No locks.
select
  current_setting('server_version') as version,
  current_setting('server_version_num')::integer as version_number,
  current_setting('max_connections')::integer as max_connections,
  current_setting('superuser_reserved_connections')::integer as reserved_connections,
  coalesce((select r.rolconnlimit from pg_roles as r where r.rolname = current_user), -1) as role_limit,
  coalesce((select d.datconnlimit from pg_database as d where d.datname = current_database()), -1) as database_limit,
  current_setting('fsync')::boolean as fsync,
  current_setting('full_page_writes')::boolean as full_page_writes,
  current_setting('synchronous_commit') as synchronous_commit,
  (pg_is_in_recovery() or current_setting('default_transaction_read_only')::boolean) as is_read_only,
  pg_backend_pid() as process_id,
  floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now;
