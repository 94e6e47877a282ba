/** The built pages on disk: finds each file with its type and its compressed copies, and reads it on first use. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The same folder for the compiled server and for tests, which run the sources. */
const FOLDER = fileURLToPath(new URL('../../dist/pages/', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  webmanifest: 'application/manifest+json',
};

/** Preferred first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

export interface WebContent {
  readonly bytes: Buffer;
  readonly encoding: string | undefined;
  readonly tag: string;
}

export interface WebFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly type: string;
  /** The smallest copy that the client accepts. */
  read(acceptEncoding: string | undefined): Promise<WebContent>;
}

/** Empty if the pages have not been built. */
export function listWebFiles(folder = FOLDER): WebFile[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll(sep, '/'));
  const all = new Set(names);
  return names.flatMap((path) => {
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)];
    return type === undefined ? [] : [{ path, type, read: createReader(join(folder, path), path, all) }];
  });
}

function createReader(place: string, path: string, all: ReadonlySet<string>): WebFile['read'] {
  const loaded = new Map<string, Promise<WebContent>>(); // shared, so that slow clients cost no memory
  return (acceptEncoding) => {
    const [encoding, suffix] = ENCODINGS.find(
      ([name, ending]) => all.has(path + ending) && accepts(acceptEncoding, name),
    ) ?? [undefined, ''];
    const content = loaded.get(suffix) ?? load(place + suffix, encoding);
    loaded.set(suffix, content);
    return content;
  };
}

async function load(place: string, encoding: string | undefined): Promise<WebContent> {
  const bytes = await readFile(place);
  return { bytes, encoding, tag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

function accepts(header: string | undefined, name: string): boolean {
  return (header ?? '').split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    return coding === name && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}
