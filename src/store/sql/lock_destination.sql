-- Locks what is known of a destination and reads it; makes the row where there is none, with a null in it.
-- Caller: changeDestination. Lock order: one destination, nothing else. Index: destinations_pkey, by its constraint.
-- $1 destination, $2 credential
insert into foothold.destinations as d (destination, credential_id, state, changed_at)
values ($1::text, $2::text, 'null', now())
on conflict (destination, credential_id) do update set changed_at = d.changed_at
returning d.state, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now;
