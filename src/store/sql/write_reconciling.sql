-- Notes how far a provider's list was read.
-- Caller: writeReconciling. Lock order: one source. Index: inbox_sources_pkey.
-- $1 shard, $2 tenant, $3 source, $4 how far
insert into foothold.inbox_sources (shard, tenant, source, reconciling, changed_at)
values ($1::smallint, $2::text, $3::text, $4::jsonb, now())
on conflict (shard, tenant, source) do update
set reconciling = excluded.reconciling, changed_at = excluded.changed_at;
