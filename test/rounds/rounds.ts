/**
 * Long runs of seeded rounds (decision 0246): kills, outages, random requests, random histories. A run counts what it did. After an
 * interruption or a failure the same command goes on with the round in which it stopped.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';

/** Not in the folder of the test run, which is removed with it. */
const STATES = fileURLToPath(new URL('../../node_modules/.cache/tillhouse/rounds/', import.meta.url));
const DEFAULT_SEED = 20_200_226;
const REPORTED_EVERY_MS = 60_000;

export type Counts = Readonly<Record<string, number>>;

export interface Round {
  readonly number: number;
  /** The same for the same run and number. */
  readonly seed: number;
  /** A random value, decided by the seed of the round. */
  draw<Value>(values: fc.Arbitrary<Value>): Value;
}

export interface Run {
  readonly name: string;
  /** The number of rounds without `--rounds`. */
  readonly usual: number;
  play(round: Round): Promise<Counts>;
}

/** What is kept between the parts of a run. */
interface State {
  readonly seed: number;
  readonly done: number;
  readonly seconds: number;
  readonly counts: Counts;
}

export async function playRounds({ name, usual, play }: Run): Promise<State> {
  const wanted = numberIn('TILLHOUSE_ROUNDS');
  const seed = numberIn('TILLHOUSE_SEED');
  const path = wanted === undefined ? undefined : join(STATES, `${name}.json`);
  const goal = wanted ?? usual;
  let state = unfinished(path, seed, goal) ?? { seed: seed ?? DEFAULT_SEED, done: 0, seconds: 0, counts: {} };
  if (state.done > 0) report(name, goal, state, 'goes on after');
  let reportedAt = performance.now();
  while (state.done < goal) {
    const since = performance.now();
    const round = roundOf(state.seed, state.done + 1);
    const counts = await play(round).catch((error: unknown) => {
      throw new Error(`${name} failed in round ${round.number} of seed ${state.seed}`, { cause: error });
    });
    const seconds = state.seconds + (performance.now() - since) / 1000;
    state = { ...state, done: round.number, seconds, counts: added(state.counts, counts) };
    if (path !== undefined) save(path, state);
    if (performance.now() - reportedAt < REPORTED_EVERY_MS) continue;
    report(name, goal, state, 'has played');
    reportedAt = performance.now();
  }
  report(name, goal, state, 'has finished');
  if (path !== undefined) rmSync(path, { force: true });
  return state;
}

function roundOf(seed: number, number: number): Round {
  const own = (seed * 1_000_003 + number * 7919) % 2 ** 31;
  let drawn = 0;
  return {
    number,
    seed: own,
    draw(values) {
      drawn += 1;
      const [value] = fc.sample(values, { seed: own + drawn, numRuns: 1 });
      return value as never;
    },
  };
}

/** The state of a run with this seed that has not reached its goal. */
function unfinished(path: string | undefined, seed: number | undefined, goal: number): State | undefined {
  if (path === undefined) return undefined;
  try {
    const state = JSON.parse(readFileSync(path, 'utf8')) as State;
    return state.done < goal && (seed === undefined || seed === state.seed) ? state : undefined;
  } catch {
    return undefined; // none, or cut off in the middle
  }
}

function save(path: string, state: State): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(state));
}

function added(one: Counts, other: Counts): Counts {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((each) => [each, (one[each] ?? 0) + (other[each] ?? 0)]));
}

/** The test runner shows the output of a test only when the test has ended, so this goes around it. */
function report(name: string, goal: number, { seed, done, seconds, counts }: State, what: string): void {
  const told = Object.entries(counts).map(([each, count]) => `${count.toLocaleString('en')} ${each}`);
  const rounds = `${done.toLocaleString('en')} of ${goal.toLocaleString('en')} rounds`;
  process.stderr.write(
    `${[`${name} ${what} ${rounds} (seed ${seed}, ${Math.round(seconds)} s)`, ...told].join(', ')}\n`,
  );
}

function numberIn(variable: string): number | undefined {
  const text = process.env[variable];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${variable} is ${text}; it must be a whole number from 1`);
  return Number(text);
}
