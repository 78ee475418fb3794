-- Deletes sessions and failures that are over, at most 1,000 of each.
-- Caller: forgetOver. Locks: those rows, skipping what others have. Index: none, both tables are small.
with sessions as (
  delete from foothold.sessions
  where session_hash in (
    select session_hash from foothold.sessions
    where ends_at <= now() or used_at + idle_ms * interval '1 millisecond' <= now()
    limit 1000
    for update skip locked
  )
  returning 1
), failures as (
  delete from foothold.sign_in_failures
  where key in (
    select key from foothold.sign_in_failures where ends_at <= now() limit 1000 for update skip locked
  )
  returning 1
)
select ((select count(*) from sessions) + (select count(*) from failures))::integer as forgotten;
