/** A plan in words: what is kept, asked, sent, and what waits for whom. */

import type { JSX } from "react";
import type { PlanView } from "../api.ts";
import { useSome } from "../some.tsx";
import { When } from "../times.tsx";
import { Sentence } from "../sentence.tsx";
import { Told, Value } from "../told.tsx";

/** Lines that are seen at first. */
const LINES_SEEN = 20;

/** In the order of the steps; in a long plan what only stands as it is comes last, so that what is sent is seen. */
function linesOf({ steps }: PlanView): PlanView["steps"] {
  if (steps.length <= LINES_SEEN) return steps;
  return steps.toSorted((one, other) => Number(isKept(one)) - Number(isKept(other)));
}

function isKept({ act, standing }: PlanView["steps"][number]): boolean {
  return act === "nothing" && standing === "stands";
}

/** The plan. What reaches an outside system stands out, with what would be sent. */
export function PlanLines({
  plan,
  title,
}: {
  readonly plan: PlanView | null;
  readonly title: string;
}): JSX.Element {
  const { shown, more } = useSome(plan === null ? [] : linesOf(plan), { most: LINES_SEEN, name: "step" });
  if (plan === null)
    return (
      <p className="soft">
        There is no plan: the definition is not loaded here, or what the case held was erased.
      </p>
    );
  return (
    <div className="plan">
      <h3>{title}</h3>
      <ol>
        {shown.map(({ step, sentence, actsNext, byAt, send }) => (
          <li key={step} className={send === null ? undefined : "is-outside"}>
            <strong>
              <Told text={step} />
            </strong>{" "}
            <Sentence text={sentence} />
            {actsNext === null ? null : (
              <span className="soft">
                {" "}
                · <Told text={actsNext} />
                {byAt === null ? null : (
                  <>
                    {" "}
                    <When at={byAt} />
                  </>
                )}
              </span>
            )}
            {send === null ? null : <Send send={send} />}
          </li>
        ))}
      </ol>
      {more}
      <p className="soft">
        Plan <code>{plan.version}</code>, made <When at={plan.madeAt} /> from recorded answers.
      </p>
    </div>
  );
}

function Send({ send }: { readonly send: NonNullable<PlanView["steps"][number]["send"]> }): JSX.Element {
  const { sentence, idempotencyKey, request, safeToResendUntilAt } = send;
  return (
    <details className="fold">
      <summary>
        <Sentence text={sentence} />
      </summary>
      <dl className="facts">
        {idempotencyKey === null ? null : (
          <div>
            <dt>Key</dt>
            <dd>
              <code>
                <Told text={idempotencyKey} />
              </code>
            </dd>
          </div>
        )}
        {safeToResendUntilAt === null ? null : (
          <div>
            <dt>Safe until</dt>
            <dd>
              <When at={safeToResendUntilAt} isExact />
            </dd>
          </div>
        )}
      </dl>
      {request === null ? null : <Value value={request} name="Request" />}
    </details>
  );
}
