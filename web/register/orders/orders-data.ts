/** Online orders of the location that wait to be completed. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useStore } from '../../client/store.js';
import { queries } from '../../ui/app.js';
import { call, register } from '../core/call.js';
import { isOnline } from '../core/connection.js';
import { attendant } from '../core/people.js';
import type { WireOrder } from '../parts/wire.js';
import { ring } from './bell.js';

const KEY = ['listOrders'];
const REFRESH_MS = 15_000;

/** Paid, and not yet handed over. */
export const TO_DO = 'OPEN';

export function useOpenOrders() {
  const [session, online] = [useStore(attendant)?.session, useStore(isOnline)];
  return useQuery({
    queryKey: KEY,
    queryFn: async () => (await call(register.listOrders, { state: TO_DO })).orders,
    enabled: session !== undefined && online,
    refetchInterval: REFRESH_MS,
  });
}

export function refreshOrders(): Promise<void> {
  return queries.invalidateQueries({ queryKey: KEY });
}

/** Rings for an order that was not in the list before. The first list does not ring. */
export function useBell(orders: readonly WireOrder[] | undefined, onNew: (order: WireOrder) => void): void {
  const known = useRef<ReadonlySet<string>>(undefined);
  const latest = useRef(onNew);
  latest.current = onNew;
  useEffect(() => {
    if (!orders) return;
    const before = known.current;
    known.current = new Set(orders.map(({ id }) => id));
    const fresh = before === undefined ? [] : orders.filter(({ id }) => !before.has(id));
    if (fresh.length === 0) return;
    ring();
    for (const order of fresh) latest.current(order);
  }, [orders]);
}
