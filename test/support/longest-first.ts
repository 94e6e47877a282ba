/**
 * Starts the slowest files first, so that no worker runs one of them alone at the end. Files that mostly wait are spread over the whole run:
 * beside one of them, two others have a core each. Several files at a time on one core take a tenth more CPU time.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These files wait for more than half of their time: for silent processors, for databases that recover, for time to pass. */
const WAITING = [
  'test/crash/',
  'test/outage/',
  'test/embedded/',
  'test/process/guides.test.ts',
  'test/process/merchant-processors.test.ts',
  'test/process/processor-check.test.ts',
  'test/api/worker/agenda.test.ts',
  'test/api/api/change-stream.test.ts',
  'test/api/api/limits.test.ts',
  'test/api/server/production-mode.test.ts',
  'test/api/processor/stripe-emulate.test.ts',
  'test/api/events/delivery.test.ts',
];

/** About how long files take in a whole run, the more specific path first. */
const SECONDS: readonly (readonly [part: string, seconds: number])[] = [
  ['test/outage/own.test.ts', 70],
  ['test/process/guides.test.ts', 40],
  ['test/crash/silence.test.ts', 40],
  ['test/crash/silent-neighbours.test.ts', 30],
  ['test/crash/', 30],
  ['test/embedded/', 30],
  ['test/outage/embedded.test.ts', 40],
  ['test/outage/', 10],
  ['test/process/package.test.ts', 60],
  ['test/browser/dashboard.test.ts', 40],
  ['test/browser/register-offline.test.ts', 35],
  ['test/browser/register-day.test.ts', 30],
  ['test/browser/console-journeys.test.ts', 40],
  ['test/laws/', 20],
  ['test/api/processor/stripe-emulate.test.ts', 30],
  ['test/api/events/delivery.test.ts', 30],
  ['test/api/api/limits.test.ts', 30],
  ['test/process/merchant-processors.test.ts', 30],
  ['test/api/worker/agenda.test.ts', 15],
  ['test/api/api/change-stream.test.ts', 15],
  ['test/api/server/production-mode.test.ts', 15],
  ['test/process/processes.test.ts', 40],
  ['test/process/stopping.test.ts', 30],
  ['test/demo/history.test.ts', 30],
  ['test/browser/', 20],
  ['test/process/', 15],
  ['test/concurrency/', 10],
  ['test/contract/', 10],
  ['test/demo/', 15],
  ['test/check.test.ts', 15],
  ['plans.test.ts', 15], // they fill large tables first
  ['test/migrations.test.ts', 10],
  ['test/docs/', 10],
  ['test/register/', 10],
  ['src/identity/credential-cache.test.ts', 10],
  ['test/', 5],
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files); // the largest first
    return [sorted.filter(mostlyWaits), sorted.filter((each) => !mostlyWaits(each))]
      .flatMap(spread)
      .toSorted((one, other) => one.place - other.place)
      .map(({ file }) => file);
  }
}

/** The files, the slowest first, each with the share of their time that has passed before it. */
function spread(files: readonly TestSpecification[]): { file: TestSpecification; place: number }[] {
  const total = files.reduce((sum, file) => sum + secondsOf(file), 0);
  let passed = 0;
  return files
    .toSorted((one, other) => secondsOf(other) - secondsOf(one))
    .map((file) => {
      const place = passed / total;
      passed += secondsOf(file);
      return { file, place };
    });
}

function mostlyWaits({ moduleId }: TestSpecification): boolean {
  return WAITING.some((part) => moduleId.includes(part));
}

function secondsOf({ moduleId }: TestSpecification): number {
  return SECONDS.find(([part]) => moduleId.includes(part))?.[1] ?? 0.1;
}
