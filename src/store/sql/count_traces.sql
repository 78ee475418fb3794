-- How much is kept of a case.
-- Caller: ErasureStore.countTraces. No locks. Index: cases_pkey, audit_case, search_values_pkey, second_requests_of; the work
-- of events and the keys of cases are read whole.
-- $1 shard, $2 case id
with {{events_of_case}}
select
  c.revision as entries,
  (select count(*)::integer from foothold.audit as a where a.case_id = $2::text) as audit_lines,
  (select count(*)::integer from events_of_case) as events,
  (select count(*)::integer from deliveries_of_case where body_kept in ('here', 'parts')) as bodies,
  (
    select count(*)::integer from foothold.search_values as v where v.shard = $1::smallint and v.case_id = $2::text
  ) + (
    select count(*)::integer from foothold.case_keys as k where k.case_id = $2::text
  ) as search_values,
  (
    select count(*)::integer from foothold.second_requests as r where r.shard = $1::smallint and r.case_id = $2::text
  ) as seconds,
  (select count(*)::integer from foothold.bulk_items as i where i.case_id = $2::text) as bulk_acts
from foothold.cases as c
where c.shard = $1::smallint and c.case_id = $2::text;
