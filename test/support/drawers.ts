/** Cash drawer shifts for tests, created by the actions of `src/`: at any time, with events of every kind. */
import { realIds } from '../../src/base/ids.js';
import { amount } from '../../src/base/money.js';
import { type Instant, instant } from '../../src/base/time.js';
import {
  closeShift,
  type DrawerContext,
  endShift,
  openShift,
  recordDrawerEvent,
} from '../../src/business/cash-drawers/actions.js';
import type { Shift, ShiftEventKind } from '../../src/business/cash-drawers/model.js';
import type { Change } from '../../src/database/change.js';
import { mainLocation } from './people.js';
import type { TestMerchant, TestServer } from './server.js';

export type DrawerEvent = readonly [kind: ShiftEventKind, amount: number, description?: string];

export interface ShiftPlan {
  /** When the shift was opened. Each later event follows one second after the previous one. */
  readonly at: string;
  readonly locationId?: string;
  readonly currency?: string;
  readonly deviceName?: string;
  readonly employeeId?: string;
  readonly description?: string;
  readonly opened?: number;
  readonly events?: readonly DrawerEvent[];
  /** Absent: the shift stays open. */
  readonly ended?: boolean;
  /** The counted cash. Absent: the shift is not closed. */
  readonly closed?: number;
  /** About the counted cash. */
  readonly note?: string;
}

/** The context of a drawer. Its device and employees need not exist. */
export function drawerContext(merchant: TestMerchant, plan: Omit<ShiftPlan, 'at'>, at: Instant): DrawerContext {
  const {
    locationId = mainLocation(merchant),
    currency = 'USD',
    deviceName = 'Till 1',
    employeeId = realIds.newUuid(),
  } = plan;
  const clock = { offsetMs: 0, frozenAt: null };
  const locations = merchant.locationIds.map((id) => ({ id, timezone: 'UTC' }));
  const owner = {
    ...{
      id: merchant.id,
      businessName: 'Shop',
      currency,
      approved: true,
      restrictsDiscounts: false,
      offlineCardLimit: null,
    },
    ...{ clock, hasRules: false, processorId: null, hasFaults: false, hasSubscriptions: false, watch: null, locations },
  };
  return {
    merchant: owner,
    ids: realIds,
    device: { id: realIds.newId(20), name: deviceName, locationId, merchant: owner, lastUsedAt: null },
    employeeId,
    at,
  };
}

export async function makeShift({ database }: TestServer, merchant: TestMerchant, plan: ShiftPlan): Promise<Shift> {
  const openedAt = Date.parse(plan.at);
  const first = drawerContext(merchant, plan, instant(openedAt));
  const act = (seconds: number): DrawerContext => ({ ...first, at: instant(openedAt + seconds * 1000) });
  const { opened = 10_000, events = [], ended = plan.closed !== undefined, closed } = plan;
  const make = (work: (change: Change) => Promise<Shift>) => database.change(merchant.id, work);
  const opening = { openedCash: amount(opened), description: plan.description ?? null };
  let shift = await make(async (change) => openShift(change, first, opening));
  const { id: shiftId } = shift;
  for (const [index, [kind, value, description = null]] of events.entries()) {
    const event = { shiftId, kind, amount: amount(value), description };
    shift = await make((change) => recordDrawerEvent(change, act(index + 1), event));
  }
  const after = events.length + 1;
  if (ended) shift = await make((change) => endShift(change, act(after), shiftId));
  if (closed === undefined) return shift;
  const count = { cash: amount(closed), note: plan.note ?? null };
  return make((change) => closeShift(change, act(after + 1), shiftId, count));
}

/** Inserts many open shifts, one second apart, for lists that are longer than a page. */
export async function insertShifts(
  { database }: TestServer,
  merchant: TestMerchant,
  { count, from, locationId = mainLocation(merchant) }: { count: number; from: string; locationId?: string },
): Promise<void> {
  await database.sql`
    insert into cash_drawer_shifts (
      merchant_id, shift_id, location_id, device_id, device_name, state, opened_at, opening_employee_id, employee_ids,
      currency, opened_cash
    )
    select
      ${merchant.id}, gen_random_uuid(), ${locationId}, 'D' || gen_random_uuid(), 'Till', 'OPEN',
      ${from}::text::timestamptz + n * interval '1 second', gen_random_uuid(), array[gen_random_uuid()], 'USD', n
    from generate_series(0, ${count - 1}::int) as n`;
}
