-- What is known of destinations, at most 1,000, and the workers alive with where each may send; one row.
-- Caller: readDestinations, with every heartbeat. No locks. Index: none, both tables are small.
select
  floor(extract(epoch from now()) * 1000)::bigint as now,
  (
    select coalesce(jsonb_agg(to_jsonb(d)), '[]')
    from (
      select
        destination as "destination", credential_id as "credentialId", state as "state",
        floor(extract(epoch from changed_at) * 1000)::bigint as "changedAt"
      from foothold.destinations
      where state <> 'null'
      order by destination, credential_id
      limit 1000
    ) as d
  ) as destinations,
  (
    select coalesce(jsonb_agg(to_jsonb(h)), '[]')
    from (
      select holder_id as "holderId", destinations as "destinations"
      from foothold.holders
      where ended_at is null and kind = 'worker' and destinations <> '[]'
      order by holder_id
      limit 10000
    ) as h
  ) as senders;
