/** A record as a form: marked fields say what is wrong with them, and the old value stays in sight. */

import { useId, type JSX } from "react";
import type { Json } from "../api.ts";
import { madeSeen, Told } from "../told.tsx";
import {
  fieldsOf,
  notesFor,
  notesForNone,
  readFields,
  readJson,
  type FieldNote,
  type FormField,
  type ReadForm,
} from "./form-fields.ts";

/** What stands in the form: fields, or the whole value as JSON. */
export type Draft =
  | { readonly kind: "fields"; readonly fields: readonly FormField[] }
  | { readonly kind: "json"; readonly text: string };

/** The form as it is opened; `value` is null for one that starts empty. */
export function draftOf(value: Json, schema: Json): Draft {
  const fields = fieldsOf(value, schema);
  if (fields !== null) return { kind: "fields", fields };
  return { kind: "json", text: value === null ? "" : JSON.stringify(value, null, 2) };
}

/** The value that a draft makes. */
export function readDraft(draft: Draft): ReadForm {
  if (draft.kind === "fields") return readFields(draft.fields);
  const read = readJson(draft.text);
  return read.kind === "unreadable"
    ? { kind: "unreadable", faults: [{ path: "", message: `The text ${read.why}.` }] }
    : { kind: "value", value: read.value };
}

/** True where nothing at all is filled in. */
export function isEmpty(draft: Draft): boolean {
  if (draft.kind === "json") return draft.text.trim() === "";
  return draft.fields.every(({ text }) => text === "");
}

/** What the form shows. */
export interface RecordFormProps {
  readonly legend: string;
  /** The value as it is now; null = there is none yet. */
  readonly old: Json;
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** What the destination, or the schema, said of fields. */
  readonly notes: readonly FieldNote[];
}

/** The fields. */
export function RecordForm({ legend, old, draft, onDraft, notes }: RecordFormProps): JSX.Element {
  const was = old === null ? [] : (fieldsOf(old, null) ?? []);
  const names = draft.kind === "fields" ? draft.fields.map(({ name }) => name) : [];
  const toJson = (): void => {
    const read = readDraft(draft);
    onDraft({ kind: "json", text: JSON.stringify(read.kind === "value" ? read.value : old, null, 2) });
  };
  return (
    <fieldset className="record">
      <legend>{legend}</legend>
      {notesForNone(names, notes).map(({ path, message }) => (
        <p key={`${path} ${message}`} className="field-note">
          <Told text={path === "" ? message : `${path}: ${message}`} />
        </p>
      ))}
      {draft.kind === "fields" ? (
        <>
          {draft.fields.map((field) => (
            <Field
              key={field.name}
              field={field}
              was={was.find(({ name }) => name === field.name)?.text ?? null}
              notes={notesFor(field.name, notes)}
              onText={(text) =>
                onDraft({
                  kind: "fields",
                  fields: draft.fields.map((one) => (one.name === field.name ? { ...one, text } : one)),
                })
              }
            />
          ))}
          <button type="button" className="quiet" onClick={toJson}>
            Edit as JSON
          </button>
        </>
      ) : (
        <label>
          As JSON
          <textarea
            rows={old === null ? 3 : 12}
            spellCheck={false}
            className="code"
            value={draft.text}
            onChange={({ target }) => onDraft({ kind: "json", text: target.value })}
          />
        </label>
      )}
    </fieldset>
  );
}

interface FieldProps {
  readonly field: FormField;
  readonly was: string | null;
  readonly notes: readonly FieldNote[];
  readonly onText: (text: string) => void;
}

function Field({ field, was, notes, onText }: FieldProps): JSX.Element {
  const id = useId();
  const { name, text, canBeLeftOut } = field;
  return (
    <div className={notes.length > 0 ? "field is-rejected" : "field"}>
      <label htmlFor={id}>
        <Told text={name} />
        {canBeLeftOut ? <span className="soft"> (may be left out)</span> : null}
      </label>
      <Control id={id} field={field} isRejected={notes.length > 0} onText={onText} />
      <div id={`${id}-notes`}>
        {notes.map(({ path, message }) => (
          <p key={`${path} ${message}`} className="field-note">
            {notes.length > 1 || path !== name ? `${madeSeen(path)}: ` : ""}
            <Told text={message} />
          </p>
        ))}
        {was !== null && was !== text ? (
          <p className="soft">
            was: <s>{madeSeen(was)}</s>
          </p>
        ) : null}
      </div>
    </div>
  );
}

interface ControlProps {
  readonly id: string;
  readonly field: FormField;
  readonly isRejected: boolean;
  readonly onText: (text: string) => void;
}

function Control({ id, field, isRejected, onText }: ControlProps): JSX.Element {
  const { kind, text, choices, canBeLeftOut } = field;
  const told = {
    id,
    value: text,
    "aria-invalid": isRejected ? true : undefined,
    "aria-describedby": `${id}-notes`,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onText(target.value),
  };
  const options = kind === "flag" ? ["true", "false"] : choices;
  if (options.length > 0) {
    const all = options.includes(text) || (text === "" && canBeLeftOut) ? options : [text, ...options];
    return (
      <select {...told}>
        {canBeLeftOut ? <option value="" /> : null}
        {all.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    );
  }
  if (kind === "json" || text.includes("\n") || text.length > 120) {
    return (
      <textarea {...told} rows={4} spellCheck={false} className={kind === "json" ? "code" : undefined} />
    );
  }
  return (
    <input
      {...told}
      type="text"
      spellCheck={false}
      inputMode={kind === "number" ? "decimal" : undefined}
      dir="auto"
    />
  );
}
