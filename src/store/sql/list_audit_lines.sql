-- One page of audit lines, newest first.
-- Caller: AuditStore.list. No locks. Index: audit_at, or audit_case where a case is named.
-- $1 act, $2 outcome, $3 who (a name or an id), $4 case id, $5 about, null = any of each; $6 from and $7 until, epoch ms,
-- null = always; $8, $9 time (epoch microseconds) and id of the line before the page, null = from the newest; $10 lines at most
select
  a.audit_id, a.act, a.outcome, a.code, a.who, a.person_id, a.case_id, a.about, a.plan, a.codec, a.body, a.seal_no,
  floor(extract(epoch from a.at) * 1000)::bigint as at,
  floor(extract(epoch from a.at) * 1000000)::bigint as at_us
from foothold.audit as a
where ($1::text is null or a.act = $1::text)
  and ($2::text is null or a.outcome = $2::text)
  and ($3::text is null or a.who = $3::text or a.person_id = $3::text)
  and ($4::text is null or a.case_id = $4::text)
  and ($5::text is null or a.about = $5::text)
  and ($6::float8 is null or a.at >= to_timestamp($6::float8 / 1000))
  and ($7::float8 is null or a.at < to_timestamp($7::float8 / 1000))
  and (a.at, a.audit_id) < (
    coalesce(to_timestamp($8::float8 / 1000000), 'infinity'::timestamptz), coalesce($9::text, '')
  )
order by a.at desc, a.audit_id desc
limit $10::integer;
