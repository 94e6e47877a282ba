/** The API reference explains every field and every parameter of every surface. */
import { describe, expect, it } from 'vitest';
import { describeApi } from '../../src/api/openapi.js';
import { about, model, Type } from '../../src/api/wire.js';
import { operations } from '../../src/operations.js';

const SURFACES = [...new Set(operations.map(({ surface }) => surface))];

const SENTENCE = /^[A-Z`].*\.$/;

/** Paths of the properties and parameters in a document whose description is missing or is not a sentence. */
function findUndescribed(node: unknown, path: string): string[] {
  if (Array.isArray(node))
    return node.flatMap((each, index) => findUndescribed(each, `${path}.${nameOf(each) ?? index}`));
  if (typeof node !== 'object' || node === null) return [];
  const { properties, parameters } = node as { properties?: Record<string, object>; parameters?: readonly object[] };
  const fields = Object.entries(properties ?? {}).map(([name, field]) => ({ name, field }));
  const named = (parameters ?? []).map((field) => ({ name: nameOf(field) ?? '', field }));
  const missing = [...fields, ...named]
    .filter(({ field }) => !SENTENCE.test((field as { description?: string }).description ?? ''))
    .map(({ name }) => `${path}.${name}`);
  return [...missing, ...Object.entries(node).flatMap(([key, value]) => findUndescribed(value, `${path}.${key}`))];
}

function nameOf(node: unknown): string | undefined {
  return (node as { name?: string } | null)?.name;
}

describe('descriptions', () => {
  it.each(SURFACES)('explain every field and parameter of %s', (surface) => {
    const document = describeApi(operations.filter((each) => each.surface === surface));
    expect(findUndescribed(document, surface)).toEqual([]);
  });

  it('are required by this test', () => {
    const Card = model('Card', { brand: about('The brand of the card.', Type.String()), last_4: Type.String() });
    const [operation] = operations;
    if (!operation) throw new Error('there are no operations');
    const document = describeApi([{ ...operation, response: Type.Object({ card: Card }) }]);
    expect(findUndescribed(document, '').filter((path) => /card|last_4/.test(path))).toHaveLength(2);
  });
});
