/** What happens right now: who is clocked in, which drawers are open, what was paid out last. */
import { Skeleton } from '@mantine/core';
import { add, amount, ZERO } from '../../../src/base/money.js';
import { printSeconds } from '../../../src/base/time.js';
import { Figures } from '../../ui/figures.js';
import { Money } from '../../ui/money.js';
import { Page as Frame } from '../../ui/page.js';
import { printTime } from '../../ui/time.js';
import { useBusiness, usePeople } from '../business.js';
import { ClockedIn } from './clocked-in.js';
import { Drawers } from './drawers.js';
import classes from './home.module.css';
import { LatestPayouts } from './latest-payouts.js';
import { NextSettlement } from './next-settlement.js';
import { useClockedIn, useLatestSettlements, useLatestShifts } from './now.js';

export function Page() {
  const { name, now, timezoneOf } = useBusiness();
  return (
    <Frame title={printTime(printSeconds(now()), 'day', timezoneOf(undefined))} description={`${name}, right now.`}>
      <Now />
      <div className={classes['columns']}>
        <ClockedIn />
        <Drawers />
        <LatestPayouts />
        <NextSettlement />
      </div>
    </Frame>
  );
}

function Now() {
  const { currency, locations, timezoneOf } = useBusiness();
  const { data: clockedIn } = useClockedIn();
  const { data: shifts } = useLatestShifts();
  const { data: settlements } = useLatestSettlements();
  const active = usePeople().all.filter(({ status }) => status === 'ACTIVE').length;
  const open = shifts?.filter(({ state }) => state === 'OPEN');
  const cash = open?.reduce((sum, { expected_cash_money: money }) => add(sum, amount(money.amount)), ZERO);
  const [latest] = settlements ?? [];
  const soon = <Skeleton height={20} width={70} my={6} />;
  return (
    <Figures
      figures={[
        {
          name: 'Clocked in',
          value: clockedIn?.length ?? soon,
          note: active > 0 ? `of ${active} active employees` : undefined,
        },
        {
          name: 'Open drawers',
          value: open?.length ?? soon,
          note: `at ${locations.length} ${locations.length === 1 ? 'location' : 'locations'}`,
        },
        {
          name: 'Cash in open drawers',
          value: cash === undefined ? soon : <Money value={{ amount: cash, currency }} />,
          note: 'expected',
        },
        {
          name: 'Latest payout',
          value: latest ? <Money value={latest.total_money} /> : settlements ? 'None' : soon,
          note: latest && printTime(latest.initiated_at, 'date', timezoneOf(latest.location_id)),
        },
      ]}
    />
  );
}
