-- Sessions of a person that last, the one used last first; at most 100.
-- Caller: listSessions. No locks. Index: sessions_person.
-- $1 person
select
  s.session_hash,
  floor(extract(epoch from s.used_at) * 1000)::bigint as used_at,
  floor(
    extract(epoch from least(s.ends_at, s.used_at + s.idle_ms * interval '1 millisecond')) * 1000
  )::bigint as ends_at
from foothold.sessions as s
where s.person_id = $1::text
  and s.ends_at > now()
  and s.used_at + s.idle_ms * interval '1 millisecond' > now()
order by s.used_at desc, s.session_hash
limit 100;
