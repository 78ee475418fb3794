-- Audit lines that no seal took, whenever they were committed.
-- Caller: AuditStore.listUnsealedLines. No locks. Index: audit_seal.
-- $1 lines at most
select
  a.shard, a.audit_id, a.act, a.outcome, a.code, a.who, a.person_id, a.case_id, a.about, a.plan, a.codec,
  floor(extract(epoch from a.at) * 1000000)::bigint as at_us,
  encode(a.body_hash, 'hex') as body_hash, sha256(a.body) = a.body_hash as is_intact,
  encode(a.sealed_as, 'hex') as sealed_as
from foothold.audit as a
where a.seal_no is null
order by a.at, a.audit_id
limit $1::integer;
