-- Bulk acts with how many items stand where, newest first; the one with an id where one is named.
-- Caller: BulkStore.load, list. Index: bulk_acts_pkey, bulk_items_pkey. Locks nothing.
-- $1 id or null, $2 limit
select
  a.bulk_id, a.move, a.request, a.filter, a.made_by, a.reason, a.state, a.why, a.is_tried,
  floor(extract(epoch from a.created_at) * 1000)::bigint as created_at,
  floor(extract(epoch from a.changed_at) * 1000)::bigint as changed_at,
  i.total, i.open, i.done, i.refused
from (
  select * from foothold.bulk_acts
  where $1::text is null or bulk_id = $1::text
  order by created_at desc, bulk_id desc
  limit $2::integer
) as a
cross join lateral (
  select
    count(*)::integer as total,
    count(*) filter (where state in ('open', 'claimed'))::integer as open,
    count(*) filter (where state = 'done')::integer as done,
    count(*) filter (where state = 'refused')::integer as refused
  from foothold.bulk_items
  where bulk_id = a.bulk_id
) as i
order by a.created_at desc, a.bulk_id desc;
