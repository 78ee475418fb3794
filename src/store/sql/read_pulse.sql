-- A mark that changes when cases come into review or leave it, or are worked on: for pages that ask whether to read again.
-- Caller: readPulse. No locks. Index: cases_review, up to 10,001 of it, and cases_claimed.
select
  (
    select count(*) from (select from foothold.cases where has_review limit 10001) as reviews
  )::text || '.' || (
    select count(*) || '.' || coalesce(sum(claim_touches), 0) || '.' || coalesce(sum(revision), 0)
    from foothold.cases
    where state = 'claimed'
  ) as mark;
