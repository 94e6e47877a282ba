import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { build } from 'vite';
import { describe, expect, it } from 'vitest';
import type { Icon, IconProps } from '../ui/icon.js';
import { icons } from './icons.js';

/** Builds the module of one icon as the build does for a page, and renders it. */
async function draw(name: string, props: IconProps = {}): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    plugins: [icons()],
    build: { write: false, rolldownOptions: { input: `icon:${name}`, preserveEntrySignatures: 'strict' } },
  });
  const { output } = built as unknown as { output: readonly [{ code: string }] };
  const address = `data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`;
  const { default: component } = (await import(address)) as { default: Icon };
  return renderToStaticMarkup(createElement(component, props));
}

describe('an icon', () => {
  it('has lines of the colour of the text, 2 wide on a square of 24', async () => {
    expect(await draw('check')).toBe(
      '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none" ' +
        'stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">' +
        '<path d="m5 12l5 5L20 7"></path></svg>',
    );
  });

  it('has the size and the lines that a page asks for, and every other attribute', async () => {
    const drawing = await draw('circle', { size: 10, stroke: 1.7, fill: 'currentColor', 'aria-hidden': true });
    for (const part of ['width="10" height="10"', 'stroke-width="1.7"', 'fill="currentColor"', 'aria-hidden="true"']) {
      expect(drawing).toContain(part);
    }
    expect(drawing).not.toMatch(/fill="none"|<path[^>]* (?:fill|stroke)/);
  });

  it('keeps its filled parts', async () => {
    const drawing = await draw('discount');
    expect([drawing.match(/<path/g)?.length, drawing.match(/<path[^>]* fill="currentColor"/g)?.length]).toEqual([3, 1]);
  });

  it.each([
    ['no-such-icon', 'there is no icon "no-such-icon"'],
    ['circle-filled', 'the icon "circle-filled" is no outline'],
  ])('named %s fails the build: %s', async (name, message) => {
    await expect(draw(name)).rejects.toThrow(message);
  });
});
