-- Opens a session.
-- Caller: openSession. Locks: its own row. Index: sessions_pkey.
-- $1 hash, $2 person, $3 idle ms, $4 how long it lasts in ms
insert into foothold.sessions (session_hash, person_id, idle_ms, used_at, ends_at)
values ($1::text, $2::text, $3::bigint, now(), now() + $4::bigint * interval '1 millisecond')
returning session_hash;
