-- Adds a person unless the name is taken.
-- Caller: addPerson. Locks: its own row. Index: people_name.
-- $1 person id, $2 name, $3 hash of the password or null, $4 roles
insert into foothold.people (person_id, name, password_hash, roles, created_at)
values ($1::text, $2::text, $3::text, $4::text[], now())
on conflict (name) do nothing
returning person_id;
