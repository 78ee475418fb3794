-- The bytes of a delivery, piece by piece.
-- Caller: loadBody. Lock order: reads only. Index: deliveries_pkey, delivery_parts_pkey.
-- $1 shard, $2 delivery
select d.body_kept, d.codec, coalesce(d.body, p.body) as body
from foothold.deliveries as d
left join foothold.delivery_parts as p on p.shard = d.shard and p.delivery_id = d.delivery_id and d.body is null
where d.shard = $1::smallint and d.delivery_id = $2::text
order by p.part_no;
