-- The audit lines that say that they are in a seal.
-- Caller: AuditStore.readSealedLines. No locks. Index: audit_seal.
-- $1 shard, $2 number of the seal
select
  a.shard, a.audit_id, a.act, a.outcome, a.code, a.who, a.person_id, a.case_id, a.about, a.plan, a.codec,
  floor(extract(epoch from a.at) * 1000000)::bigint as at_us,
  encode(a.body_hash, 'hex') as body_hash, sha256(a.body) = a.body_hash as is_intact,
  encode(a.sealed_as, 'hex') as sealed_as
from foothold.audit as a
where a.shard = $1::smallint and a.seal_no = $2::integer
order by a.audit_id;
