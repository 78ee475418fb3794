/** A request that was read and allowed, and what answers it. */

import type { Ports } from "../../core/ports.ts";
import type { RightsObject, Roles } from "../../core/rights.ts";
import type { Registry } from "../../define/registry.ts";
import type { Desk } from "../../desk/desk.ts";
import type { Elsewhere } from "../../engine/elsewhere.ts";
import type { Source } from "../../inbox/source.ts";
import type { NoticeDeskParts } from "../../notices/notice-desk.ts";
import type { Store } from "../../store/port.ts";
import type { Identity } from "./identity.ts";
import type { ApiTypes, RouteId } from "./types.ts";

/** What handlers work with. */
export interface ApiParts {
  readonly desk: Desk;
  readonly store: Store;
  readonly registry: Registry;
  readonly ports: Ports;
  /** Where events come from: they tell what an event calls for. */
  readonly sources: readonly Source[];
  /** True where an identity provider signs people in too. */
  readonly hasOidc: boolean;
  readonly formatTime: (at: number) => string;
  readonly roles: Roles;
  /** The work of workers in other places. */
  readonly elsewhere: Elsewhere;
  /** Who owners are and how they are told; left out = the configuration says nothing of it. */
  readonly notices?: NoticeDeskParts;
  /** Where pages are served and what serves them, for people who meet their repairs. */
  readonly served: { readonly host: string; readonly build: string };
}

/** One request, read and allowed. */
export interface Call<Id extends RouteId> {
  readonly params: ApiTypes[Id]["params"];
  readonly query: ApiTypes[Id]["query"];
  readonly body: ApiTypes[Id]["body"];
  /** The plan version that the person saw; undefined = whatever it is. */
  readonly plan: string | undefined;
  /** Nobody in particular where a route is open to everybody. */
  readonly who: Identity;
  /** What the right was judged on; null = that is left to the answer. */
  readonly object: RightsObject | null;
  /** What the request came with and from where. */
  readonly from: { readonly sessionToken: string | null; readonly address: string | null };
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly parts: ApiParts;
}

/** What a request is answered with. */
export interface Answer<Reply> {
  readonly reply: Reply;
  /** 200 when left out. */
  readonly status?: 201 | 202;
  /** The plan version. */
  readonly etag?: string;
  readonly location?: string;
  /** A session's token for the cookie, or none any more. */
  readonly cookie?: string | null;
}

/** Answers a route. */
export type Handler<Id extends RouteId> = (call: Call<Id>) => Promise<Answer<ApiTypes[Id]["reply"]>>;
