-- Has an undeliverable message sent anew, or drops it where its notice is over. Tells what it is and what it was.
-- Caller: NoticeStore.retry. Lock order: one message. Index: messages_pkey, notices_pkey.
-- $1 id
with found as (
  select m.message_id, m.state, n.over_at is not null as is_over
  from foothold.messages as m
  left join foothold.notices as n on n.notice_id = m.notice_id
  where m.message_id = $1::text
  for no key update of m
),
changed as (
  update foothold.messages as m
  set state = case when f.is_over then 'dropped' else 'waiting' end,
    ended_at = case when f.is_over then now() end,
    due_at = now(), attempts = 0, throttles = 0, failing_since_at = null
  from found as f
  where m.message_id = f.message_id and f.state = 'undeliverable'
  returning m.message_id
)
select state, is_over from found;
