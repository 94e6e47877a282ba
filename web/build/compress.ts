/** Writes a gzip and a Brotli copy beside each built file, so that the server compresses nothing. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller files fit in one packet anyway. */
const MIN_BYTES = 1024;
const COMPRESSIBLE = /\.(?:js|css|html|svg|json|webmanifest)$/;
/** The best level takes ten times as long as this one, for files that are 4 % smaller. */
const BROTLI_QUALITY = 9;

export function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    // From the written files: until then, other steps still change them.
    async writeBundle({ dir = '' }, bundle) {
      const names = Object.keys(bundle).filter((name) => COMPRESSIBLE.test(name));
      await Promise.all(names.map((name) => compressFile(join(dir, name))));
    },
  };
}

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < MIN_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
}
