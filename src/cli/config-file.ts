/** Finds and loads `foothold.config.js`. */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { FootholdError } from "../core/errors.ts";
import { codecFault, type PayloadCodec } from "../core/payload-codec.ts";
import type { CaseType } from "../define/case-type.ts";
import { BUILT_IN_ROLES, VERBS, type Grant, type Roles } from "../core/rights.ts";
import { SECOND_RULE_MOVES, type SecondRule } from "../core/second-person.ts";
import type { FootholdConfig, OidcOptions, RoleGrant, SecondPersonRule } from "../define/config.ts";
import { readNoticeBook, type NoticeBook } from "../define/notice-book.ts";
import { isSchedule, scheduleBookOf, type ScheduleBook } from "../define/schedule.ts";
import { registryOf, type Registry } from "../define/registry.ts";
import { isSource, type Source } from "../inbox/source.ts";
import { importDefault } from "./import-default.ts";

const names = ["foothold.config.js", "foothold.config.mjs"];

/** A loaded configuration. */
export interface LoadedConfig {
  readonly file: string;
  readonly registry: Registry;
  readonly schedules: ScheduleBook;
  readonly database: string | null;
  /** Null = payloads are stored as they are. */
  readonly codec: PayloadCodec | null;
  readonly sources: readonly Source[];
  readonly roles: Roles;
  readonly secondRules: readonly SecondRule[];
  readonly oidc: OidcOptions | null;
  /** Null = it says nothing of notices: nobody is told. */
  readonly notices: NoticeBook | null;
}

