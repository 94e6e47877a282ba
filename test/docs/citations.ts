/**
 * Finds the citations in a text, and resolves them: "contract 4.2 rules 1 and 3, 16.7", "decisions 0080 and 0083". Both may be lists.
 * "rule" takes one number and "rules" several, so that in "contract 4.1 rule 5, 13" the last number is a section.
 */

export interface Citations {
  /** A section, or a section with a rule: "4.2", "4.2 rule 4". */
  readonly contract: readonly string[];
  /** The numbers as they are written. */
  readonly decisions: readonly string[];
}

const AND = '(?:, and |, | and | or | to )';
const RULE = String.raw`\d+(?!\.?\d)`;
const SECTION = String.raw`\d+(?:\.\d+)?(?![-:\d])(?: \([A-Z]\w*\))?(?: rule ${RULE}| rules ${RULE}(?:${AND}${RULE})*)?`;
const CONTRACT = citationOf('contract', SECTION);
/** The contract cites its own sections without its name. */
const OWN_SECTION = citationOf('sections?', SECTION);
const DECISION = citationOf('decisions?', String.raw`\d+(?![-\d])`);
/** The text of a link, `[0103](0103-beyond-the-contract.md)`, and the number to which it leads. */
const LINKED_DECISION = /\[(?:decision )?(\d+)\]\([^)\s]*?(\d{4})-[^)\s]*\)/gi;

function citationOf(word: string, number: string): RegExp {
  return new RegExp(String.raw`\b${word} (${number}(?:${AND}${number})*)`, 'gi');
}

export function citationsIn(text: string, { isContract = false } = {}): Citations {
  const joined = joinLines(text);
  const lists = [...joined.matchAll(CONTRACT), ...(isContract ? joined.matchAll(OWN_SECTION) : [])];
  return {
    contract: lists.flatMap(([, list = '']) => sectionsOf(list)),
    decisions: [...joined.matchAll(DECISION)].flatMap(([, list = '']) => list.match(/\d+/g) ?? []),
  };
}

/** A path of the repository, or the end of one in backticks: `test/docs/citations.ts`, `docs/citations.ts`. */
const PATH =
  /(?<![\w./:@-])(?:src|test|web|docs|scripts|bench|deploy|migrations|examples)\/[\w./-]+\.(?:tsx?|m?js|sql|md)\b/g;
const PATH_END = /`([a-z][\w-]*(?:\/[\w.-]+)+\.(?:tsx?|mjs|sql))`/g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|\s)(?:\/\/|--|#) .*/gm;

/** The files that a page names, or the comments of another file. */
export function filesNamedIn(path: string, text: string): readonly string[] {
  const prose = path.endsWith('.md') ? text : (text.match(COMMENT) ?? []).join('\n');
  const named = [...prose.matchAll(PATH)].map(([found]) => found);
  const ends = [...prose.matchAll(PATH_END)].map(([, end = '']) => end);
  return [...new Set([...named, ...ends])];
}

/** Links whose text names another decision than the one to which they lead. */
export function misleadingLinksIn(text: string): string[] {
  return [...joinLines(text).matchAll(LINKED_DECISION)]
    .filter(([, named, target]) => named !== target)
    .map(([link]) => link);
}

/** A citation may go on in the next line of a comment. */
function joinLines(text: string): string {
  return text.replaceAll(/\n[ \t]*(?:\/\/|\*(?!\/)|--|#)?[ \t]*(?=\S)/g, ' ');
}

function sectionsOf(list: string): string[] {
  return [...list.matchAll(new RegExp(SECTION, 'g'))].flatMap(([item]) => {
    const [section = ''] = /^\d+(?:\.\d+)?/.exec(item) ?? [];
    const rules = / rules? (.*)$/.exec(item)?.[1]?.match(/\d+/g) ?? [];
    return rules.length === 0 ? [section] : rules.map((rule) => `${section} rule ${rule}`);
  });
}

/** "4.2 rule 4" names a rule of a section; "28.4" a section 28.4 or, where there is none, point 4 of section 28. */
export function contractResolver(contract: string): (citation: string) => boolean {
  const sections = new Map<string, Set<string>>();
  let points = new Set<string>();
  for (const line of contract.split('\n')) {
    const section = /^#{2,3} (\d+(?:\.\d+)?)\.? /.exec(line)?.[1];
    if (section !== undefined) {
      points = new Set();
      sections.set(section, points);
    }
    const point = /^(\d+)\. /.exec(line)?.[1];
    if (point !== undefined) points.add(point);
  }
  return (citation) => {
    const [section = '', rule] = citation.split(' rule ');
    if (rule !== undefined) return sections.get(section)?.has(rule) ?? false;
    const [chapter = '', point = ''] = section.split('.');
    return sections.has(section) || (sections.get(chapter)?.has(point) ?? false);
  };
}
