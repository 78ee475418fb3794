-- Claims due cases as claim_due does, those that have a key with places of it.
-- Caller: claimDue, for a worker with a case type that has a limit; a statement of its own, so that other claims do not pay for it.
-- Lock order: cases as claim_due, then places by tenant, type, key and slot: each statement waits there at most for another claim.
-- Index: as claim_due, then key_places_pkey and cases_held_by_key.
-- $1 to $8 as claim_due says; for each case type $9 its limit, null = none, and $10 what frees a place of it
with ranks (rank) as (
  values (1::smallint), (0::smallint), (-1::smallint)
),
shared (shard, case_id, due_at) as (
  select null::smallint, null::text, null::timestamptz where false
),
last_shared (case_type, tenant) as (
  select null::text, null::text where false
),
wanted (places, ids) as (
  values (cardinality($7::text[]), '{}'::text[])
),
limits (case_type, key_limit, freed_by) as (
  select l.* from unnest($3::text[], $9::integer[], $10::text[]) as l
),
{{first_turns}},
{{claim_in_places}};
