/** Tells card numbers from tokens of cards. Pages and the server use it, because a card number must be neither sent nor stored. Pure. */

/** The prefixes of tokens: a nonce for one use, a card on file, a payment method of Stripe. */
const PREFIX = /^(?:cnon:|ccof:|pm_)/;
/** 12 to 19 digits with any separators, and no letters. */
const ONLY_DIGITS = /^(?:[^\p{L}\p{N}]*\p{Nd}){12,19}[^\p{L}\p{N}]*$/u;
/** A group of digits, with the letters that touch it. */
const GROUP = /(?<before>[a-z]?)(?<digits>\d+)(?=(?<after>[a-z]?))/gi;
/** `B` is the format code of bank cards on the first track of a magnetic stripe: `%B4242...^NAME^...`. */
const FORMAT_CODE = /(?<![a-z\d])b$/i;
const MAX_GAP = 2;
const [MIN_DIGITS, MAX_DIGITS] = [13, 19];
/** A time in milliseconds, which some tokens contain. No card number has 13 digits and begins with 1. */
const TIME = /^1\d{12}$/;

export function hasTokenPrefix(text: string): boolean {
  return PREFIX.test(text);
}

export function withoutTokenPrefix(text: string): string {
  return text.replace(PREFIX, '');
}

/**
 * Whether the text is a card number, in digits of any script, or contains one, as the data of a magnetic stripe does. Digits that touch a
 * letter, as in a token, do not count.
 */
export function hasCardNumber(given: string): boolean {
  const text = withoutTokenPrefix(given.normalize('NFKC'));
  return ONLY_DIGITS.test(text) || runsIn(text).some((run) => !TIME.test(run) && passesLuhn(run));
}

interface Group {
  readonly digits: string;
  readonly canStart: boolean;
  readonly canEnd: boolean;
  /** Whether it is so close to the group before that both can belong to one number. */
  readonly goesOn: boolean;
}

/** All runs of one or more groups that have as many digits as a card number. */
function runsIn(text: string): string[] {
  const groups = groupsIn(text);
  return groups.flatMap(({ canStart }, first) => {
    if (!canStart) return [];
    const runs: string[] = [];
    let run = '';
    for (const { digits, canEnd, goesOn } of groups.slice(first, first + MAX_DIGITS)) {
      if (run !== '' && !goesOn) break;
      run += digits;
      if (run.length > MAX_DIGITS) break;
      if (run.length >= MIN_DIGITS && canEnd) runs.push(run);
    }
    return runs;
  });
}

function groupsIn(text: string): Group[] {
  let end = 0;
  return [...text.matchAll(GROUP)].map(({ index, groups = {} }) => {
    const { before = '', digits = '', after = '' } = groups;
    const start = index + before.length;
    const gap = text.slice(end, start);
    end = start + digits.length;
    return {
      digits,
      canStart: before === '' || FORMAT_CODE.test(text.slice(0, start)),
      canEnd: after === '',
      goesOn: gap.length <= MAX_GAP && !/[\p{L}\p{N}]/u.test(gap),
    };
  });
}

/** The check digit of card numbers. */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
