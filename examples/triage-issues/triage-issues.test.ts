import { memoryStore } from "foothold/memory";
import { startDev, type Dev } from "foothold/dev";
import {
  createTestWorld,
  expectDone,
  expectReview,
  expectSafe,
  rehearse,
  type ListedEffect,
  type TestWorld,
} from "foothold/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { postWebhook, startGitHubServer, type GitHubServer } from "./github-server.ts";
import { defineTriage, githubEvents, labelsFor } from "./triage-issues.ts";

const token = "github_pat_local";
const secret = "a secret of ours";
const issue = {
  owner: "acme",
  repo: "desk",
  number: 7,
  title: "Crash when I save",
  body: "It fails each time.",
  author: "kim",
};

let github: GitHubServer;

beforeEach(async () => {
  github = await startGitHubServer(token);
});

afterEach(() => github.stop());

/** What is really there of the case: a rehearsal gives each run an issue of its own. */
function effectsOf(caseId: string): readonly ListedEffect[] {
  const comments = github.comments.filter(({ body }) => body.includes(caseId));
  return comments.map(({ id }) => ({ step: "greet", id: String(id) }));
}

test.each([
  ["Crash when I save", "It fails each time.", ["bug", "needs version"]],
  ["It fails in version 2", null, ["bug"]],
  ["How do I print?", null, ["question"]],
  ["Print in colors", "It would be nice.", ["idea"]],
])("%s is labeled", (title, body, labels) => {
  expect(labelsFor({ title, body })).toEqual(labels);
});

describe("an issue, with virtual time and real HTTP", () => {
  let world: TestWorld;
  let caseId: string;

  beforeEach(async () => {
    const triage = defineTriage({ url: github.url, token });
    world = createTestWorld({ cases: [triage] });
    caseId = await world.start(triage, issue);
  });

  test("is labeled, and whoever opened it is greeted once though the answer to that was lost", async () => {
    github.meets({ kind: "loseAnswer" });
    github.meets({ kind: "loseAnswer" });
    expectDone(await world.runToEnd(caseId));
    expect(github.labelsOf(7)).toEqual(["bug", "needs version"]);
    expect(github.comments.map(({ body }) => body)).toEqual([expect.stringContaining("Thank you, @kim.")]);
    // GitHub's client would have sent each of the two four times.
    expect(github.writeCount).toBe(2);
  });

  test("waits a minute where GitHub asks to slow down, and that spends no attempt", async () => {
    const message =
      "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    github.meets({ kind: "answer", status: 403, message });
    const from = world.now;
    expectDone(await world.runToEnd(caseId));
    expect(world.now - from).toBeGreaterThanOrEqual(60_000);
    expect(github.comments).toHaveLength(1);
  });

  test("goes to the maintainers where the bot may not write, and on when it may", async () => {
    github.meets({ kind: "answer", status: 401, message: "Bad credentials" });
    expect(expectReview(await world.runToNextWait(caseId), "label", "denied").owner).toBe("maintainers");
    await world.advance("1h");
    expect(await world.restoreAccess("github")).toMatchObject({ probe: { kind: "works" } });
    expectDone(await world.runToEnd(caseId));
    expect(github.labelsOf(7)).toEqual(["bug", "needs version"]);
  });
});

test("is safe under every crash, lost answer, late worker and refusal, by what is there", async () => {
  const report = await rehearse(defineTriage({ url: github.url, token }), {
    input: (run) => ({ ...issue, number: run }),
    effects: effectsOf,
  });
  expectSafe(report);
  expect(report.steps.map(({ step, judgedBy }) => [step, judgedBy])).toEqual([
    // A label cannot be there twice, and GitHub's answer to it names nothing.
    ["label", "nothing"],
    ["greet", "effects"],
  ]);
});

describe("GitHub's signed webhooks", () => {
  let dev: Dev;

  beforeEach(async () => {
    const triage = defineTriage({ url: github.url, token });
    dev = await startDev({
      store: memoryStore(),
      cases: [triage],
      sources: [githubEvents(triage, secret)],
      port: 0,
    });
  });

  afterEach(() => dev.stop());

  test("start one case for each opened issue, however often they come; a forged one is refused", async () => {
    const url = `${dev.url}/inbox/github`;
    const { number, title, body, owner, repo, author } = issue;
    const payload = {
      action: "opened",
      issue: { number, title, body, user: { login: author } },
      repository: { name: repo, owner: { login: owner } },
    };
    const opened = { delivery: "d-1", event: "issues", payload };
    expect(await postWebhook(url, "another secret", opened)).toBe(401);
    for (const delivery of ["d-1", "d-1", "d-2"])
      expect(await postWebhook(url, secret, { ...opened, delivery })).toBeLessThan(300);
    await expect.poll(() => github.comments.length, { timeout: 30_000 }).toBe(1);
    await expect
      .poll(async () => (await dev.desk.list()).cases.map(({ storedState }) => storedState), {
        timeout: 30_000,
      })
      .toEqual(["done"]);
    expect(github.comments).toHaveLength(1);
  });
});
