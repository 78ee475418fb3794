-- Records a migration as applied.
-- Caller: migrate, under the table's lock. Index: schema_info_pkey.
-- $1 version, $2 readable_from
insert into foothold.schema_info as s (is_only, version, readable_from)
values (true, $1::integer, $2::integer)
on conflict (is_only) do update
set version = excluded.version, readable_from = greatest(s.readable_from, excluded.readable_from);
