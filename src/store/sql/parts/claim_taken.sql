-- Claims what is in shared, due and more, and gives it.
-- In: claim_due, claim_shared.
-- $5 holder; $6 act within, ms; $7 claim ids, one for each case wanted; $8 fold version
numbered as (
  select shard, case_id, row_number() over (order by due_at, case_id) as n
  from (
    select * from shared
    union all select * from due
    union all select * from more
    limit cardinality($7::text[])
  ) as taken
),
replied as (
  update foothold.cases as c
  set state = 'claimed',
    resting_state = c.state,
    resting_due_at = coalesce(c.held_since_at, c.due_at),
    due_at = null,
    held_since_at = null,
    claim_id = i.claim_id,
    holder_id = $5::text,
    claimed_at = now(),
    act_by_at = now() + $6::integer * interval '1 millisecond',
    act_within_ms = $6::integer,
    claim_touches = 0
  from numbered as d
  join unnest($7::text[]) with ordinality as i (claim_id, n) on i.n = d.n
  where c.shard = d.shard and c.case_id = d.case_id
  returning c.*
)
{{claim_reply}}
