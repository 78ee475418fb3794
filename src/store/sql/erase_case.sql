-- Erases the row of a case, and deletes or erases what its own shard has of it beside its journal.
-- Caller: ErasureStore.erase, after the case is locked. Locks: the rows. Index: cases_pkey, snapshots_pkey, search_values_pkey,
-- second_requests_of.
-- $1 shard, $2 case id, $3 business key or null, $4 summary, $5 has_review, $6 what stands for a text
with snapshot as (
  delete from foothold.snapshots as s where s.shard = $1::smallint and s.case_id = $2::text
),
found_by as (
  delete from foothold.search_values as v where v.shard = $1::smallint and v.case_id = $2::text
),
asked as (
  update foothold.second_requests as r
  set request = '{}',
    step = null,
    reason = case when r.reason is not null then $6::text end,
    why = case when r.why is not null then $6::text end
  where r.shard = $1::smallint and r.case_id = $2::text
)
update foothold.cases as c
set business_key = $3::text,
  concurrency_key = null,
  held_since_at = null,
  summary = $4::jsonb,
  has_review = $5::boolean,
  -- It tells nobody anything any more.
  told = case when c.parent_id is not null then c.state end
where c.shard = $1::smallint and c.case_id = $2::text;
