-- Adds a seal to the chain of a shard, and marks what it took. Returns one row if it was added, none where the chain ends
-- elsewhere by now.
-- Caller: AuditStore.writeSeal. Lock order: the head of the shard, then its cases' marks and audit lines: two sealers of a
-- shard wait for each other at the head, and the second one finds it moved.
-- Index: seal_heads_pkey, seals_pkey, sealed_cases_pkey, audit_pkey.
-- $1 shard, $2 number, $3 when, epoch ms, $4 previous hash, $5 hash, in hexadecimal, $6 body; for each range: $7 case id,
-- $8 last revision; $9 audit ids
with moved as (
  update foothold.seal_heads as h
  set seal_no = $2::integer, hash = decode($5::text, 'hex')
  where h.shard = $1::smallint and h.seal_no = $2::integer - 1 and h.hash = decode($4::text, 'hex')
  returning h.shard
),
written as (
  insert into foothold.seals (shard, seal_no, sealed_at, previous, hash, body)
  select
    m.shard, $2::integer, to_timestamp($3::float8 / 1000), decode($4::text, 'hex'), decode($5::text, 'hex'), $6::jsonb
  from moved as m
),
marked as (
  insert into foothold.sealed_cases as s (shard, case_id, revision)
  select m.shard, r.case_id, r.revision
  from moved as m
  cross join unnest($7::text[], $8::integer[]) as r (case_id, revision)
  on conflict (shard, case_id) do update set revision = excluded.revision
),
taken as (
  update foothold.audit as a
  set seal_no = $2::integer
  from moved as m
  where a.shard = m.shard and a.shard = $1::smallint and a.audit_id = any ($9::text[]) and a.seal_no is null
)
select 1 as added from moved;
