/** The built program with its modules joined into few files. */
import { cp } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { buildProgram, linkPackages } from './built.js';
import { createOnce } from './folders.js';

/** What tests start. All other modules are part of these, or of files that these share. */
const ENTRIES = ['main', 'server'];

let program: Promise<string> | undefined;

/**
 * Its folder, with the joined files in the place of those of the build. Node loads it with half of the CPU time, and tests start it more
 * than a hundred times. The tests of the package and of `npm start` run the program as it is built.
 */
export function joinProgram(): Promise<string> {
  program ??= createOnce('joined-program', async (root) => {
    const built = await buildProgram();
    for (const name of ['package.json', 'migrations', 'dist']) {
      await cp(join(built, name), join(root, name), { recursive: true });
    }
    await linkPackages(root);
    const dist = join(root, 'dist');
    const { build } = await import('vite'); // here, because every worker loads this file, and one of them needs the bundler
    await build({
      configFile: false,
      root,
      logLevel: 'error',
      plugins: [keepUrls(dist)],
      build: {
        ssr: true, // for Node: packages are not joined
        target: 'node20',
        minify: false,
        emptyOutDir: false,
        rolldownOptions: {
          input: Object.fromEntries(ENTRIES.map((name) => [name, join(dist, `${name}.js`)])),
          output: { entryFileNames: '[name].js', chunkFileNames: 'joined-[name]-[hash].js' },
        },
      },
    });
  });
  return program;
}

/** The modules find the migrations, functions and assets by their own places, which they keep. */
function keepUrls(dist: string): Plugin {
  return {
    name: 'keep-urls',
    transform: (code, id) =>
      code.replaceAll('import.meta.url', `new URL('./${relative(dist, id)}', import.meta.url).href`),
  };
}
