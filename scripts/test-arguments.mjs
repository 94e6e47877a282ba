/** The arguments of the test commands: names of files and options of the test runner, and one option of our own. */

/** Runs each file that fails once more (`rerun-failed.mjs`). */
export const RERUN_FAILED = '--rerun-failed';

/** Whether an argument names test files. A word without a slash after an option is the value of that option. */
export function isFileName(word, index, words) {
  if (word.startsWith('-')) return false;
  return word.includes('/') || !words[index - 1]?.startsWith('-');
}
