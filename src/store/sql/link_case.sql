-- Lets a case be found by further keys, and hints where an event waits for one of them.
-- Caller: linkCase. Lock order: new rows only. Index: case_keys_pkey, inbox_work_awaited.
-- $1 shards, $2 keys, $3 case types, $4 tenants, $5 case, $6 the schema to hint about
with linked as (
  insert into foothold.case_keys (shard, key, case_type, tenant, case_id)
  select t.shard, t.key, t.case_type, t.tenant, $5::text
  from unnest($1::smallint[], $2::text[], $3::text[], $4::text[]) as t (shard, key, case_type, tenant)
  on conflict do nothing
  returning shard, key
)
select pg_notify('foothold_due', $6::text)
from linked as l
where exists (
  select from foothold.inbox_work as w where w.state = 'waiting' and w.waits_shard = l.shard and w.waits_key = l.key
)
limit 1;
