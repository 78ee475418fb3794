-- Changes a person and ends their sessions, in one statement.
-- Caller: changePerson. Locks: the person, then their sessions. Index: people_name, sessions_person.
-- $1 name; $2 hash of the password, $3 roles, $4 whether disabled, null = as it is
with changed as (
  update foothold.people as p
  set
    password_hash = coalesce($2::text, p.password_hash),
    roles = coalesce($3::text[], p.roles),
    disabled_at = case $4::boolean when true then now() when false then null else p.disabled_at end
  where p.name = $1::text
  returning p.person_id
), ended as (
  delete from foothold.sessions as s
  using changed
  where s.person_id = changed.person_id
)
select person_id from changed;
