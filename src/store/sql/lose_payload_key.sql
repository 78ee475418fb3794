-- Says that nobody has a key any more.
-- Caller: KeyStore.lose. Locks: the row of the key. Reads a table of few rows.
-- $1 key id
update foothold.payload_keys as k
set state = 'lost'
where k.key_id = $1::text and k.state = 'inUse'
returning k.key_id;
