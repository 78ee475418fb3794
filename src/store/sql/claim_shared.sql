-- Claims due cases as claim_due does, but for some of the places, which go round the case types and tenants, as takeTurns in
-- core/turns.ts says; a test keeps the two equal. What is looked at is bounded by the cases wanted, for each type and
-- priority, and by 32 types and tenants.
-- Caller: claimDue, for a worker that is behind; a statement of its own, so that other claims do not pay for it. Lock order:
-- cases, those that go round first, then as claim_due, skipping what is locked, so it waits for nobody.
-- Index: cases_due_in_group and cases_due_of_type, then cases_pkey, snapshots_pkey and journal_pkey.
-- $1 to $8 as claim_due says; $9 places that go round, $10, $11 the type and tenant to go on after, null = from the first
with recursive ranks (rank) as (
  values (1::smallint), (0::smallint), (-1::smallint)
),
{{turns_round}},
{{first_turns}},
{{claim_taken}};
