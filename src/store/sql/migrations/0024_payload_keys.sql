-- The keys that payloads are sealed with, so that a process which lacks one claims nothing and writes nothing plain.
-- Readable from: 1
-- An engine that does not know the table seals nothing. The first key that is used raises what the schema is readable from
-- to this version: from then on an older engine would take sealed journals for damaged.
-- Caller: migrate. Lock order: deliveries, for a moment.

create table foothold.payload_keys (
  codec text collate "C" not null,
  key_id text collate "C" not null,
  state text collate "C" not null,
  first_used_at timestamptz not null,
  used_at timestamptz not null,
  constraint payload_keys_pkey primary key (codec, key_id),
  constraint payload_keys_state check (state in ('inUse', 'lost'))
);

comment on table foothold.payload_keys is
  'The keys that payloads are sealed with. A process that lacks one of those in use claims and starts no case.';
comment on column foothold.payload_keys.codec is 'What the key belongs to, such as `aes-256-gcm`.';
comment on column foothold.payload_keys.key_id is 'What payloads name it by. Never a secret.';
comment on column foothold.payload_keys.state is
  'lost: somebody said that nobody has it any more; what it sealed is taken for damaged.';
comment on column foothold.payload_keys.used_at is 'When a process last said that it seals with it, to within 10 s.';

alter table foothold.deliveries add column codec text collate "C" not null default 'raw';

comment on column foothold.deliveries.codec is
  'How the body is written, in one piece or several. `raw`: as sent; else codec, key id and sealed data key.';
comment on column foothold.deliveries.body is 'As sent, or sealed: PostgreSQL''s own JSON would refuse some of it and change more.';
comment on column foothold.deliveries.body_hash is 'SHA-256 of the body as sent: repeats are told by it.';
comment on column foothold.journal.codec is
  'How the body is written. `json`: the canonical JSON of the entry, in UTF-8; else codec, key id and sealed data key.';
comment on column foothold.journal.body_hash is 'SHA-256 of the body as it is stored, compared whenever it is read.';
comment on column foothold.snapshots.codec is
  'How the body is written. `json`: the state as JSON, in UTF-8; else codec, key id and sealed data key.';
comment on column foothold.snapshots.body_hash is 'SHA-256 of the body as it is stored, compared whenever it is read.';
comment on column foothold.audit.codec is
  'How the body is written. `json`: canonical JSON in UTF-8; else codec, key id and sealed data key.';
comment on column foothold.audit.body_hash is
  'SHA-256 of the body as it is stored. The seal is over this, so that a body may be erased.';
comment on column foothold.bulk_acts.request is 'What the move is made with; sealed where a codec is set.';
comment on column foothold.second_requests.request is 'What the move is made with; sealed where a codec is set.';
