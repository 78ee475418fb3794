-- Claims due messages, longest due first, and counts an attempt of each. What reaches one place does so in the order of
-- the tellings. What another statement holds is skipped.
-- Caller: NoticeStore.claim. Lock order: messages, skipping what is locked, so it waits for nobody.
-- Index: messages_due, messages_order.
-- $1 claim id, $2 limit, $3 hold, ms
with free as (
  select m.message_id
  from foothold.messages as m
  where m.state in ('waiting', 'claimed')
    and m.due_at <= now()
    and (m.state = 'waiting' or m.claimed_until <= now())
    and not exists (
      select from foothold.messages as earlier
      where earlier.notice_id = m.notice_id
        and earlier.channel = m.channel
        and earlier.recipient = m.recipient
        and earlier.telling < m.telling
        and earlier.state in ('waiting', 'claimed')
    )
  order by m.due_at
  limit $2::integer
  for no key update skip locked
)
update foothold.messages as m
set state = 'claimed',
  claim_id = $1::text,
  claimed_until = now() + $3::integer * interval '1 millisecond',
  attempts = m.attempts + 1
from free as f
where m.message_id = f.message_id
returning {{message_columns}};
