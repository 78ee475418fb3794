/**
 * Safety rules of the product, each with a way to switch it off: the lines that hold it, and what stands there instead.
 * A simulation that does not find the difference proves nothing (bites.test.ts).
 */

import type { World } from "./world.ts";

/** One line replaced by another. */
interface Edit {
  /** Stands in one place of the file. */
  readonly line: string;
  readonly instead: string;
  /** Path below `src`; left out where it is the sabotage's own. */
  readonly file?: string;
}

/** One rule and its sabotage. */
export interface Sabotage {
  readonly rule: string;
  /** Path below `src`. */
  readonly file: string;
  readonly edits: readonly Edit[];
  /** The world that must find it; left out = the main one. */
  readonly world?: World["name"];
}

/** Every rule that is switched off in turn. */
export const SABOTAGES: readonly Sabotage[] = [
  {
    rule: "every attempt of an intent version has the same idempotency key",
    file: "engine/attempt.ts",
    edits: [
      {
        line: "idempotencyKey: intent.idempotencyKey,",
        instead: "idempotencyKey: intent.idempotencyKey.replace(/[.](?=[0-9]+$)/, `-${ref.attempt}.`),",
      },
    ],
  },
  {
    rule: "where the keys of an each have an order, none is sent before those ahead stand",
    file: "core/plan.ts",
    edits: [
      {
        line: "planWithStrays(input, boundAtOnce(input, keepOrder(input, wanted)))",
        instead:
          "planWithStrays(input, boundAtOnce(input, wanted.length < 0 ? keepOrder(input, wanted) : wanted))",
      },
    ],
  },
  {
    rule: "a case is found by its input as it is now",
    file: "core/search-values.ts",
    edits: [
      {
        line: "const root = step === null ? state.input : resultOf(state, step);",
        instead: "const root = step === null ? state.originalInput : resultOf(state, step);",
      },
    ],
  },
  {
    rule: "of one key no more cases are claimed than it has places",
    file: "core/key-places.ts",
    edits: [{ line: "return holder.claimId === claimId;", instead: "return false;" }],
  },
  {
    rule: "whoever waits for a key is called once a place is free",
    file: "engine/sweep.ts",
    edits: [
      { line: "await this.#callHeldBack();", instead: "" },
      {
        file: "engine/worker.ts",
        line: "this.#runBeside(callNext(this.#options.store, stored, definition, this.#calling));",
        instead: "",
      },
    ],
  },
  {
    rule: "the door compares the claim id",
    file: "core/claim.ts",
    edits: [{ line: 'if (claimId !== commit.claimId) return { kind: "claimLost" };', instead: "" }],
  },
  {
    rule: "the door knows entries that a failover lost",
    file: "core/claim.ts",
    edits: [
      {
        line: 'if (extendLineage(commit.lineage, missed) !== lineage) return { kind: "claimLost" };',
        instead: "",
      },
    ],
  },
  {
    rule: "an intent needs the revision it was decided on",
    file: "engine/held-case.ts",
    edits: [
      {
        line: "moved: (missed) => this.#write(foldEntries(state, missed), write.outcomes, write),",
        instead:
          "moved: (missed) => this.#write(foldEntries(state, missed), [...write.outcomes, ...write.onward], write),",
      },
    ],
  },
  {
    rule: "intent and attempt are committed before the send",
    file: "engine/held-case.ts",
    edits: [
      {
        line: "const reply = await this.#context.committer.commit(commit);",
        instead:
          "const { committer } = this.#context;\n" +
          "    const pending = (this.early ?? Promise.resolve()).then(() => committer.commit(commit));\n" +
          '    const isEarly = write.onward.some((one) => one.kind === "attemptOpened");\n' +
          "    if (isEarly) this.early = pending.catch(() => undefined);\n" +
          '    const reply = isEarly ? { kind: "current" } : await pending;',
      },
    ],
  },
  {
    rule: "no new intent version over an unsettled one",
    file: "core/settled.ts",
    edits: [
      {
        line: "return isUndone || attempts.every((one) => !isUnproved(one) && !tookEffect(one));",
        instead: "return isUndone || attempts.every((one) => !tookEffect(one));",
      },
    ],
  },
  {
    rule: "a commit that comes again is known by its id",
    file: "core/claim.ts",
    edits: [
      {
        line: 'if (missed.some(({ commitId }) => commitId === commit.commitId)) return { kind: "repeated" };',
        instead: "",
      },
    ],
  },
  {
    rule: "what may have happened where a repeat is not safe is not sent again",
    file: "core/plan-send.ts",
    edits: [{ line: "if (unsafe !== null) return unsafe;", instead: "" }],
  },
  {
    rule: "a holder releases claims of its own that it does not know",
    file: "engine/worker.ts",
    edits: [{ line: "for (const orphan of reply.orphans) await this.#release(orphan);", instead: "" }],
  },
  {
    rule: "the sweep marks holders that fell silent",
    file: "engine/sweep.ts",
    edits: [
      {
        line: "if (this.#beats.unchangedMs(holder.holderId) < holder.leaseMs) continue;",
        instead: "if (holder.leaseMs > 0) continue;",
      },
    ],
  },
  {
    rule: "a confirmation stands only on an unchanged basis",
    file: "core/standing.ts",
    edits: [
      {
        line: '(confirmation.basis === basisOf(step, input.state, input.digest) ? null : { kind: "basis" as const }) ??',
        instead: "",
      },
    ],
  },
  {
    rule: "an event that comes during a repair is attached and not applied",
    file: "core/moves.ts",
    edits: [
      {
        line: "const isAttached = inRepair(state, held) !== null;",
        instead: "const isAttached = false;",
      },
    ],
  },
  {
    rule: "a move under a repair needs that repair to be open still",
    file: "core/repair-moves.ts",
    edits: [
      {
        line: "const repair = claimId === heldClaimId ? repairUnder(state, claimId) : null;",
        instead: "const repair = state.repair;",
      },
    ],
  },
  {
    rule: "a check at a fence raises it",
    file: "engine/questions.ts",
    edits: [
      {
        line: "const checking = { ...facts, fingerprint, fencingToken, signal };",
        instead: "const checking = { ...facts, fingerprint, fencingToken: 0, signal };",
      },
    ],
  },
  {
    rule: "what may have been done behind a fence is asked for before it is sent again",
    file: "core/plan-send.ts",
    edits: [{ line: 'if (repeatSafety.by === "fence")', instead: "if (input.now < 0)" }],
  },
  {
    rule: "a conditional write that may have been made is repeated with its old version",
    file: "core/decide.ts",
    edits: [
      {
        line: "const condition = unproved === undefined ? knownVersion(input) : unproved.version;",
        instead: "const condition = knownVersion(input);",
      },
      {
        file: "core/plan-send.ts",
        line: 'return actForConditions(input, step, step.requires) ?? { kind: "send", repeats };',
        instead:
          'return actForConditions(input, step, [...step.before, ...step.requires]) ?? { kind: "send", repeats };',
      },
    ],
  },
  {
    rule: "what is there is compared with what is wanted",
    file: "core/decide.ts",
    edits: [
      {
        line: 'if (answer.kind !== "happened" || (answer.fingerprint ?? fingerprint) === fingerprint) return answer;',
        instead: "if (fingerprint !== null) return answer;",
      },
    ],
  },
  {
    rule: "what was not confirmed in its transaction did not happen",
    file: "core/plan-send.ts",
    edits: [
      { line: 'if (destination.repeatSafety.by === "transaction") {', instead: "if (input.now < 0) {" },
    ],
  },
  {
    rule: "what is being undone stays lapsed until it is undone",
    file: "core/standing.ts",
    edits: [{ line: 'return step.kind === "step" && isBeingUndone(state, step);', instead: "return false;" }],
  },
  {
    rule: "a question that cannot be answered lapses nothing",
    file: "core/conditions.ts",
    edits: [
      {
        line: 'return { kind: "cannotTell", why: known.why };',
        instead: 'return { kind: "broken", why: known.why };',
      },
    ],
  },
  {
    rule: "what may have happened is settled before a step is passed over",
    file: "core/when.ts",
    edits: [
      { line: "if (pendingIntent(intent, confirmation) !== null) return null;", instead: "" },
      { line: "(intent === null || hasNoEffect(intent)) &&", instead: "" },
    ],
  },
  {
    rule: "the same delivery of a provider is one event",
    file: "inbox/deliver.ts",
    edits: [
      {
        line: 'const key = deliveryKey === null ? bodyKey() : keyHash(scopeOf(source), "delivery", deliveryKey);',
        instead:
          'const key = keyHash(scopeOf(source), "delivery", [...(deliveryKey ?? []), String(Math.random())]);',
      },
    ],
  },
  {
    rule: "a delivery is answered with a success only after it is stored",
    file: "inbox/receive.ts",
    edits: [
      {
        line: 'await this.#take({ arrival, source, how: "posted", proof: { scheme, secretId, signedAt }, content });',
        instead:
          'const taking = this.#take({ arrival, source, how: "posted", proof: { scheme, secretId, signedAt }, content });\n' +
          "    taking.catch(() => undefined);",
      },
    ],
  },
  {
    rule: "what is not the provider's is refused",
    file: "inbox/receive.ts",
    edits: [
      { line: 'if (judged.verdict.kind === "refused") {', instead: "if (reading.body.length < 0) {" },
      {
        line: "const { scheme, secretId, signedAt } = judged.verdict;",
        instead: 'const { scheme = "", secretId = "", signedAt = null } = judged.verdict;',
      },
    ],
  },
  {
    rule: "work on an event is done only after its case was told",
    file: "inbox/do-work.ts",
    edits: [
      {
        line: "replies.push({ caseId, ...(await door.recordEvent(caseId, told)) });",
        instead:
          "door.recordEvent(caseId, told).catch(() => undefined);\n" +
          '    replies.push({ caseId, sentence: "It was told." });',
      },
      // The store judges it a second time, for what a failover loses in between.
      {
        file: "store/memory/lost-facts.ts",
        line: "if (!isOver || caseIds.every((caseId) => known.knowsFact(caseId, sourceId))) return outcome;",
        instead: "if (known !== null) return outcome;",
      },
    ],
  },
  {
    rule: "a repeat of an event does not bring back work that a person left undone",
    file: "store/memory/inbox-tables.ts",
    edits: [
      {
        line: "if (this.works.has(name) || event === undefined) return;",
        instead:
          'if ((this.works.get(name)?.work.state ?? "ignored") !== "ignored" || event === undefined) return;',
      },
    ],
  },
  {
    rule: "work on an event is freed when its holder was lost",
    file: "inbox/sweep.ts",
    edits: [
      {
        line: "freed: await store.inbox.freeWork(holding.filter((holderId) => !alive.has(holderId))),",
        instead: "freed: alive.size < 0 ? 1 : 0,",
      },
    ],
  },
  {
    rule: "a worker of the inbox releases claims of its own that it does not know",
    file: "inbox/worker.ts",
    edits: [{ line: "await store.inbox.releaseWork(holderId, [...this.#known]);", instead: "" }],
  },
  {
    rule: "an event of a lower version than one that the case knows is ignored",
    file: "desk/acts.ts",
    edits: [{ line: 'return why === null || verdict.kind !== "write"', instead: 'return why !== ""' }],
  },
  {
    rule: "what follows is undone before what it follows, once it is known what happened",
    file: "core/plan-cancel.ts",
    edits: [{ line: "if (!isBegun && (isFollowed || !isSettled))", instead: "if (!isBegun && !isSettled)" }],
  },
  {
    rule: "no case is canceled with an effect outside that nobody speaks of",
    file: "core/outside.ts",
    edits: [
      {
        line: 'if (known.confirmation !== null && hasEffect(known.confirmation)) return "effect";',
        instead: "",
      },
    ],
  },
  {
    rule: "a quota that is used up is tried once at its reset",
    file: "core/plan-quota.ts",
    edits: [{ line: "return refusals.length === 1 &&", instead: "return refusals.length > 0 &&" }],
  },
  {
    rule: "a worker has no more under way at a destination than its part of the limit",
    file: "core/in-flight.ts",
    edits: [
      { line: "return inFlight < share.count ? null :", instead: "return inFlight < Infinity ? null :" },
    ],
  },
  {
    rule: "workers share the limit of a destination",
    file: "core/in-flight.ts",
    edits: [
      {
        line: 'return { kind: "free", count: Math.floor(whole / senders) + (place < rest ? 1 : 0) };',
        instead: 'return { kind: "free", count: whole + (place < rest ? 0 : 0) };',
      },
    ],
  },
  {
    rule: "where fewer are allowed than there are workers each send needs a permit",
    file: "core/in-flight.ts",
    edits: [
      {
        line: 'return whole >= UNASKED_LIMIT_MIN ? { kind: "free", count: 1 } : { kind: "permit" };',
        instead: 'return { kind: "free", count: 1 };',
      },
    ],
  },
  {
    rule: "no more permits are out than the limit allows",
    file: "core/in-flight.ts",
    edits: [
      {
        line: "if (out.length >= Math.min(Math.floor(state.limit), PERMITS_MAX))",
        instead: "if (out.length >= PERMITS_MAX)",
      },
    ],
  },
  {
    rule: "no more keys of an each are under way at once than it says",
    file: "core/each.ts",
    edits: [{ line: "return left > 0 ? one :", instead: "return left > -99 ? one :" }],
  },
  {
    rule: "a case that another one starts is there with the commit that says so, and not without",
    file: "store/memory/step-transaction.ts",
    edits: [
      { line: "this.stage(() => this.#cases.insertCase(start));", instead: "this.#cases.insertCase(start);" },
    ],
  },
  {
    rule: "what nobody came to tell the case above, the sweep tells",
    file: "engine/sweep.ts",
    edits: [{ line: "await this.#tellParents();", instead: "" }],
  },
  {
    rule: "no case is canceled while one that it started goes on",
    file: "core/outside.ts",
    edits: [{ line: 'if (aliveChild(known) !== null) return "effect";', instead: "" }],
  },
  {
    rule: "a step of which nobody knows whether it happened is not left out",
    file: "core/vouching.ts",
    edits: [
      {
        line: "return pendingIntent(intent, confirmation) === null\n    ? null",
        instead: "return confirmation === null\n    ? null",
      },
    ],
  },
  {
    rule: "a case that was started a moment ago is canceled with the one that started it",
    file: "core/child-telling.ts",
    world: "levels",
    edits: [
      {
        line: 'return { kind: "write", entries: [{ kind: "canceled", ...request }] };',
        instead: 'return { kind: "repeated" };',
      },
    ],
  },
  {
    rule: "a case that somebody holds is asked to cancel with the one that started it",
    file: "engine/child-calls.ts",
    world: "levels",
    edits: [
      {
        line: 'if (verdict.kind !== "write") return { kind: "leave", reply: verdict };',
        instead: 'if (verdict.kind !== "write" || held !== null) return { kind: "leave", reply: verdict };',
      },
    ],
  },
  {
    rule: "what was done before a case was started is undone after that case",
    file: "core/plan-cancel.ts",
    world: "levels",
    edits: [
      {
        line: "({ name }) => outside.has(name),",
        instead: "({ name }) => outside.has(name) && stepOf(input.state, name).child === null,",
      },
    ],
  },
  {
    rule: "a case is canceled after those that it started, and not before",
    file: "core/plan-child.ts",
    world: "levels",
    edits: [
      {
        line: 'if (child.standing.kind === "canceled") {',
        instead: 'if (child.standing.kind === "canceled" || confirmation !== null) {',
      },
    ],
  },
  {
    rule: "what waits for people below is shown by every case above",
    file: "core/child-telling.ts",
    world: "levels",
    edits: [
      {
        line: '({ review, child }) => review !== null || child?.standing.kind === "inReview",',
        instead: "({ review }) => review !== null,",
      },
    ],
  },
];
