/** `tillhouse clock get|set|advance|freeze|run`: tells a merchant's time, and moves it (decision 0040). */
import {
  DATA_FLAGS,
  type ParsedArguments,
  parseArguments,
  rejectExtraArguments,
  toDataDir,
  UsageError,
} from '../base/config.js';
import { actionOf, type Command, OUTPUT_FLAG, printHelp } from './command.js';
import { findRunningSandbox, merchantOf, renameFieldsInError } from './running-server.js';

const FLAGS = {
  merchant: { value: 'ID', fallback: '', about: 'whose clock; absent: the demo merchant' },
  output: OUTPUT_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

/** What each action sends; undefined only reads. */
const CHANGES = {
  get: () => undefined,
  set: (call: ParsedArguments<unknown>) => ({ now: wordOf(call, 'clock set 2027-01-01T00:00:00Z') }),
  advance: (call: ParsedArguments<unknown>) => ({ advance: wordOf(call, 'clock advance P61D') }),
  freeze: () => ({ frozen: true }),
  run: () => ({ frozen: false }),
};

export const clock: Command = {
  name: 'clock',
  summary: "tell a merchant's time, and move it",
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) {
      return printHelp(
        'clock get | set TIME | advance DURATION | freeze | run [flags]',
        "Tells a merchant's time, and moves it with all that falls due on the way.",
        FLAGS,
      );
    }
    const action = actionOf(call, ['get', 'set', 'advance', 'freeze', 'run']);
    rejectExtraArguments(call, action === 'set' || action === 'advance' ? 2 : 1);
    const change = CHANGES[action](call);
    const server = await findRunningSandbox(toDataDir(call.values));
    const path = `merchants/${encodeURIComponent(merchantOf(server, call.values.merchant))}/clock`;
    const { clock: shown } = await renameFieldsInError(
      { now: 'TIME', advance: 'DURATION' },
      server.call<{ clock: { now: string; frozen: boolean } }>(change ? 'POST' : 'GET', path, change),
    );
    if (call.values.output === 'json') console.log(JSON.stringify(shown, null, 2));
    else console.log(shown.frozen ? `${shown.now} frozen` : shown.now);
  },
};

function wordOf({ words: [, word] }: ParsedArguments<unknown>, example: string): string {
  if (word === undefined) throw new UsageError(`Say to where, as in: tillhouse ${example}`);
  return word;
}
