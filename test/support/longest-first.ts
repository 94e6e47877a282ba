/** Begins with the files that take longest, so that no worker is left alone with one of them at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Longest first; whatever is not named comes after them, the largest files in front. */
const LONGEST = [
  'test/process/',
  'test/crash/',
  'test/outage/',
  'test/demo/',
  'test/check.test.ts',
  'test/migrations.test.ts',
  'test/embedded/',
  'test/contract/',
  'test/concurrency/',
  'test/laws/',
  'test/browser/',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONGEST.findIndex((part) => moduleId.includes(part));
      return found < 0 ? LONGEST.length : found;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
