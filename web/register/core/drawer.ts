/** The cash drawer of this device. It works offline: writes that wait to be sent count. */
import { type Amount, add, ZERO } from '../../../src/base/money.js';
import { Problem } from '../../client/problem.js';
import { createStore } from '../../client/store.js';
import { call, register } from './call.js';
import { cashOf, type Drawer, drawerOf, type KnownDrawer } from './drawer-model.js';
import { attendant } from './people.js';
import { onAccepted, pending, send } from './queue.js';
import { createKept } from './storage/kept.js';
import type { WireShift } from './wire.js';

export type { Drawer } from './drawer-model.js';

const known = createKept<KnownDrawer>('drawer', { shift: undefined, since: ZERO });

export const drawer = createStore<Drawer | undefined>(undefined);

/** How many writes the server has accepted. The response to a request from before the last of them is outdated. */
let accepted = 0;

/** The ids of accepted writes. They must not count again while they are still in the list of waiting writes. */
const acceptedIds = new Set<string>();

export function watchDrawer(): void {
  pending.subscribe(show);
  known.subscribe(show);
  onAccepted((write, response) => {
    accepted++;
    acceptedIds.add(write.id);
    const { cash_drawer_shift: shift } = (response ?? {}) as { cash_drawer_shift?: WireShift };
    const { shift: current, since } = known.get();
    if (shift) known.set({ shift: shift.state === 'CLOSED' ? undefined : shift, since: ZERO });
    else if (cashOf(write) !== ZERO) known.set({ shift: current, since: add(since, cashOf(write)) });
  });
  show();
}

function show(): void {
  drawer.set(
    drawerOf(
      known.get(),
      pending.get().list.filter(({ id }) => !acceptedIds.has(id)),
    ),
  );
}

/** Asks the server, which also knows what others took out. Does nothing while writes wait, because the response would lack them. */
export async function refreshDrawer(): Promise<void> {
  if (attendant.get()?.session === undefined || pending.get().count > 0) return;
  const before = accepted;
  const shift = await findOpenShift();
  if (accepted !== before || pending.get().count > 0) return;
  // An ended shift is not open, but it waits for its cash to be counted.
  if (shift || known.get().shift?.state !== 'ENDED') await known.save({ shift, since: ZERO });
}

async function findOpenShift(): Promise<WireShift | undefined> {
  try {
    return (await call(register.showOpenShift)).cash_drawer_shift;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return undefined;
    throw error;
  }
}

const describe = (description: string | undefined) => (description ? { description } : {});
const money = (value: Amount) => ({ amount: value });

function ofShift(): { shift_id: string } {
  const shiftId = drawer.get()?.shiftId;
  if (shiftId !== undefined) return { shift_id: shiftId };
  throw new Problem('Open the drawer first.', {
    status: 409,
    code: 'NO_SHIFT',
    field: undefined,
    requestId: undefined,
  });
}

export function openDrawer(openedCash: Amount, description?: string) {
  return send('openShift', { opened_cash_money: money(openedCash), ...describe(description) });
}

export function noSale(description?: string) {
  return send('noSale', { ...ofShift(), ...describe(description) });
}

export function paidIn(cash: Amount, description?: string) {
  return send('paidIn', { ...ofShift(), amount_money: money(cash), ...describe(description) });
}

export function paidOut(cash: Amount, description?: string) {
  return send('paidOut', { ...ofShift(), amount_money: money(cash), ...describe(description) });
}

export function endDrawer() {
  return send('endShift', ofShift());
}

export function closeDrawer(counted: Amount, note?: string) {
  return send('closeShift', { ...ofShift(), closed_cash_money: money(counted), ...(note ? { note } : {}) });
}
