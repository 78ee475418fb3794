-- Claims due cases, those of higher priority first and of each longest due first, and gives them with their snapshots, where
-- this fold made one, and the entries after those: one row for each entry, summary and snapshot only in the first row of a
-- case. Cases that another statement holds are skipped. A case that changed while this statement began may come without its
-- newest entries; the caller compares the revision and reads the case again.
-- Each priority counts as ten minutes of waiting. What is looked at is bounded by the cases wanted, for each case type and
-- priority; what is due of other types is not looked at.
-- Caller: claimDue. Lock order: cases by type and priority in the order of due_at, skipping what is locked, so it waits for nobody.
-- Index: cases_due_of_type, then cases_pkey, snapshots_pkey and journal_pkey.
-- $1 time by which to be due, epoch ms, null = now; $2 engine version; $3, $4 case types and their versions;
-- $5 holder; $6 act within, ms; $7 claim ids, one for each case wanted; $8 fold version
with ranks (rank) as (
  values (1::smallint), (0::smallint), (-1::smallint)
),
shared (shard, case_id, due_at) as (
  select null::smallint, null::text, null::timestamptz where false
),
last_shared (case_type, tenant) as (
  select null::text, null::text where false
),
wanted (places, ids) as (
  values (cardinality($7::text[]), '{}'::text[])
),
{{first_turns}},
{{claim_taken}};
