-- The marks of payloads after a place, in the order of their keys: of one table at a time, so that each statement is bounded.
-- Caller: KeyStore.rewrap. No locks. Index: the primary key of the table.
-- $1 table, $2 shard, $3 id and $4 revision of the payload before, $5 payloads at most
(
  select j.shard::integer as shard, j.case_id as id, j.revision::integer as revision, j.codec as mark
  from foothold.journal as j
  where $1::text = 'journal' and (j.shard, j.case_id, j.revision) > ($2::smallint, $3::text, $4::integer)
  order by j.shard, j.case_id, j.revision
  limit $5::integer
)
union all
(
  select a.shard, a.audit_id, 0, a.codec
  from foothold.audit as a
  where $1::text = 'audit' and (a.shard, a.audit_id) > ($2::smallint, $3::text)
  order by a.shard, a.audit_id
  limit $5::integer
)
union all
(
  select d.shard, d.delivery_id, 0, d.codec
  from foothold.deliveries as d
  where $1::text = 'deliveries' and (d.shard, d.delivery_id) > ($2::smallint, $3::text)
  order by d.shard, d.delivery_id
  limit $5::integer
)
union all
(
  select 0, b.bulk_id, 0, coalesce(b.request ->> 'codec', 'json')
  from foothold.bulk_acts as b
  where $1::text = 'bulk_acts' and b.bulk_id > $3::text
  order by b.bulk_id
  limit $5::integer
)
union all
(
  select s.shard, s.request_id, 0, coalesce(s.request ->> 'codec', 'json')
  from foothold.second_requests as s
  where $1::text = 'second_requests' and (s.shard, s.request_id) > ($2::smallint, $3::text)
  order by s.shard, s.request_id
  limit $5::integer
);
