/**
 * The two tiers of tests (decision 0245). `npm test` runs the first: what everybody runs all day. `npm run test:all` runs the second: tests
 * that start, kill or starve whole programs, that fill large tables, and all other browser tests.
 */

export type Tier = 'first' | 'second';

/** The browser tests of the first tier. Together they open every page. */
const FIRST_IN_BROWSER = ['authorize', 'console', 'dashboard', 'docs', 'receipt', 'register', 'store'];

const SECOND_TIER = [
  'test/{process,crash,outage,embedded,demo,laws}/**/*.test.ts',
  `test/browser/!(${FIRST_IN_BROWSER.join('|')}).test.ts`,
  'test/*plans.test.ts',
  'test/{check,backup}.test.ts',
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
