-- Counts cases by type, state and the version that they need. Reads every row: for a page that somebody opens and a metric now and then.
-- Caller: countCases. No locks. Index: none.
select
  c.case_type,
  c.state,
  c.definition_version,
  count(*)::integer as cases,
  count(*) filter (where c.state in ('ready', 'waiting', 'paused') and c.due_at <= now())::integer as due,
  count(*) filter (where c.has_review)::integer as with_review,
  count(*) filter (where c.state = 'claimed' and c.summary #>> '{repair,name}' is not null)::integer as in_repair,
  floor(extract(epoch from min(c.due_at) filter (
    where c.state in ('ready', 'waiting', 'paused') and c.due_at <= now()
  )) * 1000)::bigint as oldest_due_at
from foothold.cases as c
group by c.case_type, c.state, c.definition_version
order by c.case_type, c.state, c.definition_version;
