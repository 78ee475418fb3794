-- Forgets places that hold no more and were taken before. One that is taken anew meanwhile stays.
-- Caller: KeyStore.forget. Lock order: places in the order of taken_at, skipping what is locked. Index: key_places_taken, cases_pkey.
-- $1 taken before, epoch ms; $2 places at most
with old as (
  select p.tenant, p.case_type, p.concurrency_key, p.slot
  from foothold.key_places as p
  where p.taken_at < to_timestamp($1::float8 / 1000)
    and not {{place_holds}}
  order by p.taken_at
  limit $2::integer
  for update of p skip locked
)
delete from foothold.key_places as p
using old as o
where p.tenant = o.tenant
  and p.case_type = o.case_type
  and p.concurrency_key = o.concurrency_key
  and p.slot = o.slot
  and p.taken_at < to_timestamp($1::float8 / 1000)
returning p.slot;
