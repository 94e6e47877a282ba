/** Everything that people can download as a CSV file, or see as a table: where its sums are checked, or why it has none. A new one must be added here. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PLACES = ['dashboard', 'register', 'store', 'console'];

/** Tables with amounts or hours, and the title of the test in test/browser/ that adds them up. */
const ADDED_UP: Readonly<Record<string, string>> = {
  'dashboard/cash-drawers/cash-drawer.tsx': 'the Z report on the page of a drawer, and its CSV',
  'dashboard/cash-drawers/cash-drawers.tsx': 'the list of drawers, and its CSV',
  'dashboard/cash-drawers/outside.tsx': 'the list of cash in no drawer, its sums, and its CSV',
  'dashboard/orders/orders.tsx': 'the orders and the disputes, whose CSVs have the amounts of their sales',
  'dashboard/payouts/disputes.tsx': 'the orders and the disputes, whose CSVs have the amounts of their sales',
  'dashboard/payouts/payout.tsx': 'the settlements, each with its entries, and their CSVs',
  'dashboard/payouts/payouts.tsx': 'the settlements, each with its entries, and their CSVs',
  'dashboard/reports/report-table.tsx': 'a report by %s: each row, the total below them, and the CSV',
  'dashboard/sales/sales.tsx': 'the list of sales as CSV, and the page of each of its kinds',
  'dashboard/timecards/hours.tsx': 'the hours of a week, by employee and by day, and their CSVs',
  'dashboard/timecards/timecard-list.tsx': 'the hours of a week, by employee and by day, and their CSVs',
  'dashboard/timecards/week.tsx': 'the hours of a week, by employee and by day, and their CSVs',
};

const WITHOUT_SUMS: Readonly<Record<string, string>> = {
  'console/merchants/merchant.tsx': 'records of a merchant',
  'console/merchants/merchants.tsx': 'records',
  'dashboard/buyers/record-table.tsx': 'records of one buyer, from several sales',
  'dashboard/catalogue/items.tsx': 'prices, which nobody adds up',
  'dashboard/catalogue/part-table.tsx': 'categories, modifiers, discounts and taxes',
  'dashboard/developers/applications.tsx': 'records',
  'dashboard/developers/authorizations.tsx': 'records',
  'dashboard/developers/deliveries.tsx': 'records',
  'dashboard/developers/made-subscriptions.tsx': 'records',
  'dashboard/developers/publishable-keys.tsx': 'records',
  'dashboard/developers/subscriptions.tsx': 'records',
  'dashboard/developers/tokens.tsx': 'records',
  'dashboard/devices/devices.tsx': 'records',
  'dashboard/flagged/flagged.tsx': 'flags, each with the amount of its own sale',
  'dashboard/sales/uncaptured.tsx': 'payments that took no money, so they are in no sum',
  'dashboard/security/audit-log.tsx': 'records',
  'dashboard/security/security.tsx': 'records',
  'dashboard/team/employees.tsx': 'records',
  'dashboard/team/roles.tsx': 'records',
};

function tables(): string[] {
  return PLACES.flatMap((place) =>
    readdirSync(join('web', place), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.tsx'))
      .map((path) => `${place}/${path}`)
      .filter((path) => /<DataTable\b|\bdownloadCsv\(|<Table\b/.test(readFileSync(join('web', path), 'utf8'))),
  );
}

it('every table is added up by a test, or has a reason why it has no sums', () => {
  const known = { ...ADDED_UP, ...WITHOUT_SUMS };
  expect(tables().sort()).toEqual(Object.keys(known).sort());
  const titles = readdirSync('test/browser')
    .filter((name) => name.includes('figures'))
    .map((name) => readFileSync(join('test/browser', name), 'utf8'))
    .join('');
  for (const title of new Set(Object.values(ADDED_UP))) expect(titles).toContain(`'${title}'`);
});
