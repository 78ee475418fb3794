/** What a problem is, as the API tells it. */

import type { api } from "./api.ts";

/** A page of problems. */
export type Problems = Awaited<ReturnType<typeof api.listProblems>>;

/** A group of cases with the same problem. */
export type Problem = Problems["problems"][number];
