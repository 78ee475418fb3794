-- Stores a move that waits for a second person.
-- Caller: SecondStore.ask. Locks: its own row. Index: second_requests_pkey.
-- $1 shard, $2 request id, $3 case id, $4 move, $5 request, $6 step, $7 plan, $8 reason, $9 who asks, $10 how long it lasts, ms
insert into foothold.second_requests (
  shard, request_id, case_id, move, request, step, plan, reason, asked_by, asked_at, ends_at, state
)
values (
  $1::smallint, $2::text, $3::text, $4::text, $5::jsonb, $6::text, $7::text, $8::text, $9::jsonb, now(),
  now() + $10::bigint * interval '1 millisecond', 'open'
)
on conflict (shard, request_id) do nothing;
