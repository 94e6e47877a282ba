/** Writes down which test files failed and why, so that `scripts/rerun-failed.mjs` can run them again. */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

export interface TestReport {
  readonly passed: number;
  readonly skipped: number;
  readonly failedFiles: readonly FailedFile[];
  /** An error although no file failed: running files again cannot help. */
  readonly errorOutsideFiles: string | undefined;
}

export interface FailedFile {
  /** Relative to the folder of the project. */
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly firstFailure: string;
}

export class FailedFiles implements Reporter {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const failed = modules.filter((each) => hasFailed(each) || errorsIn(each, errors).length > 0);
    const good = modules.filter((each) => !failed.includes(each));
    const outside = failed.length > 0 ? undefined : errors[0]; // the death of a worker names no file, but leaves one without a result
    const report: TestReport = {
      passed: count(good, 'passed'),
      skipped: count(good, 'skipped'),
      failedFiles: failed.map((each) => ({
        file: relative(each.project.config.root, each.moduleId),
        passed: count([each], 'passed'),
        failed: count([each], 'failed'),
        skipped: count([each], 'skipped'),
        firstFailure: firstFailure(each, errors),
      })),
      errorOutsideFiles: outside && textOf(outside),
    };
    writeFileSync(this.#path, JSON.stringify(report));
  }
}

/** Also if it never ran, because the worker process died before. */
function hasFailed(module: TestModule): boolean {
  return !['passed', 'skipped'].includes(module.state());
}

/** Errors that no test caught, such as a rejected promise that nobody awaited. */
function errorsIn(module: TestModule, errors: readonly SerializedError[]): readonly SerializedError[] {
  return errors.filter((error) => error['VITEST_TEST_PATH'] === module.moduleId);
}

function count(modules: readonly TestModule[], state: 'passed' | 'failed' | 'skipped'): number {
  return modules.reduce((sum, each) => sum + [...each.children.allTests(state)].length, 0);
}

function firstFailure(module: TestModule, errors: readonly SerializedError[]): string {
  for (const test of module.children.allTests('failed'))
    return `${test.fullName}\n${test.result().errors?.map(textOf).join('\n')}`;
  const error = module.errors()[0] ?? errorsIn(module, errors)[0];
  return error === undefined ? 'The file did not run to its end.' : textOf(error);
}

function textOf({ message, stack }: Pick<SerializedError, 'message' | 'stack'>): string {
  return stack?.includes(message) ? stack : `${message}\n${stack ?? ''}`;
}
