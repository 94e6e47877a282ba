/** The built pages on disk: finds each file with its type and its compressed copies, and reads it on first use. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CODINGS, type Coding, compress, preferredCoding } from './compression.js';

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

/** The endings of compressed copies. */
const ENDINGS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' };

export interface WebContent {
  readonly bytes: Buffer;
  readonly coding: Coding | undefined;
  readonly tag: string;
}

export interface WebFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly type: string;
  /** The smallest copy that the client accepts. */
  read(acceptEncoding: string | undefined): Promise<WebContent>;
}

const lists = new Map<string, readonly WebFile[]>();

/**
 * Empty if the pages have not been built. Otherwise all servers of a process share one list, because the files do not change while the
 * program runs.
 */
export function listWebFiles(folder = FOLDER): readonly WebFile[] {
  const files = lists.get(folder) ?? findWebFiles(folder);
  if (files.length > 0) lists.set(folder, files);
  return files;
}

function findWebFiles(folder: string): readonly WebFile[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll(sep, '/'));
  const all = new Set(names);
  return names.flatMap((path) => {
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)];
    if (type === undefined) return [];
    const codings = CODINGS.filter((coding) => all.has(path + ENDINGS[coding]));
    const place = join(folder, path);
    return [
      { path, type, read: createReader(codings, (coding) => readFile(coding ? place + ENDINGS[coding] : place)) },
    ];
  });
}

/** A file that is not on disk. It is made when it is asked for first. */
export function generatedFile(path: string, type: string, generate: () => Promise<string>): WebFile {
  let generated: Promise<Buffer> | undefined;
  const load = async (coding: Coding | undefined): Promise<Buffer> => {
    generated ??= generate().then((text) => Buffer.from(text));
    generated.catch(() => (generated = undefined)); // it is tried again
    const bytes = await generated;
    return coding ? compress(bytes, coding) : bytes;
  };
  return { path, type, read: createReader(CODINGS, load) };
}

function createReader(
  codings: readonly Coding[],
  load: (coding: Coding | undefined) => Promise<Buffer>,
): WebFile['read'] {
  const loaded = new Map<Coding | undefined, Promise<WebContent>>(); // shared, so that slow clients cost no memory
  return (acceptEncoding) => {
    const coding = preferredCoding(acceptEncoding, codings);
    const content = loaded.get(coding) ?? load(coding).then((bytes) => ({ bytes, coding, tag: tagOf(bytes) }));
    loaded.set(coding, content);
    content.catch(() => loaded.delete(coding)); // a file that could not be read is read again
    return content;
  };
}

function tagOf(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}
