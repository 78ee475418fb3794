-- Writes new marks where the old ones still stand; the bytes stay as they are.
-- Caller: KeyStore.rewrap. Locks: the rows of one table, by key. Index: the primary key of the table.
-- $1 table; for each payload $2 shard, $3 id, $4 revision, $5 mark before, $6 mark after
with turned as (
  select *
  from unnest($2::smallint[], $3::text[], $4::integer[], $5::text[], $6::text[])
    as t (shard, id, revision, mark_before, mark_after)
),
in_journal as (
  update foothold.journal as j
  set codec = t.mark_after
  from turned as t
  where $1::text = 'journal' and j.shard = t.shard and j.case_id = t.id and j.revision = t.revision
    and j.codec = t.mark_before
  returning 1
),
in_audit as (
  update foothold.audit as a
  set codec = t.mark_after
  from turned as t
  where $1::text = 'audit' and a.shard = t.shard and a.audit_id = t.id and a.codec = t.mark_before
  returning 1
),
in_deliveries as (
  update foothold.deliveries as d
  set codec = t.mark_after
  from turned as t
  where $1::text = 'deliveries' and d.shard = t.shard and d.delivery_id = t.id and d.codec = t.mark_before
  returning 1
),
in_bulk_acts as (
  update foothold.bulk_acts as b
  set request = jsonb_set(b.request, '{codec}', to_jsonb(t.mark_after))
  from turned as t
  where $1::text = 'bulk_acts' and b.bulk_id = t.id and b.request ->> 'codec' = t.mark_before
  returning 1
),
in_second_requests as (
  update foothold.second_requests as s
  set request = jsonb_set(s.request, '{codec}', to_jsonb(t.mark_after))
  from turned as t
  where $1::text = 'second_requests' and s.shard = t.shard and s.request_id = t.id
    and s.request ->> 'codec' = t.mark_before
  returning 1
)
select count(*)::integer as turned
from (
  select from in_journal
  union all select from in_audit
  union all select from in_deliveries
  union all select from in_bulk_acts
  union all select from in_second_requests
) as written;
