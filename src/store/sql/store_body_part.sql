-- Stores one piece of a large body.
-- Caller: takeIn, in its transaction. Lock order: new rows only. Index: delivery_parts_pkey.
-- $1 shard, $2 delivery, $3 number of the piece, from 0, $4 bytes
insert into foothold.delivery_parts (shard, delivery_id, part_no, body)
select d.shard, d.delivery_id, $3::integer, $4::bytea
from foothold.deliveries as d
where d.shard = $1::smallint and d.delivery_id = $2::text and d.body_kept = 'parts';
