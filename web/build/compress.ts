/** Writes compressed copies beside the built files. */
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { compressFile } from '../../scripts/compress-file.mjs';

const COMPRESSIBLE = /\.(?:js|css|html|svg|json|webmanifest)$/;

export function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    // Reads the written files, because other build steps change them until then.
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter((name) => COMPRESSIBLE.test(name));
      await Promise.all(names.map((name) => compressFile(join(dir, name))));
    },
  };
}
