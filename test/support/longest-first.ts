/** Begins with the files that take longest, so that no worker is left alone with one of them at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These mostly wait, for silent processors and for databases that come back: they take turns with files that work. */
const WAITING = ['test/crash/', 'test/outage/', 'test/embedded/'];

/** Longest first; whatever is not named comes after them, the largest files in front. */
const WORKING = [
  'test/process/',
  'test/contract/',
  'test/demo/',
  'test/check.test.ts',
  'test/migrations.test.ts',
  'test/concurrency/',
  'test/laws/',
  'test/browser/',
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
