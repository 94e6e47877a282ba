/** The package as it is published, and a registry that has only the packages that a consumer may request. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { buildProgram, repository } from './built.js';
import { environment } from './process.js';

const execute = promisify(execFile);

interface LockedPackage {
  readonly version: string;
  readonly inBundle?: boolean;
}

/** By its path, such as `node_modules/fastify`. */
async function lockedPackages(): Promise<Record<string, LockedPackage>> {
  return JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')).packages;
}

export interface Packed {
  readonly tarball: string;
  readonly paths: readonly string[];
}

/** A source and a test stand for all others: none may be in the package. */
const SOURCES = ['src/main.ts', 'test/check.test.ts'];
/** Files for readers, browsers and debuggers, which npm would compress for seconds. Of pages and guides the names are enough here. */
const UNREAD = /^(?:dist\/docs|dist\/pages|docs)\/.*\.\w+$|\.map$/;
const NAMED = /\.(?:html|md)$/;
/** What programs load of a bundled package. */
const LOADED = /\.(?:[cm]?js|json)$/;
const NEVER_LOADED = /\/(?:tests?|benchmarks?|examples?|docs|\.\w+)$/;

/** Packs in a folder where bundled packages are copies: npm does not follow links. */
export async function packProgram(folder: string): Promise<Packed> {
  const program = await buildProgram();
  for (const name of ['package.json', 'LICENSE', 'README.md', 'docs', 'migrations', 'dist', ...SOURCES]) {
    const filter = async (from: string, to: string): Promise<boolean> => {
      if (!UNREAD.test(relative(program, from))) return true;
      if (NAMED.test(from)) await writeFile(to, '');
      return false;
    };
    await cp(join(program, name), join(folder, name), { recursive: true, filter });
  }
  for (const [place, { inBundle }] of Object.entries(await lockedPackages())) {
    if (inBundle) await copyLoaded(join(repository, place), join(folder, place));
  }
  const { stdout } = await execute('npm', ['pack', '--ignore-scripts', '--json'], { cwd: folder, env: environment() });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  return { tarball: join(folder, filename), paths: files.map(({ path }) => path) };
}

async function copyLoaded(from: string, to: string): Promise<void> {
  const filter = async (path: string): Promise<boolean> =>
    (await stat(path)).isDirectory() ? !NEVER_LOADED.test(path) : LOADED.test(path);
  await cp(from, to, { recursive: true, dereference: true, filter });
}

export interface Registry {
  readonly url: string;
  /** The packages that were requested. */
  readonly asked: Set<string>;
  close(): Promise<void>;
}

/** Has two versions of each package: that of the lock file, and a newer one that no version of Node can run. */
export async function startRegistry(folder: string): Promise<Registry> {
  const locked = await lockedPackages();
  const asked = new Set<string>();
  const describePackage = (name: string): object | undefined => {
    const found = locked[`node_modules/${name}`];
    if (!found) return undefined;
    const [major, minor] = found.version.split('.');
    const newer = found.version.includes('-') ? `${found.version}.1` : `${major}.${Number(minor) + 1}.0`;
    const dist = { tarball: `${url}/-/${encodeURIComponent(name)}.tar` };
    return {
      name,
      'dist-tags': { latest: newer },
      versions: {
        [found.version]: { ...found, name, dist },
        [newer]: { ...found, name, version: newer, engines: { node: '>=99' }, dist },
      },
    };
  };
  const pack = async (name: string): Promise<Buffer> => {
    const [place, file] = [join(repository, 'node_modules', name), join(folder, `${name.replaceAll('/', '-')}.tar`)];
    await mkdir(folder, { recursive: true });
    await execute('tar', ['-cf', file, '-C', dirname(place), basename(place)]);
    return readFile(file);
  };
  const answer = async (path: string): Promise<Buffer | string | undefined> => {
    const [, tarball] = /^\/-\/(.*)\.tar$/.exec(path) ?? [];
    if (tarball !== undefined) return pack(decodeURIComponent(tarball));
    const name = decodeURIComponent(path.slice(1));
    asked.add(name);
    const described = describePackage(name);
    return described && JSON.stringify(described);
  };
  const server = createServer((request, response) => {
    answer(request.url ?? '').then(
      (body) => response.writeHead(body === undefined ? 404 : 200).end(body ?? '{}'),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
