-- How long each source keeps what it took in.
-- Caller: listSources. Lock order: reads only. Index: inbox_sources_pkey.
-- $1 shard, $2 at most
select s.tenant, s.source, s.keep_bodies_ms, s.remember_ms
from foothold.inbox_sources as s
where s.shard = $1::smallint and s.keep_bodies_ms is not null and s.remember_ms is not null
order by s.tenant, s.source
limit $2::integer;
