/** The operations of the published interface, as the installed clients call them. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';

const resolve = createRequire(import.meta.url).resolve;

export interface PublishedOperation {
  /** As in the newer client if that has it, such as `orders.create`. */
  readonly name: string;
  readonly method: string;
  /** The names of parameters are those of the client. */
  readonly path: string;
}

/** Those of `square`, and those that only `square-connect` has. The same path with other names of parameters is the same operation. */
export function listPublished(): PublishedOperation[] {
  const byRoute = new Map<string, PublishedOperation>();
  for (const each of [...listOfSquare(), ...listOfSquareConnect()]) {
    const route = `${each.method} ${each.path.replaceAll(/\{\w+\}/g, '{}')}`;
    if (!byRoute.has(route)) byRoute.set(route, each);
  }
  return [...byRoute.values()].sort((one, other) => (one.path + one.method < other.path + other.method ? -1 : 1));
}

function listOfSquare(): PublishedOperation[] {
  const root = join(dirname(resolve('square')), 'api', 'resources');
  return listFiles(root)
    .filter((path) => path.endsWith('/client/Client.js'))
    .flatMap((path) => {
      const resource = relative(root, dirname(dirname(path))).replaceAll('/resources/', '.');
      return readOperations(path, {
        name: /^ {4}_*(\w+)\(.*\{$/,
        route: /url: core\.url\.join\(.*, [`"](v[12]\/.*|oauth2\/.*)[`"]\),$/,
        method: /^ +method: "([A-Z]+)",$/,
      }).map(({ name, path: route, method }) => ({
        name: `${resource}.${name}`,
        method,
        path: `/${route.replaceAll(/\$\{core\.url\.encodePathParam\((?:request\.)?(\w+)\)\}/g, (_, parameter: string) => `{${toSnake(parameter)}}`)}`,
      }));
    });
}

function listOfSquareConnect(): PublishedOperation[] {
  const root = join(dirname(resolve('square-connect')), 'api');
  return listFiles(root).flatMap((path) => {
    const resource = basename(path, 'Api.js').replace(/^[A-Z]+/, (first) => first.toLowerCase());
    return readOperations(path, {
      name: /^ {2}this\.(\w+?)(?:WithHttpInfo)? = function/,
      route: /^ +'(\/(?:v[12]|oauth2)[^']*)', '[A-Z]+',$/,
      method: /^ +'\/[^']*', '([A-Z]+)',$/,
    }).map((each) => ({ ...each, name: `${resource}.${each.name}` }));
  });
}

interface Patterns {
  readonly name: RegExp;
  readonly route: RegExp;
  readonly method: RegExp;
}

/** A function that makes a request names its route, and on the same or the next line its method. */
function readOperations(file: string, { name, route, method }: Patterns): PublishedOperation[] {
  const found: PublishedOperation[] = [];
  let [current, path]: (string | undefined)[] = [];
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    current = name.exec(line)?.[1] ?? current;
    path = route.exec(line)?.[1] ?? path;
    const verb = method.exec(line)?.[1];
    if (verb === undefined || path === undefined || current === undefined) continue;
    found.push({ name: current, method: verb, path });
    path = undefined;
  }
  return found;
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function toSnake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
