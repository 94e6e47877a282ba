/** The whole number after `--NAME`, or `otherwise` without it. */
export function wholeNumber(args, name, otherwise, { least = 1 } = {}) {
  const at = args.indexOf(`--${name}`);
  const number = at < 0 ? otherwise : Number(args[at + 1]);
  if (!Number.isInteger(number) || number < least) {
    throw new Error(`--${name} must be a whole number of at least ${least}.`);
  }
  return number;
}
