-- How much work stands in each state that is not done.
-- Caller: countWork. Lock order: reads only. Index: inbox_work_open.
select
  tenant, source, state, count(*)::integer as count,
  floor(extract(epoch from min(changed_at)) * 1000)::bigint as oldest_at
from foothold.inbox_work
where state <> 'done'
group by tenant, source, state
order by source, tenant, state;
