/** The one page: what needs people, and a list of cases with their readable state. Plain HTML without scripts. */

import { html } from "hono/html";
import type { StoredState } from "../core/row.ts";
import type { ReadableState } from "../core/state.ts";
import type { CaseLine } from "../desk/case-view.ts";
import type { ListFilter, ListPage } from "../desk/desk.ts";
import type { Overview } from "../desk/overview.ts";
import type { Problem } from "./api/types.ts";
import { STORED_STATES } from "./queries.ts";

/** A piece of HTML whose every value is escaped. */
export type Markup = ReturnType<typeof html>;

/** What the page shows. */
export interface PageInput {
  readonly overview: Overview;
  readonly page: ListPage;
  readonly filter: ListFilter;
  readonly query: URLSearchParams;
  readonly formatTime: (at: number) => string;
}

/** How often the page is read again, in seconds. */
const REFRESH_S = 5;

/** A sign beside the word, so that a state is never told by color alone. */
const signs: Readonly<Record<ReadableState, string>> = {
  Running: "▶",
  "Will retry": "↻",
  "Waiting for event": "◷",
  "Waiting for approval": "◷",
  "Waiting until": "◷",
  "Held back": "≡",
  Paused: "‖",
  "Worker lost": "⚠",
  "Outcome unknown": "?",
  "Needs correction": "✎",
  "Needs access": "⚿",
  "Needs review": "!",
  "Being repaired": "✋",
  Done: "✓",
  "Done after repair": "✓",
  Canceled: "×",
};

const stateNames: Readonly<Record<StoredState, string>> = {
  ready: "ready",
  claimed: "claimed",
  waiting: "waiting",
  paused: "paused",
  in_review: "in review",
  done: "done",
  canceled: "canceled",
};

/** The list of cases. */
export function casesPage(input: PageInput): Markup {
  const { overview, page, query, formatTime } = input;
  const isRefreshing = query.get("refresh") !== "off";
  return layout(
    isRefreshing,
    html`<h1>Cases</h1>
      <p>
        As of ${time(page.now, formatTime)}.
        ${
          isRefreshing
            ? html`Read again every ${REFRESH_S} seconds.
                <a href="${link(query, { refresh: "off" })}">Stop that</a>.`
            : html`<a href="${link(query, { refresh: null })}">Read again every ${REFRESH_S} seconds</a>.`
        }
      </p>
      ${notices(overview)} ${counts(overview)} ${filterForm(input, isRefreshing)} ${table(input)}
      ${pages(input)}`,
  );
}

/** What is shown instead when something is wrong; read again too, so that it mends itself. */
export function problemPage({ title, detail, code }: Problem): Markup {
  return layout(
    true,
    html`<h1>${title}</h1>
      <p role="alert" class="notice">${detail} <code>${code}</code></p>
      <p><a href="/">All cases</a></p>`,
  );
}

function layout(isRefreshing: boolean, body: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${isRefreshing ? html`<meta http-equiv="refresh" content="${REFRESH_S}" />` : ""}
        <title>Cases · Foothold</title>
        <link rel="stylesheet" href="/page.css" />
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html>`;
}

function notices({ notices: all }: Overview): Markup {
  return html`${all.map(({ sentence }) => html`<p class="notice">⚠ ${sentence}.</p>`)}`;
}

function counts({ types }: Overview): Markup {
  if (types.length === 0) return html``;
  return html`<table class="counts">
    <caption>
      Cases by type and stored state
    </caption>
    <thead>
      <tr>
        <th scope="col">Type</th>
        ${STORED_STATES.map((state) => html`<th scope="col">${stateNames[state]}</th>`)}
        <th scope="col">with review</th>
        <th scope="col">workers</th>
      </tr>
    </thead>
    <tbody>
      ${types.map(
        (one) =>
          html`<tr>
            <th scope="row">
              <a href="/?type=${encodeURIComponent(one.caseType)}"><bdi>${one.caseType}</bdi></a>
              ${one.isLoaded ? "" : "(definition not loaded here)"}
            </th>
            ${STORED_STATES.map((state) => html`<td>${one.states[state] ?? 0}</td>`)}
            <td>${one.withReview}</td>
            <td>${one.workers}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function filterForm({ filter }: PageInput, isRefreshing: boolean): Markup {
  return html`<form method="get" action="/">
    ${isRefreshing ? "" : html`<input type="hidden" name="refresh" value="off" />`}
    <label>Type <input name="type" value="${filter.caseType ?? ""}" maxlength="100" /></label>
    <label
      >State
      <select name="state">
        <option value="">any</option>
        ${STORED_STATES.map(
          (state) =>
            html`<option value="${state}" ${filter.states?.includes(state) === true ? "selected" : ""}>
              ${stateNames[state]}
            </option>`,
        )}
      </select></label
    >
    <label>Tenant <input name="tenant" value="${filter.tenant ?? ""}" maxlength="100" /></label>
    <label
      >Business key <input name="businessKey" value="${filter.businessKey ?? ""}" maxlength="200"
    /></label>
    <button type="submit">Show</button>
  </form>`;
}

function table({ page, formatTime }: PageInput): Markup {
  if (page.cases.length === 0) return html`<p>No case matches.</p>`;
  return html`<table>
    <caption>
      ${page.cases.length} ${page.cases.length === 1 ? "case" : "cases"}, newest start first
    </caption>
    <thead>
      <tr>
        ${["Case", "Type", "Business key", "State", "What stands", "Since", "Who acts next", "By"].map(
          (name) => html`<th scope="col">${name}</th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${page.cases.map((line) => row(line, formatTime))}
    </tbody>
  </table>`;
}

function row(line: CaseLine, formatTime: PageInput["formatTime"]): Markup {
  const { reading, holding, caseId } = line;
  return html`<tr>
    <th scope="row"><a href="/api/v1/cases/${encodeURIComponent(caseId)}">${caseId}</a></th>
    <td class="name">
      <bdi>${line.caseType}</bdi> ${
        line.isDefinitionLoaded
          ? ""
          : html`<small>version ${line.definitionVersion} is not loaded here</small>`
      }
    </td>
    <td><bdi>${line.businessKey ?? "–"}</bdi></td>
    <td class="state"><span aria-hidden="true">${signs[reading.state]}</span> ${reading.state}</td>
    <td class="sentence">
      <bdi>${reading.sentence}</bdi> ${holding === null ? "" : html`<small>${holding.sentence}</small>`}
    </td>
    <td>${time(line.sinceAt, formatTime)}</td>
    <td><bdi>${reading.actsNext}</bdi></td>
    <td>${reading.byAt === null ? "–" : time(reading.byAt, formatTime)}</td>
  </tr>`;
}

function pages({ page, query }: PageInput): Markup {
  return html`<p>
    ${query.get("cursor") === null ? "" : html`<a href="${link(query, { cursor: null })}">First page</a>`}
    ${page.next === null ? "" : html`<a href="${link(query, { cursor: page.next })}">Next page</a>`}
  </p>`;
}

function time(at: number, formatTime: PageInput["formatTime"]): Markup {
  return html`<time datetime="${new Date(at).toISOString()}">${formatTime(at)}</time>`;
}

/** The same page with some parameters set, or taken away where null. */
function link(query: URLSearchParams, changes: Readonly<Record<string, string | null>>): string {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.delete(name);
    else changed.set(name, value);
  }
  const text = changed.toString();
  return text === "" ? "/" : `/?${text}`;
}
