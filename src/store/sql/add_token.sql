-- Makes a token.
-- Caller: addToken. Locks: its own row. Index: tokens_pkey.
-- $1 id, $2 hash, $3 label, $4 person, $5 scopes or null, $6 how long it lasts in ms or null
insert into foothold.tokens (token_id, token_hash, label, person_id, scopes, created_at, ends_at)
values (
  $1::text, $2::text, $3::text, $4::text, $5::text[], now(), now() + $6::bigint * interval '1 millisecond'
)
returning token_id;
