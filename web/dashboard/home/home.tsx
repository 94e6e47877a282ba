/** What happens today: sales against last week, the latest ones, who is clocked in, the drawers, what was paid out. */
import { printSeconds } from '../../../src/base/time.js';
import { Page as Frame } from '../../ui/page.js';
import { printTime } from '../../ui/time.js';
import { useBusiness } from '../business.js';
import { FlaggedNotice } from '../flagged/flagged-notice.js';
import { ByLocation } from './by-location.js';
import { ClockedIn } from './clocked-in.js';
import { Drawers } from './drawers.js';
import classes from './home.module.css';
import { LatestPayouts } from './latest-payouts.js';
import { LatestSales } from './latest-sales.js';
import { NextSettlement } from './next-settlement.js';
import { Today } from './today.js';

export function Page() {
  const { name, now, timezoneOf } = useBusiness();
  return (
    <Frame title={printTime(printSeconds(now()), 'day', timezoneOf(undefined))} description={`${name}, right now.`}>
      <FlaggedNotice />
      <Today />
      <div className={classes['columns']}>
        <LatestSales />
        <ByLocation />
        <ClockedIn />
        <Drawers />
        <LatestPayouts />
        <NextSettlement />
      </div>
    </Frame>
  );
}
