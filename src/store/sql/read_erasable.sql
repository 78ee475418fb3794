-- Up to where a case is sealed, what concerns it and is not over, and the database's time.
-- Caller: ErasureStore.erase, after the case is locked. No locks. Index: sealed_cases_pkey, audit_case, second_requests_of;
-- the work of events is read whole.
-- $1 shard, $2 case id
with {{events_of_case}}
select
  coalesce(
    (select s.revision from foothold.sealed_cases as s where s.shard = $1::smallint and s.case_id = $2::text), 0
  ) as sealed_revision,
  (
    select count(*)::integer from foothold.audit as a where a.case_id = $2::text and a.seal_no is null
  ) as unsealed_lines,
  (
    select count(*)::integer
    from foothold.inbox_work as w
    join foothold.inbox_events as e on e.shard = w.shard and e.event_id = w.event_id
    join deliveries_of_case as d on d.delivery_id = e.delivery_id
    where w.state not in ('done', 'ignored')
  ) as work,
  (
    select count(*)::integer
    from foothold.second_requests as r
    where r.shard = $1::smallint and r.case_id = $2::text and r.state = 'open' and r.ends_at > now()
  ) as seconds,
  (
    select count(*)::integer
    from foothold.bulk_items as i
    join foothold.bulk_acts as b on b.bulk_id = i.bulk_id
    where i.case_id = $2::text and b.state not in ('stopped', 'done')
  ) as bulk_acts,
  floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now;
