/**
 * Poison control (R9): beside what a case may be tried that lost its worker. A case that kills its worker takes down with it
 * whatever is under way there, and all of it counts a loss. Tried one at a time after that, a thousand cases of a worker that
 * merely died would wait for each other; so those that lost one worker are tried in small groups, with none that lost none
 * beside them, and only those that lost a second one alone. Whoever kills a worker is then in a group of at most
 * {@link COMPANY_MAX}, next alone, and at its third loss with people; no other case comes to a third.
 */

/** Cases that lost one worker, and are tried side by side by another, at most. */
export const COMPANY_MAX = 32;

/** Beside which others of its worker an attempt may be open: any that lost no worker, some that lost one, or none. */
export type Company = "any" | "lost" | "none";

/** That of a case that lost so many workers in a row with an attempt open. */
export function companyOf(losses: number): Company {
  if (losses === 0) return "any";
  return losses === 1 ? "lost" : "none";
}

/** What a worker has open: so many attempts, all of one company. */
interface OpenCompany {
  readonly company: Company;
  readonly open: number;
}

/** True if an attempt of that company may be opened beside what is open. */
export function mayJoin(company: Company, { company: there, open }: OpenCompany): boolean {
  if (open === 0) return true;
  if (company !== there) return false;
  switch (company) {
    case "any":
      return true;
    case "lost":
      return open < COMPANY_MAX;
    case "none":
      return false;
  }
}
