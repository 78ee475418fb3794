-- Messages, newest first.
-- Caller: NoticeStore.listMessages. No locks. Index: messages_created, messages_undeliverable.
-- $1 states or null, $2 owner or null, $3 limit
select {{message_columns}}
from foothold.messages as m
where ($1::text[] is null or m.state = any ($1::text[]))
  and ($2::text is null or m.owner = $2::text)
order by m.created_at desc, m.message_id
limit $3::integer;
