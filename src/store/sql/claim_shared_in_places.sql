-- Claims due cases as claim_shared does, those that have a key with places of it.
-- Caller: claimDue, for a worker that is behind and has a case type with a limit. Lock order: as claim_due_in_places.
-- Index: as claim_shared, then key_places_pkey and cases_held_by_key.
-- $1 to $11 as claim_shared says; for each case type $12 its limit, null = none, and $13 what frees a place of it
with recursive ranks (rank) as (
  values (1::smallint), (0::smallint), (-1::smallint)
),
{{turns_round}},
limits (case_type, key_limit, freed_by) as (
  select l.* from unnest($3::text[], $12::integer[], $13::text[]) as l
),
{{first_turns}},
{{claim_in_places}};
