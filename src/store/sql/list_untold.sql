-- Cases whose parent is not told yet how they stand, those that stand so for longest first.
-- Caller: listUntold. No locks. Index: cases_untold.
-- $1 at most so many, $2 nothing was written to them for so long, ms
select
  c.case_id,
  case when c.state in ('done', 'canceled') then c.state when c.has_review then 'inReview' else 'running' end
    as standing
from foothold.cases as c
where c.parent_id is not null
  and c.told
    <> case when c.state in ('done', 'canceled') then c.state when c.has_review then 'inReview' else 'running' end
  and c.changed_at <= now() - $2::integer * interval '1 millisecond'
order by c.changed_at
limit $1::integer;
