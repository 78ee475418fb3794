-- Makes cases due sooner that are held back at a destination: the first at once, each next one a gap later, and none
-- later than it was. Outside the journal, as any due time after an unchanged poll.
-- Caller: hastenHeld. Lock order: cases in the order of due_at, skipping what is locked. Index: cases_due, then cases_pkey.
-- $1 what they wait for, as a JSON array of one wait; $2 cases at most; $3 gap, ms; $4 only what is due within, ms
with held as (
  select c.shard, c.case_id, c.due_at
  from foothold.cases as c
  where c.state in ('ready', 'waiting', 'paused')
    and c.state = 'waiting'
    and c.due_at > now()
    and c.due_at <= now() + $4::integer * interval '1 millisecond'
    and c.summary -> 'waits' @> $1::jsonb
  order by c.due_at
  limit $2::integer
  for no key update of c skip locked
),
numbered as (
  select shard, case_id, row_number() over (order by due_at, case_id) - 1 as n
  from held
)
update foothold.cases as c
set due_at = least(c.due_at, now() + h.n * $3::integer * interval '1 millisecond')
from numbered as h
where c.shard = h.shard and c.case_id = h.case_id
returning 1 as hastened;
