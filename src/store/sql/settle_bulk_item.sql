-- Stores what became of a claimed item.
-- Caller: BulkStore.settle. Lock order: one row. Index: bulk_items_case.
-- $1 id, $2 case, $3 claim, $4 state, $5 code, $6 sentence
update foothold.bulk_items
set state = $4::text,
  code = $5::text,
  sentence = $6::text,
  ended_at = now(),
  claim_id = null,
  claimed_until = null
where bulk_id = $1::text and case_id = $2::text and state = 'claimed' and claim_id = $3::text
returning place;
