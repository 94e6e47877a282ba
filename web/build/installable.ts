/**
 * Makes the register installable: emits its manifest with the icons, and gives its service worker the list of files to keep, so that it
 * starts without a network.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';

const PLACE = 'register';
const MANIFEST = `${PLACE}/manifest.webmanifest`;
/** Has no hash in its name: browsers find a new version at the same address. */
export const SERVICE_WORKER = `${PLACE}/service-worker.js`;

/** Placeholders in the service worker, which the build replaces. */
const FILES_MARK = /["'`]__FILES__["'`]/;
const VERSION_MARK = '__VERSION__';

const ICONS = [
  { name: 'icon-192.png', sizes: '192x192', purpose: 'any' },
  { name: 'icon-512.png', sizes: '512x512', purpose: 'any' },
  { name: 'icon-maskable-512.png', sizes: '512x512', purpose: 'maskable' },
] as const;

const iconFolder = fileURLToPath(new URL(`../${PLACE}/icons/`, import.meta.url));

export function installable(): Plugin {
  const icons = ICONS.map((icon) => {
    const bytes = readFileSync(iconFolder + icon.name);
    return { ...icon, bytes, fileName: `assets/${icon.name.replace('.png', '')}-${hash(bytes)}.png` };
  });
  return {
    name: 'installable',
    apply: 'build',
    enforce: 'post',
    buildStart() {
      for (const { fileName, bytes } of icons) this.emitFile({ type: 'asset', fileName, source: bytes });
      this.emitFile({ type: 'asset', fileName: MANIFEST, source: printManifest(icons) });
    },
    transformIndexHtml: (_html, { path }) =>
      path.startsWith(`/${PLACE}/`)
        ? [
            { tag: 'link', attrs: { rel: 'manifest', href: `/${MANIFEST}` }, injectTo: 'head' },
            { tag: 'link', attrs: { rel: 'apple-touch-icon', href: `/${icons[0]?.fileName}` }, injectTo: 'head' },
          ]
        : [],
    generateBundle(_options, bundle) {
      const worker = bundle[SERVICE_WORKER];
      const shell = bundle[`${PLACE}/index.html`];
      if (worker?.type !== 'chunk' || shell?.type !== 'asset') throw new Error('the register has no service worker');
      const html = String(shell.source);
      const files = [...filesOf(html, bundle)].sort();
      const list = JSON.stringify([`/${PLACE}`, `/${MANIFEST}`, ...files.map((name) => `/${name}`)]);
      const manifest = bundle[MANIFEST];
      const version = hash(list + html + worker.code + (manifest?.type === 'asset' ? String(manifest.source) : ''));
      worker.code = worker.code.replace(FILES_MARK, list).replaceAll(VERSION_MARK, version);
    },
  };
}

/** All files that the place can load: those in its HTML, their static and dynamic imports, and the styles and pictures of all of them. */
function filesOf(html: string, bundle: Rolldown.OutputBundle): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    const file = bundle[name];
    if (!file || found.has(name)) return;
    found.add(name);
    if (file.type !== 'chunk') return;
    const { importedCss = [], importedAssets = [] } = file.viteMetadata ?? {};
    for (const each of [...file.imports, ...file.dynamicImports, ...importedCss, ...importedAssets]) visit(each);
  };
  for (const [, name = ''] of html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)) visit(name);
  return found;
}

function printManifest(icons: readonly { fileName: string; sizes: string; purpose: string }[]): string {
  return JSON.stringify({
    id: `/${PLACE}`,
    name: 'Tillhouse Register',
    short_name: 'Register',
    description: 'A point of sale that keeps selling without a network.',
    start_url: `/${PLACE}`,
    scope: `/${PLACE}`,
    display: 'standalone',
    background_color: '#fafaf8',
    theme_color: '#17784d',
    icons: icons.map(({ fileName, sizes, purpose }) => ({ src: `/${fileName}`, sizes, purpose, type: 'image/png' })),
  });
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}
