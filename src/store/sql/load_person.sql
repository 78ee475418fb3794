-- The person of an id.
-- Caller: loadPerson. No locks. Index: people_pkey.
-- $1 person id
select
  p.person_id, p.name, p.password_hash, to_jsonb(p.roles) as roles,
  floor(extract(epoch from p.created_at) * 1000)::bigint as created_at,
  floor(extract(epoch from p.disabled_at) * 1000)::bigint as disabled_at
from foothold.people as p
where p.person_id = $1::text;
