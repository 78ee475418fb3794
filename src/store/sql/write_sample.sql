-- Keeps a sample.
-- Caller: SampleStore.write. Lock order: one row. Index: samples_pkey.
-- $1 when (epoch ms), $2 states, $3 destinations, $4 whether all was counted
insert into foothold.samples (sampled_at, states, destinations, is_whole)
values (to_timestamp($1::float8 / 1000), $2::jsonb, $3::jsonb, $4::boolean)
on conflict (sampled_at) do update
set states = excluded.states, destinations = excluded.destinations, is_whole = excluded.is_whole;
