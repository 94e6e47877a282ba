/**
 * The two tiers of tests (decision 0245). `npm test` runs the first: what everybody runs all day. `npm run test:all` runs the second: tests
 * that start, kill or starve whole programs, that fill large tables, and all other browser tests.
 */
import { readdirSync } from 'node:fs';

export type Tier = 'first' | 'second';

/** The browser tests of the first tier. Together they open every page. */
const FIRST_IN_BROWSER = ['authorize', 'console', 'dashboard', 'docs', 'receipt', 'register', 'store'];

/** Written out, because `!(dashboard).test.ts` does not match `dashboard-sales.test.ts`: the runner compares only the beginning. */
const SECOND_IN_BROWSER = readdirSync('test/browser').filter(
  (file) => file.endsWith('.test.ts') && !FIRST_IN_BROWSER.includes(file.replace('.test.ts', '')),
);

const SECOND_TIER = [
  'test/{process,crash,outage,embedded,demo,laws}/**/*.test.ts',
  ...SECOND_IN_BROWSER.map((file) => `test/browser/${file}`),
  'test/*plans.test.ts',
  'test/{check,check-after-changes,backup,migrations-in-use}.test.ts',
];

const ALL = ['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'];

/** The test files of a tier, or of both, as the test runner wants them. */
export function filesOfTier(tier: Tier | undefined): { readonly include: string[]; readonly exclude: string[] } {
  if (tier === 'second') return { include: SECOND_TIER, exclude: [] };
  return { include: ALL, exclude: tier === 'first' ? SECOND_TIER : [] };
}

export function tierOf(name: string | undefined): Tier | undefined {
  if (name === undefined || name === 'first' || name === 'second') return name;
  throw new Error(`TILLHOUSE_TIER is ${name}; it can be first or second`);
}
