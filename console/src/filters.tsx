/** The filters of the list of cases. They live in the address, so that a list can be kept and sent to somebody. */

import { useRef, type JSX } from "react";
import { goTo, listPath } from "./route.ts";
import { READABLE_STATES } from "./words.tsx";

/** Filters that the server takes, by the names that they have there. */
export const FILTERS = [
  "text",
  "type",
  "reading",
  "state",
  "owner",
  "destination",
  "step",
  "kind",
  "businessKey",
  "parent",
  "find",
  "tenant",
  "review",
  "second",
  "assignee",
  "open",
  "needsPeople",
  "overdue",
] as const;

/** Those of them that say yes or nothing. */
export const FLAGS: readonly string[] = ["review", "second", "open", "needsPeople", "overdue"];

/** Those that are folded away until one of them is used. */
const RARE = FILTERS.filter((name) => name !== "text" && name !== "type" && name !== "reading");

const kinds = [
  "transient",
  "throttled",
  "quota",
  "unknown",
  "rejected",
  "denied",
  "conflict",
  "precondition",
  "gone",
  "bug",
  "stopped",
];
const stored = ["ready", "claimed", "waiting", "paused", "in_review", "done", "canceled"];

/** What the form starts with and may offer. */
export interface FilterFormProps {
  readonly query: URLSearchParams;
  readonly types: readonly string[];
}

/** The form. */
export function FilterForm({ query, types }: FilterFormProps): JSX.Element {
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: { preventDefault: () => void }): void => {
    event.preventDefault();
    if (form.current === null) return;
    const values = new FormData(form.current);
    const texts = (name: string): readonly string[] =>
      values.getAll(name).map((value) => (typeof value === "string" ? value.trim() : ""));
    goTo(listPath(Object.fromEntries([...values.keys()].map((name) => [name, texts(name)]))));
  };
  const usesRare = RARE.some((name) => (query.get(name) ?? "") !== "");
  return (
    // Another address is another form, with other values to start with.
    <form ref={form} key={query.toString()} onSubmit={submit} role="search" className="filters">
      <Field name="text" label="Search" query={query} isSearch />
      <Choice name="type" label="Type" query={query} options={types} />
      <Choice name="reading" label="State" query={query} options={READABLE_STATES} />
      <details open={usesRare}>
        <summary>More filters</summary>
        <div className="filters">
          <Field name="owner" label="Who acts" query={query} />
          <Field name="assignee" label="Given to (me, or - for nobody)" query={query} />
          <Field name="destination" label="Destination" query={query} />
          <Field name="step" label="Step of the type" query={query} />
          <Choice name="kind" label="Kind of failure" query={query} options={kinds} />
          <Choice name="state" label="Stored state" query={query} options={stored} />
          <Choice name="review" label="Open review" query={query} options={["true"]} />
          <Choice name="second" label="Waits for a second person" query={query} options={["true"]} />
          <Choice name="needsPeople" label="Needs a person" query={query} options={["true"]} />
          <Choice name="overdue" label="A person is overdue" query={query} options={["true"]} />
          <Choice name="open" label="Not ended" query={query} options={["true"]} />
          <Field name="businessKey" label="Business key" query={query} />
          <Field name="parent" label="Started by case" query={query} />
          {[...query.getAll("find").filter((one) => one !== ""), ""].map((value, index) => (
            <Field
              key={index}
              name="find"
              label={index === 0 ? "Attribute or tag, as name:value" : "And attribute or tag"}
              query={new URLSearchParams({ find: value })}
            />
          ))}
          <Field name="tenant" label="Tenant" query={query} />
        </div>
      </details>
      <button type="submit">Show</button>
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly query: URLSearchParams;
}

function Field({
  name,
  label,
  query,
  isSearch = false,
}: FieldProps & { readonly isSearch?: boolean }): JSX.Element {
  return (
    <label>
      {label}
      <input
        name={name}
        type={isSearch ? "search" : "text"}
        defaultValue={query.get(name) ?? ""}
        maxLength={200}
        data-search={isSearch ? "" : undefined}
      />
    </label>
  );
}

function Choice({
  name,
  label,
  query,
  options,
}: FieldProps & { readonly options: readonly string[] }): JSX.Element {
  const value = query.get(name) ?? "";
  const all = value === "" || options.includes(value) ? options : [value, ...options];
  return (
    <label>
      {label}
      <select name={name} defaultValue={value} key={all.join()}>
        <option value="">any</option>
        {all.map((option) => (
          <option key={option} value={option}>
            {option === "in_review" ? "in review" : option === "true" ? "yes" : option}
          </option>
        ))}
      </select>
    </label>
  );
}
