-- The database's clock, in epoch milliseconds.
-- Caller: now. No locks.
select (extract(epoch from clock_timestamp()) * 1000)::float8 as now;
