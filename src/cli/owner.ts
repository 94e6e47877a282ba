/** `tillhouse owner reset-password EMAIL`: lets an owner in again who has lost the password. */
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
    about: 'read the new password from standard input; absent: one is made and printed',
  },
  ...DATA_FLAGS,
} as const;

export const owner: Command = {
  name: 'owner',
  summary: "reset an owner's password",
  async run(args) {
    const call = parseArguments(args, FLAGS);
    if (call.help) {
      const about = 'Gives an owner a new password; every session of the old one ends.';
      return printHelp('owner reset-password EMAIL [flags]', about, FLAGS);
    }
    actionOf(call, ['reset-password']);
    rejectExtraArguments(call, 2);
    const [, email] = call.words;
    if (email === undefined) throw new UsageError('Name the owner: tillhouse owner reset-password EMAIL');
    const isGiven = call.values['password-stdin'] === 'on';
    const password = isGiven ? await readPassword() : newSecret('', 20);
    const merchantId = await withDatabase(
      toDataConfig(call.values),
      (database) => resetPassword(database, email, password),
      { makes: false },
    );
    if (merchantId === undefined) throw new UsageError(`There is no owner ${email}.`);
    const shown = { merchant_id: merchantId, dashboard: { email, ...(!isGiven && { password }) } };
    console.log(JSON.stringify(shown, null, 2)); // the only time that a new password is shown
  },
};

/** One line; what ends it does not belong to it. */
async function readPassword(): Promise<string> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password.length >= MIN_PASSWORD_LENGTH && password.length <= MAX_PASSWORD_LENGTH) return password;
  throw new UsageError(
    `--password-stdin: the password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters; ` +
      `this one has ${password.length}.`,
  );
}
