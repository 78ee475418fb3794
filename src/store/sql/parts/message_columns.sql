-- The columns of a message m, as they are read.
-- In: claim_messages, list_messages.
m.message_id, m.notice_id, m.target, m.content, m.state, m.attempts, m.throttles, m.failure,
floor(extract(epoch from m.failing_since_at) * 1000)::bigint as failing_since_at,
floor(extract(epoch from m.created_at) * 1000)::bigint as created_at,
floor(extract(epoch from m.due_at) * 1000)::bigint as due_at,
floor(extract(epoch from m.ended_at) * 1000)::bigint as ended_at
