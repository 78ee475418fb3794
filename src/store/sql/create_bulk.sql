-- Stores a bulk act with its cases, unless it is there.
-- Caller: BulkStore.create. Lock order: bulk_acts, then bulk_items. Index: both primary keys.
-- $1 id, $2 move, $3 request, $4 filter, $5 who, $6 reason, $7 state, $8 case ids in order
with act as (
  insert into foothold.bulk_acts (
    bulk_id, move, request, filter, made_by, reason, state, why, is_tried, created_at, changed_at
  )
  values ($1::text, $2::text, $3::jsonb, $4::jsonb, $5::jsonb, $6::text, $7::text, null, $7::text = 'running', now(), now())
  on conflict (bulk_id) do nothing
  returning bulk_id
)
insert into foothold.bulk_items (bulk_id, case_id, place, state)
select a.bulk_id, c.case_id, c.n - 1, 'open'
from act as a
cross join unnest($8::text[]) with ordinality as c (case_id, n);
