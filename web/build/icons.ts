/** The modules `icon:<name>`: a component for each icon that pages use, from the one file with all icons of Tabler (decision 0202). */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const SET = '@iconify-json/tabler/icons.json';
const COMPONENT = fileURLToPath(new URL('../ui/icon.tsx', import.meta.url));

/** The attributes that every outline in the set repeats. The component sets them instead, so that a page can choose the stroke width. */
const OUTLINE = ' fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"';
const GROUP = /^<g>(.*)<\/g>$/;
const PATH = /<path(?: fill="([^"]+)")? d="([^"]+)"\/>/g;

export function icons(): Plugin {
  return {
    name: 'icons',
    resolveId: { filter: { id: /^icon:/ }, handler: (id) => `\0${id}` },
    load: {
      filter: { id: /^\0icon:/ },
      // Marked as pure: a page contains only the icons that it draws.
      handler: (id) => `import { createIcon } from ${JSON.stringify(COMPONENT)};
        export default /* @__PURE__ */ createIcon(${JSON.stringify(readPaths(id.slice('\0icon:'.length)))});`,
    },
  };
}

/** Throws if the icon is not an outline, because the component would draw it incorrectly. */
function readPaths(name: string): readonly object[] {
  const { icons } = createRequire(import.meta.url)(SET) as { icons: Record<string, { body: string }> };
  const body = icons[name]?.body;
  if (body === undefined) throw new Error(`there is no icon "${name}"`);
  const paths = body.replace(OUTLINE, '').replace(GROUP, '$1');
  if (!body.includes(OUTLINE) || paths.replace(PATH, '') !== '') throw new Error(`the icon "${name}" is no outline`);
  return [...paths.matchAll(PATH)].map(([, fill, d]) => ({ d, fill }));
}
