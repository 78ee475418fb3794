-- Where the chain of every shard ends.
-- Caller: AuditStore.readHeads. No locks. Index: none, one row for each shard.
select shard, seal_no, encode(hash, 'hex') as hash
from foothold.seal_heads
order by shard;
