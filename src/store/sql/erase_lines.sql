-- Puts erased texts in the place of those of audit lines; each keeps the hash that it was sealed with.
-- Caller: ErasureStore.erase, after the case is locked. Locks: the lines. Index: audit_pkey.
-- $1 shard; for each line: $2 audit id, $3 about, $4 plan, $5 body, $6 hash that it was sealed with, in hexadecimal
update foothold.audit as a
set about = e.about,
  plan = e.plan,
  codec = 'json',
  body = e.body,
  body_hash = sha256(e.body),
  sealed_as = decode(e.sealed_as, 'hex')
from unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[]) as e (audit_id, about, plan, body, sealed_as)
where a.shard = $1::smallint and a.audit_id = e.audit_id;
