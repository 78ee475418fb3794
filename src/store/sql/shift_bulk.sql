-- Moves a bulk act from one of some states to another.
-- Caller: BulkStore.shift. Lock order: one row. Index: bulk_acts_pkey.
-- $1 id, $2 from states, $3 to, $4 why, $5 whether its first case turned out well
update foothold.bulk_acts
set state = $3::text, why = $4::text, is_tried = is_tried or $5::boolean, changed_at = now()
where bulk_id = $1::text and state = any($2::text[])
returning bulk_id;
