-- Writes an audit line; the same id again changes nothing.
-- Caller: changeCase, after the case it is about, and AuditStore.append. Locks: its own row. Index: audit_pkey.
-- $1 shard, $2 audit id, $3 act, $4 outcome, $5 code, $6 who, $7 person id, $8 case id, $9 about, $10 plan, $11 body,
-- $12 how it is written
insert into foothold.audit (
  shard, audit_id, at, act, outcome, code, who, person_id, case_id, about, plan, codec, body, body_hash
)
values (
  $1::smallint, $2::text, now(), $3::text, $4::text, $5::text, $6::text, $7::text,
  $8::text, $9::text, $10::text, $12::text, $11::bytea, sha256($11::bytea)
)
on conflict (shard, audit_id) do nothing;
