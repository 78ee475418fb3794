-- Takes a turn at what one process of all does every so often; no row = another one did.
-- Caller: NoticeStore.takeTurn. Lock order: one row. Index: turns_pkey.
-- $1 name, $2 how often, ms
insert into foothold.turns as t (name, next_at)
values ($1::text, now() + $2::integer * interval '1 millisecond')
on conflict (name) do update set next_at = excluded.next_at
where t.next_at <= now()
returning t.name;
