-- Stores a holder that starts.
-- Caller: registerHolder. Lock order: one holder, new. Index: holders_pkey, by its constraint.
-- $1 holder id, $2 kind, $3 name, $4 host, $5 build, $6 lease, ms, $7 case types, $8 destinations
insert into foothold.holders (
  holder_id, kind, name, host, build, lease_ms, case_types, destinations, beat, beat_at, started_at
)
values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::integer, $7::jsonb, $8::jsonb, 0, now(), now())
returning floor(extract(epoch from now()) * 1000)::bigint as now;
