/** `tillhouse replay FIXTURE`: checks that this server still answers as a recording says, and prints the differences (decision 0268). */
import { DATA_FLAGS, REPEATED_SEPARATOR, UsageError } from '../base/config.js';
import type { Difference } from '../recording/differences.js';
import { type Fixture, readFixture } from '../recording/fixture.js';
import { needsOf } from '../recording/needs.js';
import { type ReplayTarget, type Result, replay as replayAll } from '../recording/replay.js';
import { openReplayMerchant } from '../recording/replay-merchant.js';
import type { Json } from '../sandbox/stub-definition.js';
import { callServer } from '../sandbox-client.js';
import { OUTPUT_FLAG } from './command.js';
import { type Call, command } from './declare.js';
import { toHttpAddress } from './http-address.js';
import { findRunningSandbox } from './running-server.js';

const FLAGS = {
  target: {
    value: 'URL',
    fallback: '',
    about: 'another server to check, with --token; default: the sandbox that runs on the data folder',
  },
  token: {
    environment: 'TILLHOUSE_ACCESS_TOKEN',
    value: 'TOKEN',
    fallback: '',
    about: 'an access token of the merchant to use; default: a new merchant of the sandbox',
  },
  map: {
    value: 'RECORDED=ID',
    fallback: '',
    isRepeated: true,
    about: 'an id of the recording, and the id of the record that stands for it',
  },
  output: OUTPUT_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

type ReplayCall = Call<typeof FLAGS>;

export const replay = command({
  name: 'replay',
  summary: 'check that the server answers as a recording says',
  usage: 'FIXTURE [flags]',
  about:
    'Sends the requests of a recording to the server, and prints how its responses differ. FIXTURE is a file, or the folder\n' +
    'of a recording. Ids, times and tokens are matched by their places. The exit status is 1 if there are differences.',
  flags: FLAGS,
  word: { is: 'fixture', like: 'recording' },
  async run(call) {
    const fixture = await readFixture(call.word);
    const target = await chooseTarget(call, fixture);
    const results: Result[] = [];
    for await (const result of replayAll(fixture, target)) {
      results.push(result);
      if (call.values.output === 'text' && result.outcome !== 'same') console.log(linesOf(result));
    }
    const count = (outcome: Result['outcome']) => results.filter((each) => each.outcome === outcome).length;
    const sums = { same: count('same'), different: count('different'), skipped: count('skipped') };
    if (call.values.output === 'json') console.log(JSON.stringify({ ...sums, results }, null, 2));
    else {
      const others = [`${sums.different} differently`, ...(sums.skipped > 0 ? [`${sums.skipped} left out`] : [])];
      console.log(`${sums.same} of ${results.length} requests are answered as recorded, ${others.join(', ')}.`);
    }
    if (sums.different > 0 || sums.same === 0) process.exitCode = 1;
  },
});

async function chooseTarget({ values }: ReplayCall, fixture: Fixture): Promise<ReplayTarget> {
  const { target, token } = values;
  const mapped = readMap(values.map);
  if (target !== '') {
    if (token === '') throw new UsageError('--token is required with --target.');
    const url = toHttpAddress(target, '--target').replace(/\/+$/, '');
    return toExisting(fixture, { url, token, operatorKey: undefined, mapped });
  }
  const sandbox = await findRunningSandbox(values);
  const { url, call } = sandbox;
  const operatorKey = await sandbox.operatorKey();
  if (token !== '') return toExisting(fixture, { url, token, operatorKey, mapped });
  const created = await openReplayMerchant({ url, operatorKey, call }, fixture);
  return { ...created, same: new Map([...created.same, ...mapped]) };
}

function readMap(given: string): ReadonlyMap<string, string> {
  const pairs = given === '' ? [] : given.split(REPEATED_SEPARATOR);
  return new Map(
    pairs.map((pair) => {
      const [recorded = '', now = '', extra] = pair.split('=');
      if (recorded === '' || now === '' || extra !== undefined) {
        throw new UsageError(`--map must be RECORDED=ID, not '${pair}'.`);
      }
      return [recorded, now] as const;
    }),
  );
}

interface Existing extends Pick<ReplayTarget, 'url' | 'token' | 'operatorKey'> {
  readonly mapped: ReadonlyMap<string, string>;
}

/** A merchant with records. Its locations stand for those of the recording, in their order. */
async function toExisting(fixture: Fixture, { mapped, ...server }: Existing): Promise<ReplayTarget> {
  const needed = needsOf(fixture).locations;
  const list = { url: server.url, method: 'GET', path: '/v2/locations', token: server.token } as const;
  const { locations } =
    needed.length === 0 ? { locations: [] } : await callServer<{ locations: readonly { id: string }[] }>(list);
  const pairs = needed.flatMap(({ id }, index) => {
    const now = locations[index]?.id;
    return now === undefined ? [] : [[id, now] as const];
  });
  return { ...server, same: new Map([...pairs, ...mapped]), isUsed: true, waitFor: undefined };
}

function linesOf(result: Result): string {
  const title = `${result.number}  ${result.method} ${result.path}`;
  if (result.outcome === 'skipped') return `${title}\n     left out: ${result.reason}`;
  const differences = result.outcome === 'different' ? result.differences : [];
  return [title, ...differences.map(lineOf)].join('\n');
}

function lineOf({ place, recorded, now }: Difference): string {
  if (recorded === undefined) return `     ${place}: new, ${print(now)}`;
  if (now === undefined) return `     ${place}: recorded ${print(recorded)}, now absent`;
  return `     ${place}: recorded ${print(recorded)}, now ${print(now)}`;
}

/** Enough to find it. */
const MAX_PRINTED = 300;

function print(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_PRINTED ? `${text.slice(0, MAX_PRINTED)}...` : text;
}
