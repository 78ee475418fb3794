-- Marks a holder as ended if its beat is still the one that was seen. A marked holder never comes back.
-- Caller: endHolder. Lock order: one holder. Index: holders_pkey.
-- $1 holder id, $2 beat, null = whatever it is
update foothold.holders
set ended_at = now()
where holder_id = $1::text
  and ended_at is null
  and ($2::integer is null or beat = $2::integer)
returning holder_id;
