/** `tillhouse clock get|set|advance|freeze|run`: shows and moves a merchant's clock (decision 0040). */
import { DATA_FLAGS } from '../base/config.js';
import { OUTPUT_FLAG } from './command.js';
import { command } from './declare.js';
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
  set: (word: string) => ({ now: word }),
  advance: (word: string) => ({ advance: word }),
  freeze: () => ({ frozen: true }),
  run: () => ({ frozen: false }),
};

export const clock = command({
  name: 'clock',
  summary: "show and move a merchant's clock",
  usage: 'get | set TIME | advance DURATION | freeze | run [flags]',
  about: "Shows or moves a merchant's clock. Moving it runs the work that falls due.",
  flags: FLAGS,
  actions: {
    get: undefined,
    set: { is: 'time', like: '2027-01-01T00:00:00Z' },
    advance: { is: 'duration', like: 'P61D' },
    freeze: undefined,
    run: undefined,
  },
  async run({ values, action, word }) {
    const change = CHANGES[action](word);
    const server = await findRunningSandbox(values);
    const path = `merchants/${encodeURIComponent(merchantOf(server, values.merchant))}/clock`;
    const { clock: current } = await renameFieldsInError(
      { now: 'TIME', advance: 'DURATION' },
      server.call<{ clock: { now: string; frozen: boolean } }>(change ? 'POST' : 'GET', path, change),
    );
    if (values.output === 'json') console.log(JSON.stringify(current, null, 2));
    else console.log(current.frozen ? `${current.now} frozen` : current.now);
  },
});
