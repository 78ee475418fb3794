/**
 * Triage of GitHub issues, as a case type, with GitHub's own client and its signed webhooks.
 *
 *     an issue is opened  ──▶  label  ──▶  greet
 *         webhook              GitHub      GitHub
 *
 * GitHub knows no idempotency keys: what is written twice is there twice. So whatever is not known is looked for first.
 */

import { cannotTell, defineCase, defineDestination, didNotHappen, happened, type CaseType } from "foothold";
import { defineSource, startCase, type Source } from "foothold/inbox";
import { Octokit } from "octokit";
import { z } from "zod";

/** An issue, as triage sees it. */
export const Issue = z.object({
  owner: z.string(),
  repo: z.string(),
  number: z.number().int().positive(),
  title: z.string(),
  body: z.string().nullable(),
  author: z.string(),
});

/** What an issue is about. Pure: tried out without GitHub. */
export function labelsFor({ title, body }: Pick<z.infer<typeof Issue>, "title" | "body">): readonly string[] {
  const text = `${title}\n${body ?? ""}`.toLowerCase();
  const isBug = /\b(crash|error|exception|fails?|broken)\b/.test(text);
  const isQuestion = /\?\s*$/.test(title) || /^how\b/i.test(title);
  const kind = isBug ? "bug" : isQuestion ? "question" : "idea";
  return isBug && !/\bversion\b/.test(text) ? [kind, "needs version"] : [kind];
}

/** Comments and labels listed at once; GitHub gives no more. */
const PAGE = 100;

/** Where GitHub is, and who writes there. */
export interface GitHub {
  readonly url: string;
  readonly token: string;
}

/** Version 1 of the case type `triage`. */
export function defineTriage({ url, token }: GitHub) {
  const github = defineDestination("github", {
    idempotency: { by: "lookup" },
    // How long GitHub may not show yet what it took.
    readLag: "5s",
    credential: () => "triage-bot",
    owners: { access: "maintainers", input: "maintainers", outage: "platform" },
    transport: "http",
    clientTries: 1,
  });

  /** GitHub's client over the step's own `fetch`. Its own repeats are off: it sends writes again that may have happened. */
  const clientOf = (fetch: typeof globalThis.fetch): Octokit =>
    new Octokit({
      auth: token,
      baseUrl: url,
      request: { fetch },
      retry: { enabled: false },
      throttle: { enabled: false },
    });
  /** For a check: it ends when its time is over. */
  const askingOf = (signal: AbortSignal): Octokit =>
    clientOf((place, init) => globalThis.fetch(place, { ...init, signal }));

  return defineCase("triage", { version: 1, owner: "maintainers", input: Issue })
    .step("label", {
      to: github,
      request: ({ input }) => ({ ...issueOf(input), labels: labelsFor(input) }),
      run: async ({ request, fetch }) => {
        await clientOf(fetch).rest.issues.addLabels({ ...request, labels: [...request.labels] });
        return { labels: request.labels };
      },
      check: async ({ request, signal }) => {
        const { labels, ...issue } = request;
        const { data } = await askingOf(signal).rest.issues.listLabelsOnIssue({ ...issue, per_page: PAGE });
        const there = new Set(data.map(({ name }) => name));
        const isThere = labels.map((label) => there.has(label));
        if (isThere.every(Boolean)) return happened({ labels });
        return isThere.some(Boolean) ? cannotTell("somebody took one of the labels off") : didNotHappen();
      },
    })

    .step("greet", {
      to: github,
      request: ({ caseId, input, results }) => ({
        ...issueOf(input),
        body: `Thank you, @${input.author}. I take this for: ${results.label.labels.join(", ")}.\n\n${markOf(caseId)}`,
      }),
      run: async ({ request, fetch }) => {
        const { data } = await clientOf(fetch).rest.issues.createComment(request);
        return { commentId: data.id };
      },
      result: z.object({ commentId: z.number() }),
      // Every comment of ours carries a mark that people do not see.
      check: async ({ caseId, request, signal }) => {
        const { body: _body, ...issue } = request;
        const { data } = await askingOf(signal).rest.issues.listComments({ ...issue, per_page: PAGE });
        const found = data.find(({ body }) => body?.includes(markOf(caseId)) === true);
        if (found !== undefined) return happened({ commentId: found.id });
        return data.length < PAGE ? didNotHappen() : cannotTell(`there are ${PAGE} comments or more`);
      },
    });
}

function issueOf({ owner, repo, number }: z.infer<typeof Issue>): {
  readonly owner: string;
  readonly repo: string;
  readonly issue_number: number;
} {
  return { owner, repo, issue_number: number };
}

function markOf(caseId: string): string {
  return `<!-- triage ${caseId} -->`;
}

/** What GitHub posts when an issue is opened; more is in it. */
const Opened = z.object({
  issue: z.object({
    number: z.number(),
    title: z.string(),
    body: z.string().nullable(),
    user: z.object({ login: z.string() }),
  }),
  repository: z.object({ name: z.string(), owner: z.object({ login: z.string() }) }),
});

function issueIn(data: unknown): z.infer<typeof Issue> {
  const { issue, repository } = Opened.parse(data);
  const { number, title, body, user } = issue;
  return { owner: repository.owner.login, repo: repository.name, number, title, body, author: user.login };
}

/** GitHub's webhooks, received at `/inbox/github`: each opened issue is one case, however often GitHub tells of it. */
export function githubEvents(triage: CaseType<z.infer<typeof Issue>>, secret: string): Source {
  return defineSource("github", {
    preset: "github",
    owner: "maintainers",
    secrets: () => secret,
    consumers: {
      "triage it": startCase(triage, {
        on: "issues.opened",
        input: ({ data }) => issueIn(data),
        businessKey: ({ data }) => {
          const { owner, repo, number } = issueIn(data);
          return `${owner}/${repo}#${number}`;
        },
      }),
    },
  });
}
