-- Reads the schema's version.
-- Caller: checkSchema; migrate, under the table's lock. No locks of its own.
select version, readable_from from foothold.schema_info;
