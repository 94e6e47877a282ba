/** Reads the sources for the architecture tests: the text, imports and SQL statements of each file. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The files of a folder and its subfolders, as paths relative to the folder. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((path) => path.slice(join(ROOT, folder).length + 1)).sort();
}

export function readText(...path: readonly string[]): string {
  return readFileSync(join(ROOT, ...path), 'utf8');
}

interface Import {
  /** A path relative to src/, or the name of a package. */
  readonly to: string;
  readonly names: readonly string[];
  readonly isType: boolean;
}

export interface Source {
  /** Relative to src/. */
  readonly path: string;
  readonly text: string;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

const IMPORT = /(?:import|export)\s+(?:(type)\s+)?([^;'"]*?)\s*from\s+'([^']+)'|import\s*\(?\s*'([^']+)'/g;

export function readSource(path: string, text: string): Source {
  const code = path.endsWith('.sql')
    ? text.replaceAll(/--.*$/gm, '')
    : text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1');
  const imports = [...code.matchAll(IMPORT)].map(([, type, what = '', from = '', bare = '']): Import => {
    const to = from || bare;
    const names = what
      .replaceAll(/[{}\n]/g, ' ')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    return {
      to: to.startsWith('.') ? normalize(join(dirname(path), to)).replace(/\.js$/, '.ts') : to,
      names: names.map((name) => name.replace(/^type /, '')),
      isType: type !== undefined || (names.length > 0 && names.every((name) => name.startsWith('type '))),
    };
  });
  return { path, text, code, imports };
}

/** All of src/ without its tests. */
export const sources: readonly Source[] = filesIn('src')
  .filter((path) => isOurs(path) && !path.endsWith('.test.ts'))
  .map((path) => readSource(path, readText('src', path)));

/** All of web/ without its tests, with paths relative to the repository. */
export const webSources: readonly Source[] = filesIn('web')
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
  .map((path) => readSource(`web/${path}`, readText('web', path)));

/** The types and functions of the database. */
export const functionFiles: readonly Source[] = filesIn('src')
  .filter((path) => path.endsWith('.sql'))
  .map((path) => readSource(path, readText('src', path)));

export function isOurs(to: string): boolean {
  return /\.(?:ts|mjs)$/.test(to);
}

/** The folder under src/, or the file itself if it is directly in src/. */
export function layerOf(path: string): string {
  return path.includes('/') ? (path.split('/')[0] ?? '') : path;
}

/** `queries.ts`, or a part of one that would be too long, such as `call-queries.ts`. */
export function isQueries(path: string): boolean {
  return /(?:^|\/)(?:[a-z]+-)*queries\.ts$/.test(path);
}

/** Returns the violations of a rule. */
export type Rule = (sources: readonly Source[]) => string[];

export function each(among: readonly Source[], find: (source: Source) => readonly string[]): string[] {
  return among.flatMap((source) => find(source).map((what) => `${source.path}: ${what}`));
}

/** Files that violate a rule, by path. The rule must find every one of them. */
export type Breaches = Readonly<Record<string, string>>;

export interface KeptRule {
  readonly rule: Rule;
  readonly breaches: Breaches;
  /** Files without a violation that the violations refer to. */
  readonly others?: Readonly<Record<string, string>>;
}

/** Checks the files against each rule, and each rule against its planted violations: a rule that finds none of them is useless. */
export function keepRules(rules: Readonly<Record<string, KeptRule>>, among = sources, folder = 'src/'): void {
  describe(folder, () => {
    it.each(Object.entries(rules))('%s', (_, { rule }) => {
      expect(rule(among)).toEqual([]);
    });
  });

  describe('each rule', () => {
    it.each(Object.entries(rules))('%s: finds every violation', (_, { rule, breaches, others = {} }) => {
      const found = rule(Object.entries({ ...others, ...breaches }).map(([path, text]) => readSource(path, text)));
      const paths = Object.keys(breaches);
      expect(paths.length).toBeGreaterThan(0);
      for (const path of paths) expect(found.join('\n')).toContain(`${path}: `);
    });
  });
}

/** The end of a template literal that begins at `start`, including nested ones. */
function templateEnd(code: string, start: number): number {
  for (let at = start + 1; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code[at] === '`') return at;
    else if (code[at] === '$' && code[at + 1] === '{') at = expressionEnd(code, at + 2);
  }
  return code.length;
}

function expressionEnd(code: string, start: number): number {
  let depth = 1;
  for (let at = start; at < code.length; at++) {
    if (code[at] === '`') at = templateEnd(code, at);
    else if (code[at] === '{') depth++;
    else if (code[at] === '}' && --depth === 0) return at;
  }
  return code.length;
}

export interface Statement {
  readonly text: string;
  /** The function that contains it. */
  readonly owner: string;
}

/** Tagged templates that are complete SQL statements, alone or composed into another one, but not fragments. */
export function statementsIn(code: string): Statement[] {
  const found: Statement[] = [];
  const opening = /\b(?:sql|tx)(?:<[^`]*>)?`|\.unsafe(?:<[^`(]*>)?\(\s*[`']/g;
  for (let match = opening.exec(code); match; match = opening.exec(code)) {
    const start = opening.lastIndex - 1;
    const end = code[start] === '`' ? templateEnd(code, start) : code.indexOf("'", start + 1);
    const text = code.slice(start + 1, end).trim();
    const owner = [...code.slice(0, start).matchAll(/function (\w+)|const (\w+) = \(/g)].at(-1);
    if (/^(?:with|select|insert|update|delete|copy|truncate|create|drop|alter)\b/i.test(text)) {
      found.push({ text, owner: owner?.[1] ?? owner?.[2] ?? '' });
      opening.lastIndex = end + 1;
    }
  }
  return found;
}

/** Where SQL asks the database what time it is. */
export function clockReadsIn(code: string): string[] {
  const clocks =
    /\b(?:now|timeofday|(?:clock|statement|transaction)_timestamp)\(\)|\bcurrent_(?:timestamp|date|time)\b|\blocaltime/gi;
  return [...code.matchAll(clocks)].map(([found]) => found);
}

const UPPER_CASE = /\b(?:SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|JOIN|AND|OR|NULL|RETURNS?|BEGIN|END)\b/;

/** A keyword in capital letters, outside of texts and comments, or `offset`. */
export function oddStyleIn(sql: string): string[] {
  const code = sql.replaceAll(/'[^']*'/g, "''");
  return [...(/\boffset\b/i.exec(code) ?? []), ...(UPPER_CASE.exec(code) ?? [])];
}
