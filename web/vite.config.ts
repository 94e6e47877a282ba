/** Builds the pages from web/ into dist/pages, after the server has been compiled. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { colorScheme } from './build/color-scheme.js';
import { compress } from './build/compress.js';
import { icons } from './build/icons.js';
import { installable, SERVICE_WORKER } from './build/installable.js';
import { operations } from './build/operations.js';

const here = fileURLToPath(new URL('.', import.meta.url));

/** A folder with an index.html for each place. */
const PLACES = ['start', 'dashboard', 'register', 'store', 'console'];

/** Warnings that do not matter: the component library marks its files for rendering on a server, and plugins take some time. */
const IGNORED_WARNINGS = ['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS'];

/** The icons that pages draw, and what draws them. */
const ICONS = /^\0icon:|\/ui\/icons?\.tsx?$/;

export default defineConfig({
  root: here,
  publicDir: false,
  plugins: [operations(), icons(), colorScheme(), installable(), compress()],
  build: {
    outDir: `${here}../dist/pages`,
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: 'licenses.md' }, // of the packages in the pages
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      input: {
        ...Object.fromEntries(PLACES.map((place) => [place, `${here}${place}/index.html`])),
        'service-worker': `${here}register/offline-worker.ts`,
      },
      output: {
        entryFileNames: ({ name }) => (name === 'service-worker' ? SERVICE_WORKER : 'assets/[name]-[hash].js'),
        // Otherwise each icon that several pages share would be a separate file with its own request.
        codeSplitting: {
          groups: [{ name: 'icons', test: ICONS, minShareCount: 2, includeDependenciesRecursively: false }],
        },
      },
      onLog: (level, log, report) => !IGNORED_WARNINGS.includes(log.code ?? '') && report(level, log),
    },
  },
  logLevel: 'warn',
});
