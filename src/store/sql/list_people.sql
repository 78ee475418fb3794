-- People by name; at most 1,000.
-- Caller: listPeople. No locks. Index: people_name.
select
  p.person_id, p.name, p.password_hash, to_jsonb(p.roles) as roles,
  floor(extract(epoch from p.created_at) * 1000)::bigint as created_at,
  floor(extract(epoch from p.disabled_at) * 1000)::bigint as disabled_at
from foothold.people as p
order by p.name
limit 1000;
