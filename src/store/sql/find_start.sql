-- Tells why a start stored nothing: the commit that began the case with this id, and the case that holds this business key.
-- Caller: insertCase, after insert_case returned no row. No locks. Index: journal_pkey and cases_key_held.
-- $1 shard, $2 case id, $3 tenant, $4 case type, $5 business key
select
  (
    select j.commit_id
    from foothold.journal as j
    where j.shard = $1::smallint and j.case_id = $2::text and j.revision = 1
  ) as commit_id,
  (
    select c.case_id
    from foothold.cases as c
    where c.shard = $1::smallint
      and c.business_key = $5::text
      and c.case_type = $4::text
      and c.tenant = $3::text
      and c.business_key is not null
      and (c.key_freed_by = 'nothing' or c.state <> 'canceled')
      and (c.key_freed_by <> 'end' or c.state <> 'done')
  ) as case_id;
