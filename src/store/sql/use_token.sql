-- Whose token it is.
-- Caller: useToken. No locks. Index: tokens_hash, people_pkey.
-- $1 hash
select
  t.token_id, t.label, t.person_id, p.name as person_name, to_jsonb(t.scopes) as scopes,
  floor(extract(epoch from t.created_at) * 1000)::bigint as created_at,
  floor(extract(epoch from t.ends_at) * 1000)::bigint as ends_at,
  floor(extract(epoch from t.revoked_at) * 1000)::bigint as revoked_at,
  p.password_hash, to_jsonb(p.roles) as roles,
  floor(extract(epoch from p.created_at) * 1000)::bigint as person_created_at
from foothold.tokens as t
inner join foothold.people as p on p.person_id = t.person_id
where t.token_hash = $1::text
  and t.revoked_at is null
  and (t.ends_at is null or t.ends_at > now())
  and p.disabled_at is null;
