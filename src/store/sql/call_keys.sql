-- Makes held back cases of these keys due, as many as places are free, first turns first, and hints where any became due.
-- Caller: callNext. Lock order: cases, skipping what is locked. Index: cases_held_by_key, key_places_pkey, cases_pkey.
-- One for each key: $1 tenants, $2 case types, $3 keys; $4 the schema to hint about
with keys as (
  select distinct k.tenant, k.case_type, k.concurrency_key
  from unnest($1::text[], $2::text[], $3::text[]) as k (tenant, case_type, concurrency_key)
),
{{called_first}}
select count(*)::integer as called, case when count(*) > 0 then pg_notify('foothold_due', $4::text) end::text as told
from called;
