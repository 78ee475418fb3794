-- Notes how long sources keep what they took in.
-- Caller: noteSources. Lock order: sources by their key. Index: inbox_sources_pkey.
-- $1 shard, $2 tenants, $3 sources, $4 bodies are kept for, in ms, $5 events are remembered for, in ms
insert into foothold.inbox_sources (shard, tenant, source, reconciling, keep_bodies_ms, remember_ms, changed_at)
select $1::smallint, s.tenant, s.source, 'null', s.keep_bodies_ms, s.remember_ms, now()
from unnest($2::text[], $3::text[], $4::bigint[], $5::bigint[]) as s (tenant, source, keep_bodies_ms, remember_ms)
order by s.tenant, s.source
on conflict (shard, tenant, source) do update
set keep_bodies_ms = excluded.keep_bodies_ms, remember_ms = excluded.remember_ms
where inbox_sources.keep_bodies_ms is distinct from excluded.keep_bodies_ms
  or inbox_sources.remember_ms is distinct from excluded.remember_ms;
