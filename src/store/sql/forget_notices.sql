-- Deletes messages that ended long ago, and notices that were over. An undeliverable one is kept while its notice is open.
-- Caller: NoticeStore.forget. Lock order: messages, then notices, both skipping what is locked.
-- Index: messages_ended, notices_over.
-- $1 ended before (epoch ms)
with old_messages as (
  select m.message_id
  from foothold.messages as m
  where m.ended_at < to_timestamp($1::float8 / 1000)
    and (
      m.state <> 'undeliverable'
      or not exists (
        select from foothold.notices as n where n.notice_id = m.notice_id and n.over_at is null
      )
    )
  order by m.ended_at
  limit 1000
  for update of m skip locked
),
old_notices as (
  select n.notice_id
  from foothold.notices as n
  where n.over_at < to_timestamp($1::float8 / 1000)
  order by n.over_at
  limit 1000
  for update of n skip locked
),
gone_messages as (
  delete from foothold.messages as m using old_messages as o where m.message_id = o.message_id
  returning m.message_id
),
gone_notices as (
  delete from foothold.notices as n using old_notices as o where n.notice_id = o.notice_id
  returning n.notice_id
)
select (select count(*) from gone_messages)::integer as messages, (select count(*) from gone_notices)::integer as notices;
