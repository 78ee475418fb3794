-- Deletes samples whose time is over.
-- Caller: SampleStore.forget. Lock order: samples by their time. Index: samples_pkey.
-- $1 taken before (epoch ms)
delete from foothold.samples as s
where s.sampled_at < to_timestamp($1::float8 / 1000);
