/** `tillhouse processor check`: checks an adapter of a processor, and prints what is wrong. */
import { type CommandFlag, processorSecretFromEnvironment, toAdapterAddress, UsageError } from '../base/config.js';
import { parseWholeNumber } from '../base/whole-number.js';
import type { CheckResult } from '../processor/adapter/checks.js';
import { command } from './declare.js';

const FLAGS = {
  approve: { value: 'SOURCE', fallback: 'cnon:card-nonce-ok', about: 'a source that the adapter approves' },
  decline: { value: 'SOURCE', fallback: 'cnon:card-nonce-declined', about: 'a source that the adapter declines' },
  currency: { value: 'CODE', fallback: 'USD', about: 'the currency of the charges' },
  amount: { value: 'NUMBER', fallback: '100', about: 'how much each check charges, in minor units' },
} as const satisfies Record<string, CommandFlag>;

export const processor = command({
  name: 'processor',
  summary: 'check an adapter against the contract of processors',
  usage: 'check URL [flags]',
  about:
    'Checks an adapter against the contract of processors, with charges at its processor: use test sources.\n' +
    'TILLHOUSE_PROCESSOR_SECRET must be the secret of the adapter.',
  flags: FLAGS,
  actions: { check: { is: 'URL of the adapter', like: 'URL' } },
  async run({ values, word: url }) {
    const { approve, decline, currency } = values;
    const amount = parseWholeNumber(values.amount, { min: 4, max: 9_999_999_999 });
    if (amount === undefined) {
      throw new UsageError(`--amount must be a whole number of minor units, at least 4, not '${values.amount}'.`);
    }
    const { checkAdapter } = await import('../processor/adapter/checks.js');
    const results = await checkAdapter(
      {
        ...toAdapterAddress(url, processorSecretFromEnvironment(), 'The URL of the adapter'),
        approvedSource: approve,
        declinedSource: decline,
        currency,
        amount,
      },
      (result) => console.log(describe(result)),
    );
    const failures = results.filter(({ error }) => error !== undefined);
    if (failures.length > 0) throw new Error(`${failures.length} of ${results.length} checks failed.`);
    const omitted = results.filter((each) => each.omitted !== undefined);
    if (omitted.length === 0) console.log(`All ${results.length} checks passed.`);
    else console.log(`${results.length - omitted.length} checks passed, ${omitted.length} were left out.`);
  },
});

function describe({ name, error, omitted }: CheckResult): string {
  if (error !== undefined) return `WRONG   ${name}\n        ${error}`;
  return omitted === undefined ? `ok      ${name}` : `left out ${name}\n        ${omitted}`;
}
