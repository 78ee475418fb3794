-- Locks what is known of a credential, and reads it; its row is made where there is none.
-- Caller: changeCredential. Lock order: one credential, nothing else. Index: credentials_pkey.
-- $1 credential id
insert into foothold.credentials as c (credential_id)
values ($1::text)
on conflict (credential_id) do update set credential_id = excluded.credential_id
returning c.state, floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now;
