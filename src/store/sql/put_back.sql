-- Gives back a case that was claimed by a process that lacks the key of its journal: nothing was done under the claim.
-- Another one takes it after a while.
-- Caller: claimDue. Lock order: one case. Index: cases_pkey.
-- $1 shard, $2 case id, $3 claim id, $4 how long nobody takes it, ms
update foothold.cases as c
set state = c.resting_state,
  due_at = now() + $4::integer * interval '1 millisecond',
  resting_state = null, resting_due_at = null,
  claim_id = null, holder_id = null, claimed_at = null, act_by_at = null, act_within_ms = null, claim_touches = null
where c.shard = $1::smallint and c.case_id = $2::text and c.claim_id = $3::text;
