-- Whose session it is, and that it was used.
-- Caller: useSession. Locks: the session. Index: sessions_pkey, people_pkey.
-- $1 hash, $2 whether its idle time begins anew
with used as (
  update foothold.sessions as s
  set used_at = case when $2::boolean then now() else s.used_at end
  from foothold.people as owner
  where s.session_hash = $1::text
    and s.ends_at > now()
    and s.used_at + s.idle_ms * interval '1 millisecond' > now()
    and owner.person_id = s.person_id
    and owner.disabled_at is null
  returning s.person_id
)
select
  p.person_id, p.name, p.password_hash, to_jsonb(p.roles) as roles,
  floor(extract(epoch from p.created_at) * 1000)::bigint as created_at,
  floor(extract(epoch from p.disabled_at) * 1000)::bigint as disabled_at
from used
inner join foothold.people as p on p.person_id = used.person_id;
