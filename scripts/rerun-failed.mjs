/**
 * Runs the test runner; then each file that failed runs once more, alone. What passes then is reported as unstable and does not fail the
 * run: a race that shows once in a busy hour must be seen, but must not cost a day's work.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './prepare.mjs';
import { isFileName } from './test-arguments.mjs';

/** More failed files than this are no coincidence. */
const MAX_FILES = 10;

process.exit(await runAndRerun(process.argv.slice(2)));

async function runAndRerun(args) {
  const first = await runWithReport(args);
  const { failedFiles, errorOutsideFiles } = first.report;
  if (failedFiles.length > MAX_FILES) console.log(`\n${failedFiles.length} files failed: too many to run them again.`);
  if (errorOutsideFiles !== undefined) console.log(`\nAn error outside of all test files:\n${errorOutsideFiles}`);
  if (failedFiles.length > MAX_FILES || errorOutsideFiles !== undefined) return first.code || 1;

  const totals = { passed: first.report.passed, failed: 0, skipped: first.report.skipped };
  for (const { file, firstFailure } of failedFiles) {
    console.log(`\n${file} failed. It runs once more, alone.`);
    const { code, report } = await runWithReport([...args.filter(isOption), '--maxWorkers=1', file]);
    if (code === 0) console.log(`UNSTABLE ${file}: it passed alone. Its first failure was:\n${indented(firstFailure)}`);
    totals.passed += report.passed + sum(report.failedFiles, 'passed');
    totals.failed += code === 0 ? 0 : Math.max(1, sum(report.failedFiles, 'failed'));
    totals.skipped += report.skipped + sum(report.failedFiles, 'skipped');
  }
  console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  return failedFiles.length === 0 ? first.code : Math.min(totals.failed, 1);
}

/** Runs the test runner, and returns what it says about the files that failed. */
async function runWithReport(args) {
  const folder = mkdtempSync(join(tmpdir(), 'report-'));
  const path = join(folder, 'failed-files.json');
  const code = await runVitest(args, { TILLHOUSE_FAILED_FILES: path });
  const report = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : { passed: 0, skipped: 0, failedFiles: [], errorOutsideFiles: 'The test runner ended without a report.' };
  rmSync(folder, { recursive: true });
  return { code, report };
}

async function runVitest(args, env) {
  // Without the folder of the whole run, each test runner opens one of its own: a second one would find the PostgreSQL of the first.
  const { TILLHOUSE_TEST_FOLDER: _, ...inherited } = process.env;
  const runner = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
    stdio: 'inherit',
    env: { ...inherited, ...env },
  });
  const [code] = await once(runner, 'exit');
  return code ?? 1; // a signal has ended it
}

function isOption(word, index, words) {
  return !isFileName(word, index, words);
}

function sum(files, field) {
  return files.reduce((total, file) => total + file[field], 0);
}

function indented(text) {
  return text.replaceAll(/^/gm, '    ');
}
