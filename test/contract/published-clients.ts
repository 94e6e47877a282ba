/** The two published clients, square-connect 3 and square 46: their calls, and the models that they send and read. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type ClientType, isModel as isReadModel, readCalls, propertiesOf as readProperties } from './client-models.js';

export interface PublishedCall {
  readonly method: string;
  /** With `{}` for each parameter. */
  readonly route: string;
  readonly query: readonly string[];
  /** The model of the body. */
  readonly body: string | undefined;
  readonly answer: ClientType | undefined;
}

export interface PublishedClient {
  readonly name: string;
  readonly calls: readonly PublishedCall[];
  /** Empty for what is no model. */
  propertiesOf(model: string): ReadonlyMap<string, ClientType>;
}

const NONE: ReadonlyMap<string, ClientType> = new Map();

const toRoute = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

const squareConnect: PublishedClient = {
  name: 'square-connect',
  calls: readCalls().map(({ path, ...call }) => ({ ...call, route: toRoute(path) })),
  propertiesOf: (model) => (isReadModel({ name: model, isList: false }) ? readProperties(model) : NONE),
};

const root = dirname(createRequire(import.meta.url).resolve('square'));

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.js') && entry.name !== 'index.js')
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The file of each model. */
const modelFiles = new Map(filesBelow('serialization').map((path) => [basename(path, '.js'), path]));

/** A member of a model: its name on the wire, if that is another one, and its type. */
const MEMBER = /^ {4}(\w+): (?:core\.serialization\.property\("(\w+)", )?(.*?),$/gm;

function readSquareModel(model: string): ReadonlyMap<string, ClientType> {
  const file = modelFiles.get(model);
  const source = file === undefined ? '' : readFileSync(file, 'utf8');
  const [, members = ''] = /core\.serialization\.(?:lazyO|o)bject\(\{\n([\s\S]*?)\n\}\)/.exec(source) ?? [];
  return new Map(
    [...members.matchAll(MEMBER)].map(([, name = '', wireName, type = '']) => [wireName ?? name, readSquareType(type)]),
  );
}

function readSquareType(text: string): ClientType {
  return { name: /\w+_1\.(\w+)/.exec(text)?.[1] ?? '', isList: text.startsWith('core.serialization.list(') };
}

/** A response of v1 has no model of its own, but a type in the file of its call. */
function readAnswer(name: string): ClientType {
  const file = modelFiles.get(name);
  const type = file && /^exports\.Response = (.*);$/m.exec(readFileSync(file, 'utf8'))?.[1];
  return type ? readSquareType(type) : { name, isList: false };
}

/** A function that calls the server names its parameters, its route and its models, in this order. */
function readSquareCalls(file: string): PublishedCall[] {
  const requests = readFileSync(file, 'utf8').split(/(?=\n +const \{[^}]*\} = request|\n {4}\w+\([^\n]*\) \{\n)/);
  let query: string[] = [];
  return requests.flatMap((code): PublishedCall[] => {
    const [, parameters] = /const _queryParams = \{\n([\s\S]*?)\n +\};/.exec(code) ?? [];
    if (parameters !== undefined) {
      const [indent = ''] = /^ +/.exec(parameters) ?? [];
      query = [...parameters.matchAll(new RegExp(`^${indent}(\\w+)[,:]`, 'gm'))].map(([, name = '']) => name);
    }
    const [, route] = /url: core\.url\.join\(.*, [`"]((?:v[12]|oauth2)\/.*)[`"]\),$/m.exec(code) ?? [];
    if (route === undefined) return [];
    const [, method = ''] = /^ +method: "([A-Z]+)",$/m.exec(code) ?? [];
    const [, body] = /\bbody: serializers\.(?:\w+\.)*(\w+)\.jsonOrThrow/.exec(code) ?? [];
    const [, answer] = /data: serializers\.(?:\w+\.)*?(\w+)(?:\.Response)?\.parseOrThrow/.exec(code) ?? [];
    const call = {
      method,
      route: `/${route.replaceAll(/\$\{[^}]*\}/g, '{}')}`,
      query,
      body,
      answer: answer === undefined ? undefined : readAnswer(answer),
    };
    query = [];
    return [call];
  });
}

const square: PublishedClient = {
  name: 'square',
  calls: filesBelow('api/resources')
    .filter((path) => path.endsWith('/client/Client.js'))
    .flatMap(readSquareCalls),
  propertiesOf: readSquareModel,
};

export const PUBLISHED_CLIENTS: readonly PublishedClient[] = [squareConnect, square];
