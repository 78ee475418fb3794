-- Puts erased entries in the place of those of a case; each keeps the hash that it was sealed with.
-- Caller: ErasureStore.erase, after the case is locked. Locks: the entries. Index: journal_pkey.
-- $1 shard, $2 case id; for each entry: $3 revision, $4 step, $5 source id of a fact, null = it keeps what its change is known
-- by, $6 body, $7 hash that it was sealed with, in hexadecimal
update foothold.journal as j
set step = e.step,
  source_id = coalesce(e.source_id, case when j.source_id = j.commit_id then j.commit_id end),
  codec = 'json',
  body = e.body,
  body_hash = sha256(e.body),
  sealed_as = decode(e.sealed_as, 'hex')
from unnest($3::integer[], $4::text[], $5::text[], $6::bytea[], $7::text[]) as e (revision, step, source_id, body, sealed_as)
where j.shard = $1::smallint and j.case_id = $2::text and j.revision = e.revision;
