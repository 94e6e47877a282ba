/** `tillhouse owner reset-password EMAIL`: sets a new password for an owner who has lost it. */
import { text } from 'node:stream/consumers';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../access/dashboard/new-password.js';
import { resetPassword } from '../access/dashboard/sessions.js';
import { DATA_FLAGS, UsageError } from '../base/config.js';
import { newSecret } from '../base/ids.js';
import { withDatabase } from './command.js';
import { command } from './declare.js';

const FLAGS = {
  'password-stdin': {
    value: '',
    fallback: '',
    isSwitch: true,
    about: 'read the new password from standard input; default: a password is generated and printed',
  },
  ...DATA_FLAGS,
} as const;

export const owner = command({
  name: 'owner',
  summary: "reset an owner's password",
  usage: 'reset-password EMAIL [flags]',
  about: 'Sets a new password for an owner and ends all sessions of that owner.',
  flags: FLAGS,
  actions: { 'reset-password': { is: 'email address', like: 'EMAIL' } },
  async run({ values, word: email }) {
    const fromStdin = values['password-stdin'] === 'on';
    const password = fromStdin ? await readPassword() : newSecret('', 20);
    const merchantId = await withDatabase(values, (database) => resetPassword(database, email, password));
    if (merchantId === undefined) throw new UsageError(`There is no owner ${email}.`);
    const output = { merchant_id: merchantId, dashboard: { email, ...(!fromStdin && { password }) } };
    console.log(JSON.stringify(output, null, 2)); // only the hash of the password is stored, so it cannot be printed again
  },
});

/** The line break at the end is not part of the password. */
async function readPassword(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password.length >= MIN_PASSWORD_LENGTH && password.length <= MAX_PASSWORD_LENGTH) return password;
  throw new UsageError(
    `--password-stdin: the password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters; ` +
      `this one has ${password.length}.`,
  );
}
