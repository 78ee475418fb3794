-- Keeps what one worker counted of its attempts; what it told before of the same stretch and destination is replaced.
-- Caller: SampleStore.tellAttempts. Lock order: by stretch, destination and credential. Index: attempt_counts_pkey.
-- $1 random id of who counts, $2 counts, as JSON: from when (epoch ms), destination, credential and the numbers
insert into foothold.attempt_counts (
  from_at, destination, credential_id, counted_by, attempts, failed, requests, repeats, unmetered
)
select
  to_timestamp(c."fromAt"::float8 / 1000), c.destination, c."credentialId", $1::text,
  c.attempts, c.failed, c.requests, c.repeats, c.unmetered
from jsonb_to_recordset($2::jsonb) as c (
  "fromAt" bigint, destination text, "credentialId" text,
  attempts integer, failed integer, requests integer, repeats integer, unmetered integer
)
order by c."fromAt", c.destination, c."credentialId"
on conflict (from_at, destination, credential_id, counted_by) do update
set
  attempts = excluded.attempts, failed = excluded.failed, requests = excluded.requests,
  repeats = excluded.repeats, unmetered = excluded.unmetered;
