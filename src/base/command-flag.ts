/** The declaration of a command-line flag. */
export interface CommandFlag {
  readonly short?: string;
  readonly environment?: string;
  readonly value: string;
  readonly fallback: string;
  readonly about: string;
  readonly choices?: readonly string[];
  /** Takes no value. If the flag is present, its value is 'on'. */
  readonly isSwitch?: true;
  /** Can be given several times. Its value has all of them, with `REPEATED_SEPARATOR` between them. */
  readonly isRepeated?: true;
  /** Contains a password, so it may also come from the file that the variable with `_FILE` names. */
  readonly isSecret?: true;
}
