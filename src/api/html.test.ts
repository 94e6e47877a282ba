import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html } from './html.js';

describe('html', () => {
  it('keeps markup of templates, and of templates inside templates', () => {
    const items = ['a', 'b'].map((each) => html`<li>${each}</li>`);
    expect(html`<ul>${items}</ul>${false}${undefined}${html`<br>`}`.text).toBe('<ul><li>a</li><li>b</li></ul><br>');
  });

  it('escapes values, so that they open no tag and end no attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'<>"\'&;ax ='.split('')) }), (text) => {
        const shown = html`${text}`.text;
        expect(shown).not.toMatch(/[<>"']/);
        const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
        expect(shown.replaceAll(/&(\w+|#39);/g, (_, name: string) => entities[name] ?? '?')).toBe(text);
      }),
    );
  });
});
