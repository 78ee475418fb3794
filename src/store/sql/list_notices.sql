-- Open notices, oldest first.
-- Caller: NoticeStore.listOpen. No locks. Index: notices_open.
-- $1 limit
select
  notice_id, owner, subject, title, version, tellings, told_cases, targets,
  floor(extract(epoch from opened_at) * 1000)::bigint as opened_at,
  floor(extract(epoch from told_at) * 1000)::bigint as told_at,
  floor(extract(epoch from overdue_told_at) * 1000)::bigint as overdue_told_at,
  floor(extract(epoch from gone_at) * 1000)::bigint as gone_at,
  floor(extract(epoch from over_at) * 1000)::bigint as over_at
from foothold.notices
where over_at is null
order by opened_at, notice_id
limit $1::integer;
