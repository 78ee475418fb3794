-- Revokes a token.
-- Caller: revokeToken. Locks: the token. Index: tokens_pkey.
-- $1 id
update foothold.tokens
set revoked_at = now()
where token_id = $1::text and revoked_at is null
returning token_id;
