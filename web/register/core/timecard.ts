/** Whether the attendant is clocked in. Writes that wait to be sent count. */
import { printMilliseconds } from '../../../src/base/time.js';
import { createStore } from '../../client/store.js';
import { attendant, noteClocking } from './people.js';
import { onAccepted, pending, send } from './queue.js';

/** The time of the clock-in. */
export const clockedInSince = createStore<string | undefined>(undefined);

export function watchTimecard(): void {
  attendant.subscribe(show);
  pending.subscribe(show);
  onAccepted(({ operation, employeeId, occurredAt }) => {
    if (operation === 'clockIn') noteClocking(employeeId, printMilliseconds(occurredAt));
    if (operation === 'clockOut') noteClocking(employeeId, undefined);
  });
  show();
}

function show(): void {
  const person = attendant.get();
  let since = person?.clockedInSince;
  for (const { operation, employeeId, occurredAt } of pending.get().list) {
    if (employeeId !== person?.employeeId) continue;
    if (operation === 'clockIn') since = printMilliseconds(occurredAt);
    if (operation === 'clockOut') since = undefined;
  }
  clockedInSince.set(since);
}

export function clockIn() {
  return send('clockIn', {});
}

export function clockOut() {
  return send('clockOut', {});
}
