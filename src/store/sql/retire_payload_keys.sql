-- Takes keys off the list that seal nothing any more. The caller has looked at every payload since $3.
-- Caller: KeyStore.retire. Locks: the rows of the keys. Reads a table of few rows.
-- $1 codec and $2 id of the key that stays, $3 when the pass over all payloads began, epoch ms, $4 margin, ms
delete from foothold.payload_keys as k
where k.codec = $1::text and k.key_id <> $2::text and k.state = 'inUse'
  and k.used_at < to_timestamp(($3::float8 - $4::integer) / 1000)
returning k.key_id;
