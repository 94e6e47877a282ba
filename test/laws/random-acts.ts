/** Random acts of a whole business, and what may come of them. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { ApiResponse } from '../support/http.js';
import { ACT_KINDS, type Act } from './whole-business.js';

export const act: fc.Arbitrary<Act> = fc.record({
  kind: fc.constantFrom(...ACT_KINDS),
  place: fc.nat(1),
  which: fc.nat(100_000),
  units: fc.integer({ min: 30, max: 5000 }),
});

/** A failed act must be an ordinary refusal. Undefined: there was nothing to act on. */
export function expectOrdinary({ kind }: Act, answer: ApiResponse | undefined): void {
  if (answer) expect([200, 400, 404, 409, 422], `${kind}: ${answer.status} ${answer.text}`).toContain(answer.status);
}
