-- When the next piece of work of these consumers will be due, and the time now.
-- Caller: claimWork. Lock order: reads only. Index: inbox_work_due.
-- $1 tenants, $2 sources, $3 consumers
select
  floor(extract(epoch from now()) * 1000)::bigint as now,
  (
    select floor(extract(epoch from min(w.due_at)) * 1000)::bigint
    from foothold.inbox_work as w
    where w.state in ('ready', 'waiting')
      and w.due_at > now()
      and exists (
        select from unnest($1::text[], $2::text[], $3::text[]) as c (tenant, source, consumer)
        where c.tenant = w.tenant and c.source = w.source and c.consumer = w.consumer
      )
  ) as next_due_at;
