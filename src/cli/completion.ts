/** `tillhouse completion bash|zsh|fish`: prints a script that completes commands, actions, flags and their values in a shell. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the scripts have variables of shells
import { command } from './declare.js';

/** What can follow, of one command. */
interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly actions: readonly string[];
  readonly flags: readonly {
    readonly names: readonly string[];
    readonly about: string;
    /** Empty: any value. */
    readonly values: readonly string[];
    readonly isSwitch: boolean;
  }[];
}

export const completion = command({
  name: 'completion',
  summary: 'print completions for bash, zsh or fish',
  usage: 'bash|zsh|fish',
  about: [
    'Prints a script that completes commands, actions, flags and their values. In bash and zsh: eval "$(tillhouse completion bash)".',
    'In fish: tillhouse completion fish | source',
  ].join('\n'),
  flags: {},
  actions: { bash: undefined, zsh: undefined, fish: undefined },
  async run({ action, commands }) {
    const completed: Completed[] = (await commands()).map(({ name, summary, actions, flags }) => ({
      name,
      summary,
      actions,
      flags: [
        ...Object.entries(flags).map(([flag, { short, about, choices, isSwitch }]) => ({
          names: [`--${flag}`, ...(short === undefined ? [] : [`-${short}`])],
          about,
          values: choices ?? [],
          isSwitch: isSwitch === true,
        })),
        { names: ['--help'], about: 'show the flags', values: [], isSwitch: true },
      ],
    }));
    console.log(SCRIPTS[action](completed));
  },
});

const SCRIPTS = { bash: printBash, zsh: printZsh, fish: printFish };

const words = ({ actions, flags }: Completed): string =>
  [...actions, ...flags.map(({ names: [name] }) => name)].join(' ');

/** A case for each flag that has certain values, and one for each command. */
function printCases(commands: readonly Completed[], assign: (list: string) => string): string[] {
  const ofValues = commands.flatMap(({ name, flags }) =>
    flags
      .filter(({ values }) => values.length > 0)
      .map(
        ({ names, values }) =>
          `    ${names.map((flag) => `'${name} ${flag}'`).join('|')}) ${assign(values.join(' '))} ;;`,
      ),
  );
  const ofFiles = commands.flatMap(({ name, flags }) =>
    flags
      .filter(({ values, isSwitch }) => values.length === 0 && !isSwitch)
      .flatMap(({ names }) => names.map((flag) => `'${name} ${flag}'`)),
  );
  const ofCommands = commands.map((each) => `    '${each.name} '*) ${assign(words(each))} ;;`);
  return [...ofValues, `    ${ofFiles.join('|')}) ${assign('')} ;;`, ...ofCommands];
}

function printBash(commands: readonly Completed[]): string {
  return [
    '_tillhouse() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} list=',
    `  if [ "$COMP_CWORD" -eq 1 ]; then list='${commands.map(({ name }) => name).join(' ')} help version'; else`,
    '  case "${COMP_WORDS[1]} $before" in',
    ...printCases(commands, (list) => `list='${list}'`),
    '  esac; fi',
    '  COMPREPLY=($(compgen -W "$list" -- "$current"))',
    '}',
    'complete -o default -F _tillhouse tillhouse',
  ].join('\n');
}

function printZsh(commands: readonly Completed[]): string {
  const described = commands.map(({ name, summary }) => `    ${quote(`${name}:${summary.replaceAll(':', '\\:')}`)}`);
  return [
    '#compdef tillhouse',
    '_tillhouse() {',
    '  local -a commands list',
    '  commands=(',
    ...described,
    '  )',
    '  if (( CURRENT == 2 )); then _describe command commands; return; fi',
    '  case "${words[2]} ${words[CURRENT-1]}" in',
    ...printCases(commands, (list) => `list=(${list})`),
    '  esac',
    '  if (( $#list )); then compadd -- $list; else _files; fi',
    '}',
    'compdef _tillhouse tillhouse',
  ].join('\n');
}

function printFish(commands: readonly Completed[]): string {
  const lines = commands.flatMap(({ name, summary, actions, flags }) => {
    const here = `-n '__fish_seen_subcommand_from ${name}'`;
    const ofFlags = flags.map(({ names, about, values, isSwitch }) => {
      const short = names.find((flag) => /^-\w$/.test(flag));
      const value = isSwitch ? '' : values.length > 0 ? ` -x -a '${values.join(' ')}'` : ' -r';
      const flag = `-l ${(names[0] ?? '').slice(2)}${short === undefined ? '' : ` -s ${short.slice(1)}`}`;
      return `complete -c tillhouse ${here} ${flag}${value} -d ${quote(about)}`;
    });
    return [
      `complete -c tillhouse -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
      ...(actions.length > 0 ? [`complete -c tillhouse ${here} -f -a '${actions.join(' ')}'`] : []),
      ...ofFlags,
    ];
  });
  return lines.join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
