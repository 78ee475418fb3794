-- Deletes what nobody has changed for long; at most 1,000.
-- Caller: forgetDestinations. Lock order: destinations, skipping what is locked. Index: destinations_pkey.
-- $1 changed before, epoch ms
delete from foothold.destinations
where (destination, credential_id) in (
  select d.destination, d.credential_id
  from foothold.destinations as d
  where d.changed_at < to_timestamp($1::float8 / 1000)
  order by d.destination, d.credential_id
  limit 1000
  for update of d skip locked
)
returning destination;
