-- Writes what is known of a credential whose lock is held.
-- Caller: changeCredential. Lock order: one credential, nothing else. Index: credentials_pkey.
-- $1 credential id, $2 what is known
update foothold.credentials as c
set state = $2::jsonb
where c.credential_id = $1::text;
