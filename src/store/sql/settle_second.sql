-- Stores what became of a move that waited for a second person. Returns one row if it was open.
-- Caller: SecondStore.settle. Locks: its row. Index: second_requests_pkey.
-- $1 shard, $2 request id, $3 what became of it, $4 who answered, $5 why
update foothold.second_requests
set state = $3::text, answered_by = $4::jsonb, answered_at = now(), why = $5::text
where shard = $1::smallint and request_id = $2::text and state = 'open'
returning request_id;
