-- Tokens, newest first; at most 1,000.
-- Caller: listTokens. No locks. Index: none, there are few.
select
  t.token_id, t.label, t.person_id, p.name as person_name, to_jsonb(t.scopes) as scopes,
  floor(extract(epoch from t.created_at) * 1000)::bigint as created_at,
  floor(extract(epoch from t.ends_at) * 1000)::bigint as ends_at,
  floor(extract(epoch from t.revoked_at) * 1000)::bigint as revoked_at
from foothold.tokens as t
inner join foothold.people as p on p.person_id = t.person_id
order by t.created_at desc, t.token_id
limit 1000;
