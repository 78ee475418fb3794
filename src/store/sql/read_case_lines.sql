-- The audit lines about a case, as they are sealed and with their contents.
-- Caller: ErasureStore.erase and AuditStore.readErased. No locks. Index: audit_case.
-- $1 shard, $2 case id, $3 whether only those that were erased
select
  a.shard, a.audit_id, a.act, a.outcome, a.code, a.who, a.person_id, a.case_id, a.about, a.plan, a.codec, a.body,
  floor(extract(epoch from a.at) * 1000000)::bigint as at_us,
  encode(a.body_hash, 'hex') as body_hash, sha256(a.body) = a.body_hash as is_intact,
  encode(a.sealed_as, 'hex') as sealed_as
from foothold.audit as a
where a.shard = $1::smallint and a.case_id = $2::text and (not $3::boolean or a.sealed_as is not null)
order by a.audit_id;
