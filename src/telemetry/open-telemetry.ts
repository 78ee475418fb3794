/**
 * Traces by the API of OpenTelemetry alone: without an SDK in the process nothing is followed. All work of one case has one
 * trace, whichever process does it and whenever: its id follows from the case's, so nothing is stored and nothing carried.
 */

import { createHash } from "node:crypto";
import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type Tracer,
} from "@opentelemetry/api";
import { isFootholdError } from "../core/errors.ts";
import type { TracedEnd, TracedSubject, TracedWork, Tracing } from "../core/tracing.ts";

/** Characters of an id of a trace and of a span, in hexadecimal. */
const TRACE_ID_CHARS = 32;
const SPAN_ID_CHARS = 16;
/** Characters of a sentence that a span keeps. */
const SENTENCE_CHARS_MAX = 1_000;

/**
 * Makes it. Give it to whoever works: `{ ...systemPorts(), tracing: openTelemetryTracing() }`. The SDK that the process has
 * set up decides what becomes of the spans; where it has none, each costs less than a microsecond.
 *
 * Spans are named by what is done (`send createRecord`, `check createRecord`, `event paid`), and have `foothold.*`
 * attributes. They hold no input, no result and no business key.
 */
export function openTelemetryTracing(): Tracing {
  const tracer = trace.getTracer("foothold");
  return {
    follow: (work, act, tell) => {
      const span = begin(tracer, work);
      // Without an SDK there is nothing to be told.
      return span.isRecording() ? followIn(span, work, act, tell) : act();
    },
  };
}

function begin(tracer: Tracer, { name, of, facts, startedAt }: TracedWork): Span {
  const active = trace.getSpanContext(context.active());
  const kind = of.kind === "request" ? SpanKind.CONSUMER : SpanKind.INTERNAL;
  const options = {
    kind,
    attributes: { ...facts, ...named(of) },
    // What it came from, where that is another trace.
    links: of.kind === "request" || active === undefined ? [] : [{ context: active }],
    ...(startedAt === undefined ? {} : { startTime: startedAt }),
  };
  return tracer.startSpan(name, options, parentOf(of));
}

async function followIn<Reply>(
  span: Span,
  { of }: TracedWork,
  act: () => Promise<Reply>,
  tell: (reply: Reply) => TracedEnd,
): Promise<Reply> {
  try {
    const reply = await context.with(trace.setSpan(parentOf(of), span), act);
    note(span, tell(reply));
    return reply;
  } catch (error) {
    // Its message may repeat what somebody typed, or what a case masks.
    span.setAttribute("error.type", typeOf(error));
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function typeOf(error: unknown): string {
  if (isFootholdError(error)) return error.code;
  return error instanceof Error ? error.name : "thrown";
}

function note(span: Span, { facts = {}, failed, related = [] }: TracedEnd): void {
  span.setAttributes(facts);
  if (failed !== undefined)
    span.setStatus({ code: SpanStatusCode.ERROR, message: failed.slice(0, SENTENCE_CHARS_MAX) });
  const links = related.flatMap((one): readonly Link[] => {
    const rest = restOf(one);
    return rest === null ? [] : [{ context: rest }];
  });
  if (links.length > 0) span.addLinks(links);
}

function named(of: TracedSubject): { readonly [name: string]: string } {
  switch (of.kind) {
    case "case":
      return { "foothold.case.id": of.caseId };
    case "event":
      return { "foothold.event.id": of.eventId };
    case "request":
      return {};
  }
}

function parentOf(of: TracedSubject): Context {
  const rest = restOf(of);
  return rest === null ? context.active() : trace.setSpanContext(ROOT_CONTEXT, rest);
}

/** Where all work of one case or event belongs: no span of its own, but what each of them names as the one above it. */
function restOf(of: TracedSubject): SpanContext | null {
  if (of.kind === "request") return null;
  const digest = digestOf(of.kind, of.kind === "case" ? of.caseId : of.eventId);
  return {
    traceId: digest.slice(0, TRACE_ID_CHARS),
    spanId: digest.slice(TRACE_ID_CHARS, TRACE_ID_CHARS + SPAN_ID_CHARS),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  };
}

/** The id of the trace that all work of a case is in, whoever does it. */
export function traceIdOfCase(caseId: string): string {
  return digestOf("case", caseId).slice(0, TRACE_ID_CHARS);
}

function digestOf(kind: "case" | "event", id: string): string {
  return createHash("sha256").update(`foothold ${kind} ${id}`).digest("hex");
}
