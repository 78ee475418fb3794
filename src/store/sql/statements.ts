/**
 * The SQL of the PostgreSQL store: one statement per file, in lower case, with a head that says its purpose, its caller,
 * its lock order and its index. Lock order throughout: cases by shard and case id, then their journal; never a holder
 * and a case in one transaction.
 *
 * What several statements say in the same words stands in `parts/`, and where they say it `{{part}}`.
 *
 * The files name the schema `foothold`; another one is put in its place when they are read, checked as an identifier.
 * Nothing else in a statement ever varies: what a caller chooses is a parameter.
 */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { FootholdError, invariant } from "../../core/errors.ts";

/** Every statement, named after its file. */
const STATEMENT_NAMES = [
  "add_audit_line",
  "add_person",
  "add_token",
  "ask_second",
  "beat_holder",
  "begin_change",
  "begin_migration",
  "begin_step",
  "call_held",
  "call_keys",
  "cancel_statement",
  "change_notice",
  "change_person",
  "claim_bulk_items",
  "claim_due",
  "claim_due_in_places",
  "claim_messages",
  "claim_shared",
  "claim_shared_in_places",
  "claim_work",
  "clear_failures",
  "commit_batch",
  "commit_one",
  "confirm_step",
  "count_by_value",
  "count_cases",
  "count_event_needs",
  "count_found",
  "count_held",
  "count_in_range",
  "count_needs",
  "count_refusals",
  "count_steps",
  "count_traces",
  "count_undeliverable",
  "count_unsealed",
  "count_work",
  "create_bulk",
  "create_schema",
  "create_schema_info",
  "end_holder",
  "end_session",
  "erase_case",
  "erase_events",
  "erase_journal",
  "erase_keys",
  "erase_lines",
  "expire_work",
  "find_by_value",
  "find_cases",
  "find_in_range",
  "find_lane_rivals",
  "find_person",
  "find_schema_info",
  "find_start",
  "find_strays",
  "find_unsealed",
  "finish_bulk",
  "forget_attempts",
  "forget_bodies",
  "forget_destinations",
  "forget_events",
  "forget_holders",
  "forget_notices",
  "forget_over",
  "forget_places",
  "forget_refusals",
  "forget_samples",
  "forget_slots",
  "forget_snapshots",
  "free_work",
  "has_case",
  "hasten_held",
  "hint_work",
  "ignore_work",
  "index_values",
  "insert_case",
  "insert_cases",
  "inspect_server",
  "link_case",
  "list_attempts",
  "list_audit_lines",
  "list_bulk",
  "list_bulk_items",
  "list_bulk_trying",
  "list_by_business_key",
  "list_cases",
  "list_children",
  "list_claims",
  "list_events",
  "list_holders",
  "list_marks",
  "list_messages",
  "list_milestones",
  "list_notices",
  "list_open_seconds",
  "list_payload_keys",
  "list_people",
  "list_problem_marks",
  "list_refusals",
  "list_reviews",
  "list_samples",
  "list_schedules",
  "list_seal_heads",
  "list_seconds_of",
  "list_sessions",
  "list_sightings",
  "list_slots",
  "list_sources",
  "list_tokens",
  "list_unsealed_lines",
  "list_untold",
  "list_views",
  "list_work_holders",
  "listen",
  "load_body",
  "load_case",
  "load_events",
  "load_person",
  "load_row",
  "load_second",
  "load_slot",
  "load_work",
  "lock_case",
  "lock_credential",
  "lock_destination",
  "lock_schedule",
  "lose_payload_key",
  "mark_problem",
  "next_due",
  "next_work",
  "note_failure",
  "note_refusals",
  "note_sighting",
  "note_sources",
  "note_told",
  "open_session",
  "put_back",
  "read_case_lines",
  "read_clock",
  "read_destinations",
  "read_erasable",
  "read_erased_entries",
  "read_failures",
  "read_journal",
  "read_keys",
  "read_pulse",
  "read_ranges",
  "read_reconciling",
  "read_schema_info",
  "read_sealed_lines",
  "read_seals",
  "read_tail",
  "register_holder",
  "release_work",
  "rematch_work",
  "remove_view",
  "reopen_work",
  "retire_payload_keys",
  "retry_message",
  "revoke_token",
  "save_view",
  "search_cases",
  "see_schedules",
  "set_aside",
  "settle_bulk_item",
  "settle_message",
  "settle_second",
  "settle_work",
  "shift_bulk",
  "show_delivery",
  "store_body_part",
  "take_back_failure",
  "take_in",
  "take_key",
  "take_turn",
  "tell_attempts",
  "use_payload_key",
  "use_session",
  "use_token",
  "watch_cases",
  "write_case",
  "write_credential",
  "write_destination",
  "write_marks",
  "write_reconciling",
  "write_sample",
  "write_schedule",
  "write_schema_info",
  "write_seal",
  "write_slots",
  "write_snapshot",
] as const;

