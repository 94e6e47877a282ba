/** Long runs of rounds: the seed decides each round, and an interrupted run continues where it stopped. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { type Counts, playRounds, type Round } from './rounds/rounds.js';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Plays a run that fails once in a round, and again from there. Returns the numbers that its rounds drew. */
async function playInterrupted(
  name: string,
  failsIn: number,
): Promise<{ played: number[]; drawn: number[]; counts: Counts }> {
  const [played, drawn]: [number[], number[]] = [[], []];
  let isBroken = true;
  const play = async ({ number, draw }: Round): Promise<Counts> => {
    played.push(number);
    const value = draw(fc.nat(1e9));
    if (isBroken && number === failsIn) throw new Error('lost');
    drawn.push(value);
    return { acts: 2 };
  };
  const failed = await playRounds({ name, usual: 1, play }).catch((error: Error) => error.message);
  expect(failed).toBe(`${name} failed in round ${failsIn} of seed 7`);
  isBroken = false;
  const { counts } = await playRounds({ name, usual: 1, play });
  return { played, drawn, counts };
}

it('continues with the round that failed, adds up all counts, and draws the same for the same seed', async () => {
  vi.stubEnv('TILLHOUSE_ROUNDS', '5');
  vi.stubEnv('TILLHOUSE_SEED', '7');
  const one = await playInterrupted(`test-${randomUUID()}`, 3);
  expect(one.played).toEqual([1, 2, 3, 3, 4, 5]);
  expect(one.counts).toEqual({ acts: 10 });
  expect(new Set(one.drawn).size).toBe(5);
  const other = await playInterrupted(`test-${randomUUID()}`, 2);
  expect(other.drawn).toEqual(one.drawn);
});

it('plays the usual number of rounds, and starts from the first one, unless a number was given', async () => {
  const played: number[] = [];
  const run = { name: `test-${randomUUID()}`, usual: 2 };
  const play = async ({ number }: Round): Promise<Counts> => {
    played.push(number);
    return {};
  };
  await playRounds({ ...run, play });
  await playRounds({ ...run, play });
  expect(played).toEqual([1, 2, 1, 2]);
});
