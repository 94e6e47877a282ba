/** The kinds of events of the published interface. `npm run docs` writes the list from the installed client. */
import { expect, it } from 'vitest';
import { V2_EVENT_KINDS } from '../../src/events/model.js';
import { listPublishedKinds } from './published-kinds.js';

it('the server knows all published kinds of events, so that it tells those it never sends from misspelt ones', async () => {
  const kinds = listPublishedKinds();
  expect(kinds).toEqual(expect.arrayContaining(V2_EVENT_KINDS));
  const lines = kinds.map((kind) => `  '${kind}',\n`).join('');
  const text = `/** The kinds of events of the published interface. A test writes the list from the installed client. */\nexport const PUBLISHED_KINDS: readonly string[] = [\n${lines}];\n`;
  await expect(text).toMatchFileSnapshot('../../src/events/published-kinds.ts');
});
