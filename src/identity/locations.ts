/** Locations as requests name them: another merchant's is as unknown as one that does not exist (decision 0015). */
import { notFound, unknownReference } from '../base/errors.js';

/** A merchant, as far as this asks. */
interface Owner {
  readonly locations: readonly { readonly id: string }[];
}

function has({ locations }: Owner, id: string): boolean {
  return locations.some((location) => location.id === id);
}

/** What the request is about; with the field that names it, where that is not the path. */
export function requireLocation(owner: Owner, id: string, field?: string): void {
  if (!has(owner, id)) throw notFound('location', id, field);
}

/** One among other things in a body. */
export function requireLocationInBody(owner: Owner, id: string, field: string): void {
  if (!has(owner, id)) throw unknownReference('location', id, field);
}

/** Decision 0018: `me` stands for all locations. */
export function readLocationOrMe(owner: Owner, given: string): string | undefined {
  if (given === 'me') return undefined;
  requireLocation(owner, given);
  return given;
}
