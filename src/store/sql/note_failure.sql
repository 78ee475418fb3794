-- Counts a failed try to sign in; the first of a window begins it.
-- Caller: noteFailure. Locks: its row. Index: sign_in_failures_pkey.
-- $1 key, $2 window in ms
insert into foothold.sign_in_failures as f (key, failures, ends_at)
values ($1::text, 1, now() + $2::bigint * interval '1 millisecond')
on conflict (key) do update
set
  failures = case when f.ends_at > now() then f.failures + 1 else 1 end,
  ends_at = case when f.ends_at > now() then f.ends_at else excluded.ends_at end
returning failures, floor(extract(epoch from ends_at) * 1000)::bigint as ends_at;
