/**
 * Joins the compiled modules of the program, and the packages that it uses, into a few files behind dist/main.js. Node loads them in less
 * than half the time that the hundreds of single files take. Those stay for the test kit and the benchmarks.
 */
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'vite';
import { root } from './prepare.mjs';

const DIST = join(root, 'dist');

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

await build({
  configFile: false,
  root,
  publicDir: false,
  logLevel: 'warn',
  plugins: [compiled],
  // The first is a compiled library for each platform. The others are optional: for traces, and for Stripe.
  ssr: { noExternal: true, external: ['@node-rs/argon2', '@opentelemetry/api', '@opentelemetry/sdk-node', 'stripe'] },
  build: {
    ssr: join(DIST, 'main.js'),
    outDir: DIST,
    emptyOutDir: false,
    target: 'node20',
    minify: false,
    sourcemap: true,
    license: { fileName: 'licenses.md' }, // of the packages in the bundle
    rolldownOptions: { output: { entryFileNames: '[name].js', chunkFileNames: 'chunk-[name]-[hash].js' } },
  },
});
