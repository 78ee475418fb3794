-- Items of a bulk act after a place, in their order.
-- Caller: BulkStore.listItems. Index: bulk_items_pkey. Locks nothing.
-- $1 id, $2 after this place, $3 limit, $4 state or null
select
  bulk_id, case_id, place, state, code, sentence,
  floor(extract(epoch from ended_at) * 1000)::bigint as ended_at
from foothold.bulk_items
where bulk_id = $1::text
  and place > $2::integer
  and ($4::text is null or state = $4::text)
order by place
limit $3::integer;
