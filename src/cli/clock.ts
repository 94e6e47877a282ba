/** `tillhouse clock get|set|advance|freeze|run`: shows and moves a merchant's clock (decision 0040). */
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
  merchant: {
    value: 'ID',
    fallback: '',
    about: 'the merchant whose clock is shown or moved; default: the demo merchant',
  },
  output: OUTPUT_FLAG,
  'data-dir': DATA_FLAGS['data-dir'],
} as const;

/** The request body of each action; without one the clock is only read. */
const CHANGES = {
  get: () => undefined,
  set: (call: ParsedArguments<unknown>) => ({ now: argumentOf(call, 'clock set 2027-01-01T00:00:00Z') }),
  advance: (call: ParsedArguments<unknown>) => ({ advance: argumentOf(call, 'clock advance P61D') }),
  freeze: () => ({ frozen: true }),
  run: () => ({ frozen: false }),
};

export const clock: Command = {
  name: 'clock',
  summary: "show and move a merchant's clock",
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) {
      return printHelp(
        'clock get | set TIME | advance DURATION | freeze | run [flags]',
        "Shows or moves a merchant's clock. Moving it runs the work that falls due.",
        FLAGS,
      );
    }
    const action = actionOf(call, ['get', 'set', 'advance', 'freeze', 'run']);
    rejectExtraArguments(call, action === 'set' || action === 'advance' ? 2 : 1);
    const change = CHANGES[action](call);
    const server = await findRunningSandbox(toDataDir(call.values));
    const path = `merchants/${encodeURIComponent(merchantOf(server, call.values.merchant))}/clock`;
    const { clock: current } = await renameFieldsInError(
      { now: 'TIME', advance: 'DURATION' },
      server.call<{ clock: { now: string; frozen: boolean } }>(change ? 'POST' : 'GET', path, change),
    );
    if (call.values.output === 'json') console.log(JSON.stringify(current, null, 2));
    else console.log(current.frozen ? `${current.now} frozen` : current.now);
  },
};

function argumentOf({ words: [, word] }: ParsedArguments<unknown>, example: string): string {
  if (word === undefined) throw new UsageError(`An argument is missing, as in: tillhouse ${example}`);
  return word;
}
