/** Checks the locations that requests name. Another merchant's location is refused like one that does not exist (decision 0015). */
import { notFound, unknownReference } from '../base/errors.js';

/** The part of a merchant that these checks need. */
interface Owner {
  readonly locations: readonly { readonly id: string }[];
}

function has({ locations }: Owner, id: string): boolean {
  return locations.some((location) => location.id === id);
}

/** For the location that the request is about. `field` names it, unless it is in the path. */
export function requireLocation(owner: Owner, id: string, field?: string): void {
  if (!has(owner, id)) throw notFound('location', id, field);
}

/** For a location that a body refers to. */
export function requireLocationInBody(owner: Owner, id: string, field: string): void {
  if (!has(owner, id)) throw unknownReference('location', id, field);
}

/** Decision 0018: `me` stands for all locations. */
export function requireLocationOrMe(owner: Owner, locationId: string): string | undefined {
  if (locationId === 'me') return undefined;
  requireLocation(owner, locationId);
  return locationId;
}
