-- Writes what is known of a destination.
-- Caller: changeDestination. Lock order: one destination, which the caller has locked. Index: destinations_pkey.
-- $1 destination, $2 credential, $3 state
update foothold.destinations
set state = $3::jsonb, changed_at = now()
where destination = $1::text and credential_id = $2::text;
