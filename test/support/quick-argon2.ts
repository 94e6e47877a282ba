/**
 * Stands in for argon2 in servers that run inside the test process, with the lowest cost: full hashes took most of the CPU time of tests
 * that sign people in. Programs that tests start use the real one.
 */
import { createRequire } from 'node:module';

const argon2: typeof import('@node-rs/argon2') = createRequire(import.meta.url)('@node-rs/argon2');

const LOWEST = { memoryCost: 8, timeCost: 1 };

type Options = NonNullable<Parameters<typeof argon2.hash>[1]>;

/** The cost that the program requests. */
let cost: Options = {};
let fullHashes = 0;

export async function hash(password: string, options: Options): Promise<string> {
  cost = options;
  return argon2.hash(password, fullHashes > 0 ? options : { ...options, ...LOWEST });
}

export async function verify(stored: string, password: string, options?: Options): Promise<boolean> {
  if (fullHashes > 0) await argon2.hash(password, cost); // the stored hash may be a quick one
  return argon2.verify(stored, password, options);
}

/** For tests of races and queues, which need hashes that take their time, and of the hashes themselves. */
export async function withFullHashes<Result>(work: () => Promise<Result>): Promise<Result> {
  fullHashes++;
  try {
    return await work();
  } finally {
    fullHashes--;
  }
}
