-- How far a provider's list was read.
-- Caller: readReconciling. Lock order: reads only. Index: inbox_sources_pkey.
-- $1 shard, $2 tenant, $3 source
select reconciling from foothold.inbox_sources where shard = $1::smallint and tenant = $2::text and source = $3::text;
