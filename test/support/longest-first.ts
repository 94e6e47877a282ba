/** Starts the slowest files first, so that no worker runs one of them alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These files mostly wait, for silent processors and for databases that recover, so they alternate with files that use the CPU. */
const WAITING = ['test/crash/', 'test/outage/', 'test/embedded/'];

/** Slowest first: some files, then folders. Files that are not listed follow, the largest first. */
const WORKING = [
  'test/process/package.test.ts',
  'test/browser/register-offline.test.ts',
  'test/process/guides.test.ts',
  'test/browser/register-extras.test.ts',
  'test/browser/register.test.ts',
  'test/laws/payments.test.ts',
  'test/process/commands.test.ts',
  'test/browser/dashboard',
  'test/contract/page-tokens.test.ts',
  'test/key-plans.test.ts', // it fills large tables first
  'test/docs/examples.test.ts',
  'test/process/stopping.test.ts',
  'test/browser/console-journeys.test.ts',
  'test/process/',
  'test/contract/',
  'test/browser/',
  'test/demo/',
  'test/check.test.ts',
  'test/migrations.test.ts',
  'test/concurrency/',
  'test/laws/',
  'plans.test.ts', // they fill large tables first
  'test/register/',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const waiting = inOrderOf(WAITING, sorted).filter((each) => rank(WAITING, each) < WAITING.length);
    const working = inOrderOf(WORKING, sorted).filter((each) => !waiting.includes(each));
    return working
      .flatMap((each, turn) => [...waiting.slice(turn, turn + 1), each])
      .concat(waiting.slice(working.length));
  }
}

function inOrderOf(parts: readonly string[], files: readonly TestSpecification[]): TestSpecification[] {
  return files.toSorted((one, other) => rank(parts, one) - rank(parts, other));
}

function rank(parts: readonly string[], { moduleId }: TestSpecification): number {
  const found = parts.findIndex((part) => moduleId.includes(part));
  return found < 0 ? parts.length : found;
}
