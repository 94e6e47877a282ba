/** Adds a script to each page that sets light or dark before the first paint. It is a file: the policy forbids inline scripts. */
import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';

/** The storage key is that of the component library, which reads the attribute when it starts. */
const SCRIPT = `(() => {
  let chosen;
  try { chosen = localStorage.getItem('mantine-color-scheme-value'); } catch {}
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
`;

export function colorScheme(): Plugin {
  const fileName = `assets/color-scheme-${createHash('sha256').update(SCRIPT).digest('hex').slice(0, 8)}.js`;
  return {
    name: 'color-scheme',
    apply: 'build',
    buildStart() {
      this.emitFile({ type: 'asset', fileName, source: SCRIPT });
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `/${fileName}` }, injectTo: 'head-prepend' }],
  };
}
