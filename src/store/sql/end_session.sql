-- Ends a session.
-- Caller: endSession. Locks: the session. Index: sessions_pkey.
-- $1 hash
delete from foothold.sessions where session_hash = $1::text;
