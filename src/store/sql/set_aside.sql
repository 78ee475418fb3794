-- Puts a case whose journal cannot be read in sight: in review, not due, its claim freed, nothing appended.
-- Caller: setAside. Lock order: one case. Index: cases_pkey.
-- $1 shard, $2 case id, $3 the claim it must have, null = none; $4 summary, $5 has_review
update foothold.cases as c
set state = 'in_review',
  due_at = null,
  held_since_at = null,
  summary = $4::jsonb,
  has_review = $5::boolean,
  resting_state = null,
  resting_due_at = null,
  claim_id = null,
  holder_id = null,
  claimed_at = null,
  act_by_at = null,
  act_within_ms = null,
  claim_touches = null
where c.shard = $1::smallint and c.case_id = $2::text and c.claim_id is not distinct from $3::text
returning c.case_id;
