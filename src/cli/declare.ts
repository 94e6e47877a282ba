/** Declares a command: its arguments are read and checked, and `--help` is answered, before it runs. */
import { type CommandFlag, describeFlags, parseArguments, UsageError, type Values } from '../base/config.js';
import { didYouMean } from '../base/nearest.js';

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly flags: Readonly<Record<string, CommandFlag>>;
  /** The words that can follow the name. */
  readonly actions: readonly string[];
  run(args: readonly string[], commands?: LoadCommands): Promise<void>;
}

/** Loads all commands, for a command that lists them. */
export type LoadCommands = () => Promise<readonly Command[]>;

/** What a command was called with. */
export interface Call<Flags, Action extends string = string> {
  readonly values: Values<Flags>;
  readonly action: Action;
  /** The word after the action, or after the name of a command without actions. Empty if there is none. */
  readonly word: string;
  /** That word and those after it. */
  readonly words: readonly string[];
  /** All of the above, as it was written. */
  readonly args: readonly string[];
  readonly commands: LoadCommands;
}

/** A word that must follow. */
interface Word {
  /** In messages, such as `merchant id`. */
  readonly is: string;
  /** An example, or its name in the usage. */
  readonly like: string;
}

interface Declaration<Flags, Action extends string> {
  readonly name: string;
  readonly summary: string;
  /** What follows the name. */
  readonly usage: string;
  readonly about: string;
  readonly flags: Flags;
  /** The words that can follow the name, and what each is called with. Absent: a command without actions. */
  readonly actions?: Readonly<Record<Action, Word | undefined>>;
  /** What a command without actions is called with. */
  readonly word?: Word;
  /** Whether any words may follow that one. */
  readonly takesMore?: true;
  run(call: Call<Flags, Action>): Promise<void>;
}

export function command<const Flags extends Record<string, CommandFlag>, const Action extends string>(
  declaration: Declaration<Flags, Action>,
): Command {
  const { name, summary, usage, about, flags, actions } = declaration;
  return {
    name,
    summary,
    flags,
    actions: Object.keys(actions ?? {}),
    async run(args, commands = async () => []) {
      const { values, words, help } = parseArguments(args, flags);
      if (help) return console.log(`${about}\n\nUsage: tillhouse ${name} ${usage}\n\n${describeFlags(flags)}`);
      const action = actions ? actionOf(words, actions) : ('' as Action);
      const [called, expected] = actions ? [[name, action], actions[action]] : [[name], declaration.word];
      const word = words[called.length - 1];
      if (expected && word === undefined) {
        throw new UsageError(`The ${expected.is} is missing: tillhouse ${called.join(' ')} ${expected.like}`);
      }
      const extra = words[expected ? called.length : called.length - 1];
      if (extra !== undefined && !declaration.takesMore)
        throw new UsageError(`Unexpected argument '${extra}'. Flags begin with --.`);
      await declaration.run({
        values,
        action,
        word: word ?? '',
        words: words.slice(called.length - 1),
        args,
        commands,
      });
    },
  };
}

function actionOf<Action extends string>(
  [word]: readonly string[],
  actions: Readonly<Record<Action, unknown>>,
): Action {
  const known = Object.keys(actions) as Action[];
  const action = known.find((each) => each === word);
  if (action !== undefined) return action;
  const given = word === undefined ? '.' : `, not '${word}'.${didYouMean(word, known)}`;
  throw new UsageError(`The action must be one of ${known.join(', ')}${given}`);
}
