-- Changes a notice together with its messages, while it is as whoever decided saw it; once it is over, what was not sent
-- of it is dropped. No row = it was not.
-- Caller: NoticeStore.change. Lock order: notices, then its messages. Index: notices_pkey, messages_order.
-- $1 version or null, $2 id, $3 owner, $4 subject, $5 title, $6 opened, $7 tellings, $8 told, $9 cases told, $10 overdue
-- told, $11 gone (all epoch ms), $12 whether it is over, $13 targets, $14 messages (messageId, target, content)
with
made as (
  insert into foothold.notices (
    notice_id, owner, subject, title, version, opened_at, tellings, told_at, told_cases, overdue_told_at, gone_at, over_at,
    targets
  )
  select
    $2::text, $3::text, $4::jsonb, $5::text, 1, to_timestamp($6::float8 / 1000), $7::integer,
    to_timestamp($8::float8 / 1000), $9::integer, to_timestamp($10::float8 / 1000), to_timestamp($11::float8 / 1000),
    null, $13::jsonb
  where $1::integer is null
  on conflict (notice_id) do update set
    title = excluded.title, version = notices.version + 1, opened_at = excluded.opened_at,
    tellings = excluded.tellings, told_at = excluded.told_at, told_cases = excluded.told_cases,
    overdue_told_at = excluded.overdue_told_at, gone_at = excluded.gone_at, over_at = null, targets = excluded.targets
  where notices.over_at is not null
  returning notice_id
),
kept as (
  update foothold.notices set
    title = $5::text, version = version + 1, tellings = $7::integer, told_at = to_timestamp($8::float8 / 1000),
    told_cases = $9::integer, overdue_told_at = to_timestamp($10::float8 / 1000),
    gone_at = to_timestamp($11::float8 / 1000), over_at = case when $12::boolean then now() end, targets = $13::jsonb
  where notice_id = $2::text and over_at is null and version = $1::integer
  returning notice_id
),
changed as (
  select notice_id from made
  union all
  select notice_id from kept
),
dropped as (
  update foothold.messages as m set state = 'dropped', ended_at = now()
  from changed as c
  where $12::boolean and m.notice_id = c.notice_id and m.state = 'waiting'
  returning m.message_id
),
told as (
  insert into foothold.messages (
    message_id, notice_id, owner, telling, channel, recipient, target, content, state, created_at, due_at, attempts,
    throttles
  )
  select
    m.message ->> 'messageId', c.notice_id, $3::text, $7::integer, m.message #>> '{target,channel}',
    coalesce(m.message #>> '{target,to}', ''), m.message -> 'target', m.message -> 'content', 'waiting', now(), now(), 0, 0
  from changed as c
  cross join jsonb_array_elements($14::jsonb) as m (message)
  on conflict (message_id) do nothing
  returning message_id
)
select c.notice_id, (select count(*) from dropped)::integer as dropped, (select count(*) from told)::integer as told
from changed as c;
