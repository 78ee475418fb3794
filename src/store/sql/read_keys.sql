-- Who has the places of keys, and how many cases wait for one: one row for each place that holds, and one for a key without any.
-- Caller: KeyStore.read. No locks. Index: key_places_pkey, cases_pkey, cases_held_by_key.
-- One for each key: $1 tenants, $2 case types, $3 keys; $4 where to end counting
select
  k.n::integer as n, p.slot, p.case_id, p.claim_id, p.freed_by,
  coalesce(
    (
      select l.key_limit
      from foothold.key_places as l
      where l.tenant = k.tenant and l.case_type = k.case_type and l.concurrency_key = k.concurrency_key
      order by l.taken_at desc, l.slot
      limit 1
    ),
    1
  )::integer as key_limit,
  (
    select count(*)::integer
    from (
      select
      from foothold.cases as c
      where c.tenant = k.tenant
        and c.case_type = k.case_type
        and c.concurrency_key = k.concurrency_key
        and c.held_since_at is not null
      limit $4::integer
    ) as held
  ) as waiting
from unnest($1::text[], $2::text[], $3::text[]) with ordinality as k (tenant, case_type, concurrency_key, n)
left join foothold.key_places as p
  on p.tenant = k.tenant
  and p.case_type = k.case_type
  and p.concurrency_key = k.concurrency_key
  and {{place_holds}}
order by k.n, p.slot;
