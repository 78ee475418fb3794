-- Notes what the parent of a case was told of it. Whatever the case became since is told anew.
-- The parent must know it: a failover loses what it was told without this note.
-- Caller: noteTold. Lock order: one case. Index: cases_pkey, journal_source.
-- $1 shard, $2 case id, $3 how it stood, $4 what the parent knows: told, ended or nothing; $5 told: its source
update foothold.cases as c
set told = $3::text
where c.shard = $1::smallint and c.case_id = $2::text and c.told is not null
  and case $4::text
    when 'told' then exists (
      select from foothold.journal as j
      where j.shard = left(c.parent_id, 2)::smallint and j.case_id = c.parent_id and j.source_id = $5::text
    )
    when 'ended' then exists (
      select from foothold.cases as p
      where p.shard = left(c.parent_id, 2)::smallint and p.case_id = c.parent_id and p.state in ('done', 'canceled')
    )
    else true
  end;
