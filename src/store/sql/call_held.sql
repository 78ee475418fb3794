-- The same for the next keys of which any case is held back; also the last of them where there may be more.
-- Caller: callNext, by the sweep. Lock order: cases, skipping what is locked. Index: cases_held_by_key, key_places_pkey, cases_pkey.
-- $1, $2, $3 tenant, case type and key to go on after, empty = from the first; $4 the schema to hint about; $5 keys at most
with recursive walked (n, tenant, case_type, concurrency_key) as (
  select 1, w.tenant, w.case_type, w.concurrency_key
  from (
    select c.tenant, c.case_type, c.concurrency_key
    from foothold.cases as c
    where c.held_since_at is not null
      and (c.tenant, c.case_type, c.concurrency_key) > ($1::text, $2::text, $3::text)
    order by c.tenant, c.case_type, c.concurrency_key
    limit 1
  ) as w
  union all
  select l.n + 1, w.tenant, w.case_type, w.concurrency_key
  from walked as l
  cross join lateral (
    select c.tenant, c.case_type, c.concurrency_key
    from foothold.cases as c
    where c.held_since_at is not null
      and (c.tenant, c.case_type, c.concurrency_key) > (l.tenant, l.case_type, l.concurrency_key)
    order by c.tenant, c.case_type, c.concurrency_key
    limit 1
  ) as w
  where l.n < $5::integer
),
keys as (
  select tenant, case_type, concurrency_key from walked
),
{{called_first}}
select
  (select count(*)::integer from called) as called,
  case when (select count(*) from called) > 0 then pg_notify('foothold_due', $4::text) end::text as told,
  w.tenant, w.case_type, w.concurrency_key
from (values (1)) as one (n)
left join walked as w on w.n = $5::integer;
