-- The database's clock, in epoch milliseconds.
-- Caller: now. No locks.
select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now;