/** The file that is meant: the named one, else one of the usual names in the working folder; null = there is none. */
export function findConfigFile(named: string | null, folder: string): string | null {
  if (named !== null) return resolve(folder, named);
  return names.map((name) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** `CONFIG_NOT_FOUND` for a command that cannot do without. */
export function configMissing(folder: string): FootholdError {
  return new FootholdError(
    "CONFIG_NOT_FOUND",
    `There is no ${names.join(" or ")} in ${folder}, so no case type is known. Make one that exports ` +
      `defineConfig({ cases: [yourCase] }) by default, or name one with --config FILE.`,
  );
}

/**
 * Loads a configuration. Throws `CONFIG_NOT_FOUND`, `CONFIG_INVALID` when it throws or exports something else, and
 * `INVALID_DEFINITION` with every fault of the definition.
 */
export async function loadConfig(file: string): Promise<LoadedConfig> {
  if (!existsSync(file)) {
    throw new FootholdError("CONFIG_NOT_FOUND", `The configuration file ${file} does not exist.`);
  }
  const exported = await importDefault(file);
  const config = readConfig(file, exported);
  const registry = registryOf(config.cases);
  return {
    file,
    registry,
    schedules: scheduleBookOf(config.schedules ?? [], registry),
    database: config.database ?? null,
    codec: config.codec ?? null,
    sources: sourcesOf(config),
    roles: rolesOf(config),
    secondRules: secondRulesOf(config),
    oidc: config.oidc ?? null,
    notices: config.notices === undefined ? null : noticesOf(file, config.notices),
  };
}

function readConfig(file: string, exported: unknown): FootholdConfig {
  const fault = faultOf(exported);
  if (fault === null && isConfig(exported)) return exported;
  throw new FootholdError(
    "CONFIG_INVALID",
    `${file} ${fault ?? "is no configuration"}. Write: export default defineConfig({ cases: [yourCase] });`,
  );
}

function faultOf(value: unknown): string | null {
  if (value === undefined) return "has no default export";
  if (typeof value !== "object" || value === null) return "exports no configuration by default";
  if (!("cases" in value) || !Array.isArray(value.cases)) return "names no cases: `cases` is not a list";
  if (value.cases.length === 0) return "names no cases: the list is empty";
  const index = value.cases.findIndex((one) => !isCaseType(one));
  if (index >= 0) return `has something else than a case type at cases[${index}]; defineCase makes one`;
  if ("schedules" in value && value.schedules !== undefined) {
    const isList = Array.isArray(value.schedules) && value.schedules.every(isSchedule);
    if (!isList) return "has `schedules` that are not all made by defineSchedule";
  }
  if ("sources" in value && value.sources !== undefined) {
    const isList = Array.isArray(value.sources) && value.sources.every(isSource);
    if (!isList) return "has `sources` that are not all made by defineSource";
  }
  if ("database" in value && value.database !== undefined && typeof value.database !== "string") {
    return "has a `database` that is no text";
  }
  if ("codec" in value && value.codec !== undefined) {
    const fault = isCodec(value.codec) ? codecFault(value.codec) : "it is not what aesGcm gives";
    if (fault !== null) return `has a \`codec\` that cannot be used: ${fault}`;
  }
  const oidc = "oidc" in value && value.oidc !== undefined ? oidcFault(value.oidc) : null;
  const second = "secondPerson" in value && value.secondPerson !== undefined;
  const seconds = second ? secondFault(value.secondPerson) : null;
  return oidc ?? seconds ?? ("roles" in value && value.roles !== undefined ? roleFault(value.roles) : null);
}

function isCodec(value: unknown): value is PayloadCodec {
  if (typeof value !== "object" || value === null) return false;
  const { name, keyIds, seal, open, rewrap }: Partial<Record<keyof PayloadCodec, unknown>> = value;
  const areTexts = Array.isArray(keyIds) && keyIds.every((id) => typeof id === "string");
  return (
    typeof name === "string" && areTexts && [seal, open, rewrap].every((one) => typeof one === "function")
  );
}

function oidcFault(oidc: unknown): string | null {
  if (typeof oidc !== "object" || oidc === null) return "has an `oidc` that is no object";
  const allowsHttp = "allowsHttp" in oidc && oidc.allowsHttp === true;
  const issuer = "issuer" in oidc && typeof oidc.issuer === "string" ? oidc.issuer : "";
  const isAddress = URL.canParse(issuer) && (allowsHttp || issuer.startsWith("https://"));
  if (!isAddress) return "has an `oidc.issuer` that is no https address";
  if (!("clientId" in oidc) || typeof oidc.clientId !== "string") return "has an `oidc` without a `clientId`";
  const hasSecret = "clientSecret" in oidc && typeof oidc.clientSecret === "function";
  return hasSecret
    ? null
    : "has an `oidc.clientSecret` that is no function: write () => process.env.OIDC_SECRET";
}

/** Why the rules for second persons cannot be read; null = they can. A move that nobody knows would be made by one alone. */
function secondFault(rules: unknown): string | null {
  const isList = Array.isArray(rules) && rules.every(isSecondRule);
  return isList
    ? null
    : `has a \`secondPerson\` that is no list of { moves, caseTypes }; moves are ${SECOND_RULE_MOVES.join(", ")}`;
}

function isSecondRule(rule: unknown): rule is SecondPersonRule {
  if (typeof rule !== "object" || rule === null || !("moves" in rule)) return false;
  const { moves } = rule;
  const isKnown = Object.keys(rule).every((key) => key === "moves" || key === "caseTypes");
  const areMoves =
    Array.isArray(moves) && moves.every((one) => SECOND_RULE_MOVES.some((move) => move === one));
  return isKnown && areMoves && isSome("caseTypes" in rule ? rule.caseTypes : "all", isText);
}

function secondRulesOf({ secondPerson = [] }: FootholdConfig): readonly SecondRule[] {
  return secondPerson.map(({ moves, caseTypes = "all" }) => ({ moves, caseTypes }));
}

/** Why the roles cannot be read; null = they can. A verb that nobody knows would grant nothing and look as if it did. */
function roleFault(roles: unknown): string | null {
  if (typeof roles !== "object" || roles === null || Array.isArray(roles))
    return "has `roles` that are no object";
  for (const [name, grants] of Object.entries(roles)) {
    if (!/^[a-z][a-z0-9-]{0,49}$/.test(name))
      return `has a role ${JSON.stringify(name)}: write small letters, digits and -`;
    const isList = Array.isArray(grants) && grants.every(isGrant);
    if (!isList) {
      return `has a role ${name} that is no list of { verbs, tenants, caseTypes }; verbs are ${VERBS.join(", ")} or "all"`;
    }
  }
  return null;
}

function isGrant(grant: unknown): grant is RoleGrant {
  if (typeof grant !== "object" || grant === null || !("verbs" in grant)) return false;
  const known = new Set(["verbs", "tenants", "caseTypes"]);
  if (Object.keys(grant).some((key) => !known.has(key))) return false;
  const texts = ["tenants" in grant ? grant.tenants : "all", "caseTypes" in grant ? grant.caseTypes : "all"];
  const { verbs } = grant;
  return (
    isSome(verbs, (one) => VERBS.some((verb) => verb === one)) && texts.every((some) => isSome(some, isText))
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isSome(some: unknown, isOne: (value: unknown) => boolean): boolean {
  return some === "all" || (Array.isArray(some) && some.every(isOne));
}

function rolesOf({ roles = {} }: FootholdConfig): Roles {
  const own = Object.entries(roles).map(([name, grants]): [string, readonly Grant[]] => [
    name,
    grants.map(({ verbs, tenants = "all", caseTypes = "all" }) => ({ verbs, tenants, caseTypes })),
  ]);
  return new Map([...BUILT_IN_ROLES, ...own]);
}

/** Faults of `notices` that are told at once. */
const FAULTS_SHOWN_MAX = 20;

function noticesOf(file: string, notices: unknown): NoticeBook {
  const { book, faults } = readNoticeBook(notices);
  if (faults.length === 0) return book;
  const shown = faults.slice(0, FAULTS_SHOWN_MAX).map(({ path, message }) => `- ${path}: ${message}`);
  const further = faults.length - shown.length;
  const lines = [...shown, ...(further > 0 ? [`- and ${further} more`] : [])];
  throw new FootholdError(
    "CONFIG_INVALID",
    `${file} says who is told in a way that cannot be used:\n${lines.join("\n")}`,
  );
}

function sourcesOf({ sources }: FootholdConfig): readonly Source[] {
  return (sources ?? []).filter(isSource);
}

function isConfig(value: unknown): value is FootholdConfig {
  return faultOf(value) === null;
}

/** By shape: the file may load another copy of the package. What is inside is read later, so that all faults come together. */
function isCaseType(value: unknown): value is CaseType {
  return (
    typeof value === "object" &&
    value !== null &&
    ["outline", "steps", "input"].every((part) => part in value)
  );
}
