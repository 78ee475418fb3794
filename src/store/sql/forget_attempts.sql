-- Deletes counts of attempts whose time is over, by the database's clock.
-- Caller: SampleStore.forget. Lock order: counts by their key. Index: attempt_counts_pkey.
-- $1 kept for so long, in ms
delete from foothold.attempt_counts as c
where c.from_at < now() - make_interval(secs => $1::float8 / 1000);
