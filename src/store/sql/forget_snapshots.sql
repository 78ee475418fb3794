-- Deletes snapshots that are not sealed with the first key: they are made anew from their journals.
-- Caller: KeyStore.rewrap. Lock order: snapshots as found, skipping what is locked.
-- $1 how the marks of the first key begin, $2 snapshots at most
with old as (
  select s.shard, s.case_id
  from foothold.snapshots as s
  where s.codec <> 'json' and not starts_with(s.codec, $1::text)
  limit $2::integer
  for update of s skip locked
)
delete from foothold.snapshots as s
using old as o
where s.shard = o.shard and s.case_id = o.case_id
returning s.case_id;
