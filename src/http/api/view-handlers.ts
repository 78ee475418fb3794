/** Saved views over the API: each person's own. */

import { FootholdError } from "../../core/errors.ts";
import { VIEWS_MAX } from "../../store/people-port.ts";
import type { Handler } from "./call.ts";
import type { Identity } from "./identity.ts";
import type { ViewApiTypes } from "./view-types.ts";

/** Whose views those are that whoever runs the server keeps, where nobody keeps people: no id is a sign. */
const NO_PERSON = "-";

function ownerOf({ person }: Identity): string {
  return person?.personId ?? NO_PERSON;
}

/** Every route's. */
export const VIEW_HANDLERS: { readonly [Id in keyof ViewApiTypes]: Handler<Id> } = {
  listViews: async ({ parts: { store }, who }) => ({
    reply: { views: await store.people.listViews(ownerOf(who)) },
  }),
  saveView: async ({ parts: { store }, who, body }) => {
    if (await store.people.saveView(ownerOf(who), body)) {
      return { reply: { sentence: `Kept as ${body.name}.` } };
    }
    throw new FootholdError(
      "INVALID_REQUEST",
      `You keep ${VIEWS_MAX} views already. Remove one, or give the name of one that this is to replace.`,
    );
  },
  removeView: async ({ parts: { store }, who, params: { view } }) => {
    const isRemoved = await store.people.removeView(ownerOf(who), view);
    return { reply: { sentence: isRemoved ? `${view} is removed.` : `There is no view ${view} any more.` } };
  },
};
