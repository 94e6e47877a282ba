/** The arguments of the test commands: names of files and options of the test runner, and one option of our own. */

/** Runs each file that fails once more (`rerun-failed.mjs`). */
export const RERUN_FAILED = '--rerun-failed';

/** Whether an argument names test files. A word without a slash after an option is the value of that option. */
export function isFileName(word, index, words) {
  if (word.startsWith('-')) return false;
  return word.includes('/') || !words[index - 1]?.startsWith('-');
}

/** Removes an option and its number from the arguments, and returns the number as text. */
export function takeNumber(words, option) {
  const at = words.indexOf(option);
  if (at === -1) return undefined;
  const [, number] = words.splice(at, 2);
  if (/^[1-9]\d{0,8}$/.test(number ?? '')) return number;
  console.error(`${option} needs a whole number, such as ${option} 1000`);
  process.exit(2);
}
