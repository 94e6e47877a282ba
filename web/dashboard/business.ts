/** The business that is shown: its locations with their time zones, its people, and the time of its clock. */
import { useQuery } from '@tanstack/react-query';
import { type Instant, instant, parseTime } from '../../src/base/time.js';
import { call } from '../client/call.js';
import { dashboard, type ResponseOf } from '../client/operations.js';

type Wire = ResponseOf<typeof dashboard.retrieveBusiness>;
export type Location = Wire['locations'][number];
export type Employee = ResponseOf<typeof dashboard.listEmployees>['employees'][number];

export interface Business {
  readonly name: string;
  readonly currency: string;
  readonly isApproved: boolean;
  readonly locations: readonly Location[];
  /** The locations that are offered when something new is created. */
  readonly openLocations: readonly Location[];
  locationName(id: string | undefined): string;
  /** The time zone of a location, or of the first one for what belongs to no location. */
  timezoneOf(id: string | undefined): string;
  /** The merchant's clock, which a sandbox can move. */
  now(): Instant;
}

function toBusiness({ merchant, approved, now, locations }: Wire): Business {
  const byId = new Map(locations.map((location) => [location.id, location]));
  const offsetMs = (parseTime(now) ?? Date.now()) - Date.now();
  return {
    name: merchant.business_name,
    currency: merchant.currency,
    isApproved: approved,
    locations,
    openLocations: locations.filter(({ status }) => status === 'ACTIVE'),
    locationName: (id) => (id === undefined ? '' : (byId.get(id)?.name ?? id)),
    timezoneOf: (id) => (byId.get(id ?? '') ?? locations[0])?.timezone ?? 'UTC',
    now: () => instant(Date.now() + offsetMs),
  };
}

export const businessQuery = {
  queryKey: ['retrieveBusiness'],
  queryFn: () => call(dashboard.retrieveBusiness),
  select: toBusiness,
  staleTime: 60_000,
};

/** The shell has loaded the business before any page is shown. */
export function useBusiness(): Business {
  const { data } = useQuery(businessQuery);
  if (!data) throw new Error('the business is not loaded');
  return data;
}

async function listAllEmployees(): Promise<readonly Employee[]> {
  const all: Employee[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await call(dashboard.listEmployees, { limit: 200, cursor });
    all.push(...page.employees);
    cursor = page.cursor;
  }
  return all;
}

export function employeeName({ first_name, last_name }: Employee): string {
  return `${first_name} ${last_name}`.trim() || 'No name';
}

/** Names of employees by id. An account without employee management knows only the ids. */
export function usePeople(): { readonly all: readonly Employee[]; nameOf(id: string | undefined): string } {
  const { isApproved } = useBusiness();
  const { data: all = [] } = useQuery({
    queryKey: ['listAllEmployees'],
    queryFn: listAllEmployees,
    enabled: isApproved,
    staleTime: 60_000,
  });
  return {
    all,
    nameOf(id) {
      const found = all.find((employee) => employee.id === id);
      return found ? employeeName(found) : (id ?? '');
    },
  };
}
