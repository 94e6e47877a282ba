/** What happens right now, for the figures and the lists of the home page. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../client/call.js';
import { dashboard, type ResponseOf } from '../../client/operations.js';
import { useBusiness } from '../business.js';
import type { Shift } from '../cash-drawers/shift.js';
import { isOpen } from '../timecards/timecard.js';

/** Enough timecards to contain everybody who is at work. */
const TIMECARDS = 200;
const SHIFTS = 20;
const SETTLEMENTS = 5;
const REFRESH_MS = 60_000;

export type TodayReport = ResponseOf<typeof dashboard.retrieveToday>;

export function useToday() {
  return useQuery({
    queryKey: ['retrieveToday'],
    queryFn: () => call(dashboard.retrieveToday),
    refetchInterval: REFRESH_MS,
  });
}

export function useClockedIn() {
  const { isApproved } = useBusiness();
  return useQuery({
    queryKey: ['listTimecards', 'open'],
    queryFn: () =>
      isApproved ? call(dashboard.listTimecards, { deleted: false, limit: TIMECARDS }) : { timecards: [] },
    select: ({ timecards }) => timecards.filter(isOpen),
    refetchInterval: REFRESH_MS,
  });
}

/** The open shifts of each location, or its latest one if none is open. */
export function useLatestShifts() {
  const { locations } = useBusiness();
  const ids = locations.map(({ id }) => id);
  return useQuery({
    queryKey: ['listCashDrawerShifts', 'latest', ids],
    queryFn: async () => {
      const lists = await Promise.all(
        ids.map((id) => call(dashboard.listCashDrawerShifts, { location_id: id, limit: SHIFTS })),
      );
      return lists.flatMap(({ shifts }) => toShown(shifts));
    },
    refetchInterval: REFRESH_MS,
  });
}

function toShown(shifts: readonly Shift[]): readonly Shift[] {
  const open = shifts.filter(({ state }) => state !== 'CLOSED');
  return open.length > 0 ? open : shifts.slice(0, 1);
}

export function useLatestSettlements() {
  return useQuery({
    queryKey: ['listSettlements', 'latest'],
    queryFn: () => call(dashboard.listSettlements, { limit: SETTLEMENTS }),
    select: ({ settlements }) => settlements,
  });
}
