/** `tillhouse owner reset-password EMAIL`: sets a new password for an owner who has lost it. */
import { text } from 'node:stream/consumers';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../access/dashboard/new-password.js';
import { resetPassword } from '../access/dashboard/sessions.js';
import { DATA_FLAGS, parseArguments, rejectExtraArguments, toDataConfig, UsageError } from '../base/config.js';
import { newSecret } from '../base/ids.js';
import { actionOf, type Command, printHelp, withDatabase } from './command.js';

const FLAGS = {
  'password-stdin': {
    value: '',
    fallback: '',
    isSwitch: true,
    about: 'read the new password from standard input; default: a password is generated and printed',
  },
  ...DATA_FLAGS,
} as const;

export const owner: Command = {
  name: 'owner',
  summary: "reset an owner's password",
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) {
      const about = 'Sets a new password for an owner and ends all sessions of that owner.';
      return printHelp('owner reset-password EMAIL [flags]', about, FLAGS);
    }
    actionOf(call, ['reset-password']);
    rejectExtraArguments(call, 2);
    const [, email] = call.words;
    if (email === undefined) throw new UsageError('The email address is missing: tillhouse owner reset-password EMAIL');
    const fromStdin = call.values['password-stdin'] === 'on';
    const password = fromStdin ? await readPassword() : newSecret('', 20);
    const merchantId = await withDatabase(
      toDataConfig(call.values),
      (database) => resetPassword(database, email, password),
      { creates: false },
    );
    if (merchantId === undefined) throw new UsageError(`There is no owner ${email}.`);
    const output = { merchant_id: merchantId, dashboard: { email, ...(!fromStdin && { password }) } };
    console.log(JSON.stringify(output, null, 2)); // only the hash of the password is stored, so it cannot be printed again
  },
};

/** The line break at the end is not part of the password. */
async function readPassword(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password.length >= MIN_PASSWORD_LENGTH && password.length <= MAX_PASSWORD_LENGTH) return password;
  throw new UsageError(
    `--password-stdin: the password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters; ` +
      `this one has ${password.length}.`,
  );
}
