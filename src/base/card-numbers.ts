/** Tells card numbers from the tokens that stand for cards. Pages and server ask it, because a number must neither be sent nor kept. Pure. */

/** Of the tokens: to use once, on file, a payment method of Stripe. */
const PREFIX = /^(?:cnon:|ccof:|pm_)/;
/** Nothing but digits, whatever separates them. */
const ONLY_DIGITS = /^(?:[^\p{L}\p{N}]*\p{Nd}){12,19}[^\p{L}\p{N}]*$/u;
/** A group of digits, with the letters that touch it. */
const GROUP = /(?<before>[a-z]?)(?<digits>\d+)(?=(?<after>[a-z]?))/gi;
/** `B` is the format code of bank cards on the first track of a magnetic stripe: `%B4242...^NAME^...`. */
const FORMAT_CODE = /(?<![a-z\d])b$/i;
const MAX_GAP = 2;
const [MIN_DIGITS, MAX_DIGITS] = [13, 19];
/** A time in milliseconds, which some tokens contain. No card number is so. */
const TIME = /^1\d{12}$/;

export function hasTokenPrefix(text: string): boolean {
  return PREFIX.test(text);
}

export function withoutTokenPrefix(text: string): string {
  return text.replace(PREFIX, '');
}

/**
 * Whether the text is a card number, or contains one as the magnetic stripe does, in the characters of any keyboard. Digits within a word
 * of a token are none.
 */
export function hasCardNumber(given: string): boolean {
  const text = withoutTokenPrefix(given.normalize('NFKC'));
  return ONLY_DIGITS.test(text) || runsIn(text).some((run) => !TIME.test(run) && passesLuhn(run));
}

interface Group {
  readonly digits: string;
  readonly canStart: boolean;
  readonly canEnd: boolean;
  /** Whether it belongs to the number that the group before begins. */
  readonly goesOn: boolean;
}

/** As many digits as a card number has, in one group or several. */
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