/** The name of a statement. */
export type StatementName = (typeof STATEMENT_NAMES)[number];

/** A statement as it is sent. */
interface Statement {
  readonly text: string;
  /**
   * What a connection keeps it under. It says the text too: behind a pooler a connection may keep what another schema, or
   * another version of this program, prepared, and that must never run in place of ours.
   */
  readonly preparedAs: string;
}

/** Gives a statement. */
export type Statements = (name: StatementName) => Statement;

/** One step of the schema. */
export interface Migration {
  /** 1 for the first, then without gaps. */
  readonly version: number;
  /** Its file without the ending, such as `0001_cases`. */
  readonly name: string;
  /** The lowest version of the schema that an engine must know to work with this one. */
  readonly readableFrom: number;
  readonly text: string;
}

/** Hex digits of the digest in the name of a prepared statement; the server reads 63 characters of a name. */
const DIGEST_DIGITS = 16;

/** The schema of a store that names no other. */
export const DEFAULT_SCHEMA = "foothold";

/** Reads every statement for this schema. Throws `CONFIG_INVALID` when it is no plain identifier. */
export function readStatements(schema: string): Statements {
  checkSchemaName(schema);
  const statements = new Map<StatementName, Statement>(
    STATEMENT_NAMES.map((name) => [name, readStatement(name, schema)]),
  );
  return (name) => {
    const statement = statements.get(name);
    invariant(statement !== undefined, `there is no statement ${name}`);
    return statement;
  };
}

/** Reads every migration for this schema, lowest version first. Throws `CONFIG_INVALID` as {@link readStatements} does. */
export function readMigrations(schema: string): readonly Migration[] {
  checkSchemaName(schema);
  const files = readdirSync(new URL("migrations", import.meta.url)).filter((file) => file.endsWith(".sql"));
  return files.toSorted().map((file, index) => {
    const raw = readFile(`migrations/${file}`);
    const version = Number.parseInt(file, 10);
    const readableFrom = Number(/^-- Readable from: (\d+)$/m.exec(raw)?.[1]);
    invariant(version === index + 1, `migration ${file} is not number ${index + 1}`);
    invariant(
      readableFrom >= 1 && readableFrom <= version,
      `migration ${file} does not say who can read its schema`,
    );
    return { version, name: file.replace(/\.sql$/, ""), readableFrom, text: place(raw, schema) };
  });
}

/** Throws `CONFIG_INVALID` unless the name can stand in a statement as it is. */
function checkSchemaName(schema: string): void {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema) && !schema.startsWith("pg_")) return;
  throw new FootholdError(
    "CONFIG_INVALID",
    `The schema ${JSON.stringify(schema)} cannot be used: a name of lower-case letters, digits and _, ` +
      `at most 63, not beginning with a digit or pg_, is needed.`,
  );
}

function readStatement(name: StatementName, schema: string): Statement {
  const text = readSql(`${name}.sql`, schema);
  const digest = createHash("sha256").update(text).digest("hex").slice(0, DIGEST_DIGITS);
  return { text, preparedAs: `${name}_${digest}` };
}

function readSql(path: string, schema: string): string {
  return place(withParts(readFile(path)), schema);
}

/** A part may name others, and none names itself. */
function withParts(raw: string): string {
  return raw.replaceAll(/\{\{(\w+)\}\}/g, (_, part: string) =>
    withParts(withoutComments(readFile(`parts/${part}.sql`))),
  );
}

function readFile(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

/** The server need not read them again and again. */
function withoutComments(raw: string): string {
  return raw.replaceAll(/^\s*--.*\n/gm, "").trim();
}

/** Leaves the comments out and puts the schema in its place. */
function place(raw: string, schema: string): string {
  return withoutComments(raw).replaceAll(/\bfoothold(?=[.;])/g, `"${schema}"`);
}
