/** Shifts of this register that were closed, with their Z reports. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useStore } from '../../client/store.js';
import { Money } from '../../ui/money.js';
import { printTime } from '../../ui/time.js';
import { call, register } from '../core/call.js';
import { isOnline } from '../core/connection.js';
import { device } from '../core/device.js';
import { drawer } from '../core/drawer.js';
import { pending } from '../core/queue.js';
import { Row, Rows } from '../parts/rows.js';
import { differenceWords } from './difference-words.js';
import classes from './drawer.module.css';

const SHOWN = 14;

export function PastReports({ onPick }: { readonly onPick: (shiftId: string) => void }) {
  const [online, timezone, current] = [useStore(isOnline), useStore(device)?.location.timezone, useStore(drawer)];
  // A shift can be closed here before the server knows it, so the list is loaded when nothing waits to be sent.
  const isSent = useStore(pending).count === 0;
  const shifts = useQuery({
    queryKey: ['listShifts', current?.shiftId, current?.state, isSent],
    queryFn: async () => (await call(register.listShifts)).cash_drawer_shifts,
    enabled: online && isSent,
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const closed = (shifts.data ?? []).filter(({ state }) => state === 'CLOSED').slice(0, SHOWN);
  if (closed.length === 0) return null;
  return (
    <section aria-labelledby="past-reports">
      <h2 id="past-reports" className={classes['title']}>
        Z reports
      </h2>
      <Rows>
        {closed.map((shift) => (
          <Row
            key={shift.id}
            title={printTime(shift.closed_at ?? shift.opened_at, 'long', timezone)}
            note={differenceWords(
              (shift.closed_cash_money?.amount ?? 0) - shift.expected_cash_money.amount,
              shift.expected_cash_money.currency,
            )}
            value={shift.closed_cash_money && <Money value={shift.closed_cash_money} />}
            onClick={() => onPick(shift.id)}
          />
        ))}
      </Rows>
    </section>
  );
}
