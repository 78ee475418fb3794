-- Stores what became of sending a claimed message.
-- Caller: NoticeStore.settle. Lock order: one row. Index: messages_pkey.
-- $1 id, $2 claim, $3 state, $4 due (epoch ms) or null, $5 attempts or null, $6 throttles, $7 failing since (epoch ms),
-- $8 failure
update foothold.messages
set state = $3::text,
  due_at = coalesce(to_timestamp($4::float8 / 1000), due_at),
  attempts = coalesce($5::integer, attempts),
  throttles = coalesce($6::integer, throttles),
  failing_since_at = coalesce(to_timestamp($7::float8 / 1000), failing_since_at),
  failure = coalesce($8::jsonb, failure),
  claim_id = null,
  claimed_until = null,
  ended_at = case when $3::text <> 'waiting' then now() end
where message_id = $1::text and state = 'claimed' and claim_id = $2::text
returning message_id;
