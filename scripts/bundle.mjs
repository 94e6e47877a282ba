/**
 * Joins the compiled modules of the programs, and the packages that they use, into a few files behind dist/main.js and its neighbours. Node
 * loads them in less than half the time that the hundreds of single files take. Those stay for tests and benchmarks.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'vite';
import { root } from './prepare.mjs';

const DIST = join(root, 'dist');

/** The command line, the server of a test process, and the keeper of its database. */
const PROGRAMS = ['main', 'kit-server', 'keeper'];

/** Loads the compiled modules with their source maps. `import.meta.url` keeps their own places, where they look for other files. */
const compiled = {
  name: 'compiled',
  async load(id) {
    if (!id.startsWith(DIST) || !id.endsWith('.js')) return undefined;
    const [code, map] = await Promise.all([readFile(id, 'utf8'), readFile(`${id}.map`, 'utf8')]);
    const place = relative(DIST, id).replaceAll('\\', '/');
    return { code: code.replaceAll('import.meta.url', `new URL('./${place}', import.meta.url).href`), map };
  },
};

const common = { configFile: false, root, publicDir: false, logLevel: 'warn', plugins: [compiled] };
const intoDist = { ssr: true, outDir: DIST, emptyOutDir: false, target: 'node20', minify: false };

await build({
  ...common,
  // The first is a compiled library for each platform. The others are optional: for traces, and for Stripe.
  ssr: { noExternal: true, external: ['@node-rs/argon2', '@opentelemetry/api', '@opentelemetry/sdk-node', 'stripe'] },
  build: {
    ...intoDist,
    sourcemap: true,
    license: { fileName: 'licenses.md' }, // of the packages in the bundle
    rolldownOptions: {
      input: PROGRAMS.map((name) => join(DIST, `${name}.js`)),
      output: { entryFileNames: '[name].js', chunkFileNames: 'chunk-[name]-[hash].js' },
    },
  },
});

// The test kit is one CommonJS module, which every test runner can load, with a door for `import`: so there is one kit in a process.
await build({
  ...common,
  build: {
    ...intoDist,
    rolldownOptions: {
      input: join(DIST, 'testing/index.js'),
      output: { format: 'cjs', entryFileNames: 'testing.cjs', codeSplitting: false },
    },
  },
});
const { default: kit } = await import(join(DIST, 'testing.cjs'));
await writeFile(join(DIST, 'testing.js'), `export { ${Object.keys(kit).join(', ')} } from './testing.cjs';\n`);

// Its types, for compilers that distinguish both kinds of modules.
const declarations = (await readdir(join(DIST, 'testing'))).filter((name) => name.endsWith('.d.ts'));
for (const name of ['sandbox-client.d.ts', ...declarations.map((each) => `testing/${each}`)]) {
  const text = await readFile(join(DIST, name), 'utf8');
  const path = join(DIST, name.replace(/\.d\.ts$/, '.d.cts'));
  await writeFile(path, text.replaceAll(/(from '\.{1,2}\/[^']+)\.js'/g, "$1.cjs'"));
}
