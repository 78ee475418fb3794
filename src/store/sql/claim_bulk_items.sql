-- Claims open items of bulk acts that are worked on, oldest act first; of one that is trying, only the first. What another
-- statement holds is skipped.
-- Caller: BulkStore.claim. Lock order: bulk_items, skipping what is locked, so it waits for nobody.
-- Index: bulk_acts_open, bulk_items_open.
-- $1 claim id, $2 limit, $3 hold, ms
with free as (
  select i.bulk_id, i.place
  from foothold.bulk_acts as a
  join foothold.bulk_items as i on i.bulk_id = a.bulk_id
  where a.state in ('trying', 'running')
    and (a.state = 'running' or i.place = 0)
    and i.state in ('open', 'claimed')
    and (i.state = 'open' or i.claimed_until <= now())
  order by a.created_at, i.bulk_id, i.place
  limit $2::integer
  for no key update of i skip locked
)
update foothold.bulk_items as i
set state = 'claimed',
  claim_id = $1::text,
  claimed_until = now() + $3::integer * interval '1 millisecond'
from free as f
where i.bulk_id = f.bulk_id and i.place = f.place
returning i.bulk_id, i.case_id, i.place, i.state, i.code, i.sentence, null::bigint as ended_at;
