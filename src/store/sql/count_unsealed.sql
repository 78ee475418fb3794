-- How many entries and audit lines are not sealed yet.
-- Caller: AuditStore.countUnsealed. No locks. Index: audit_seal; of the cases it reads all.
select
  (
    select coalesce(sum(c.revision - coalesce(s.revision, 0)), 0)
    from foothold.cases as c
    left join foothold.sealed_cases as s on s.shard = c.shard and s.case_id = c.case_id
    where c.revision > coalesce(s.revision, 0)
  )::float8 as entries,
  (select count(*) from foothold.audit where seal_no is null)::float8 as lines;
