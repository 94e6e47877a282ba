/** Refuses wrong names at run time, for tests without types: a misspelt option would have no effect, and nobody would notice. */
import { nearestNames } from '../base/nearest.js';

/** All options of a type: a new one has to be added here. */
export type Known<Options> = Readonly<Record<keyof Options, true>>;

/** Throws if there is an option that is not known. `where` names the call, for example `createMerchant`. */
export function checkOptions<Options extends object>(where: string, options: Options, known: Known<Options>): void {
  const names = Object.keys(known);
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(known, name)) {
      throw new TypeError(`${where} has no option '${name}'. ${meant(name, names)}It has ${names.join(', ')}.`);
    }
  }
}

/** Throws if the name is not one of those that are known. `what` is what it names, for example `operation`. */
export function checkName(what: string, name: string | undefined, known: readonly string[]): void {
  if (name === undefined || known.includes(name)) return;
  const suggestion = meant(name, known) || `Examples: ${known.slice(0, 3).join(', ')}. `;
  throw new TypeError(`There is no ${what} '${name}'. ${suggestion}`.trimEnd());
}

function meant(name: string, known: readonly string[]): string {
  const [best, ...others] = nearestNames(name, known);
  if (best === undefined) return '';
  return `Did you mean ${[best, ...others].map((each) => `'${each}'`).join(' or ')}? `;
}
