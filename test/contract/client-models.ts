/** Reads from the source of the published client (square-connect) what it sends and reads: every call and every model. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const client = require('square-connect') as Record<string, { constructFromObject?: unknown } | undefined>;
const folder = dirname(require.resolve('square-connect'));

/** `String`, `Number`, `Boolean`, a model of the client, or a list of one of these. */
export interface ClientType {
  readonly name: string;
  readonly isList: boolean;
}

export interface ClientCall {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly body: string | undefined;
  readonly answer: ClientType;
}

/** `['String']`, `[Payment]`, `'Number'` or `Money`. */
function readType(text: string): ClientType {
  return { name: text.replaceAll(/[[\]']/g, ''), isList: text.startsWith('[') };
}

/** Every call of the client, from its functions and the comments above them. */
export function readCalls(): ClientCall[] {
  return readdirSync(join(folder, 'api')).flatMap((file) => {
    const source = readFileSync(join(folder, 'api', file), 'utf8');
    const calls = [
      ...source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*this\.\w+WithHttpInfo = ([\s\S]*?)\n {2}\}\n/g),
    ];
    return calls.map(([, comment = '', code = '']): ClientCall => {
      const [, path = '', method = ''] = /callApi\(\s*'([^']+)', '(\w+)'/.exec(code) ?? [];
      const parameters = /queryParams = \{([^}]*)\}/.exec(code)?.[1] ?? '';
      return {
        method,
        path,
        query: [...parameters.matchAll(/'(\w+)':/g)].map(([, name = '']) => name),
        body: /@param \{module:model\/(\w+)\}/.exec(comment)?.[1],
        answer: readType(/returnType = ([^;]+);/.exec(code)?.[1] ?? ''),
      };
    });
  });
}

export function isModel({ name }: ClientType): boolean {
  return typeof client[name]?.constructFromObject === 'function' && propertiesOf(name).size > 0;
}

/** The properties of a model of the client with their types, from the code that reads them. */
export function propertiesOf(model: string): Map<string, ClientType> {
  const source = String(client[model]?.constructFromObject);
  const names = [...source.matchAll(/data\.hasOwnProperty\('(\w+)'\)/g)].map(([, name = '']) => name);
  const reading = /obj\['(\w+)'\] = (?:ApiClient\.convertToType\(data\['\w+'\], ([^)]+)\)|(\w+)\.constructFromObject)/g;
  const types = new Map(
    [...source.matchAll(reading)].map(([, name = '', type, nested]) => [name, readType(type ?? nested ?? '')]),
  );
  return new Map(
    names.map((name) => {
      const type = types.get(name);
      if (!type) throw new Error(`how does the client read ${model}.${name}?`);
      return [name, type];
    }),
  );
}

/** The words of the list that a property's comment refers to; undefined if it refers to none. */
export function wordsOf(model: string, property: string): readonly string[] | undefined {
  const source = readFileSync(join(folder, 'model', `${model}.js`), 'utf8');
  const comment = new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*exports\\.prototype\\['${property}'\\]`).exec(
    source,
  )?.[1];
  const list = /See \[(\w+)\]\(#type-\w+\) for possible values/.exec(comment ?? '')?.[1];
  if (list === undefined) return undefined;
  const words: unknown[] = Object.values(client[list] ?? {});
  return words.filter((word) => typeof word === 'string');
}
