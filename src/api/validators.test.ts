import { describe, expect, it } from 'vitest';
import { validatorOf } from './validators.js';
import { choice, optional, type Schema, Type } from './wire.js';

/** The compiler checks the value against the type of the schema, and the validator checks it against the JSON. */
function accepts<Value>(schema: Schema<Value>, value: NoInfer<Value>): boolean {
  return validatorOf(schema)()(value);
}

describe('the compiler and the validator agree', () => {
  const Pet = Type.Object({
    name: Type.String(),
    kind: choice(['CAT', 'DOG']),
    ages: optional(Type.Array(Type.Integer())),
  });
  const named = { name: 'Rex', kind: 'DOG' } as const;

  it('on properties: all are required unless they are optional', () => {
    expect(accepts(Pet, named)).toBe(true);
    expect(accepts(Pet, { ...named, ages: [3, 4] })).toBe(true);
    // @ts-expect-error
    expect(accepts(Pet, { kind: 'DOG' })).toBe(false);
    // @ts-expect-error
    expect(accepts(Pet, { ...named, ages: null })).toBe(false);
    // @ts-expect-error
    expect(accepts(Pet, { ...named, ages: ['3'] })).toBe(false);
  });

  it('on choices: only the listed words', () => {
    // @ts-expect-error
    expect(accepts(Pet, { ...named, kind: 'COW' })).toBe(false);
  });

  it('on partial objects: nothing is required, and types stay the same', () => {
    expect(accepts(Type.Partial(Pet), {})).toBe(true);
    // @ts-expect-error
    expect(accepts(Type.Partial(Pet), { kind: 'COW' })).toBe(false);
  });

  it('on properties that another object repeats', () => {
    const Tagged = Type.Object({ ...Pet.properties, tag: Type.Boolean() });
    expect(accepts(Tagged, { ...named, tag: true })).toBe(true);
    // @ts-expect-error
    expect(accepts(Tagged, named)).toBe(false);
    // @ts-expect-error
    expect(accepts(Tagged, { tag: true })).toBe(false);
  });

  it('on empty objects, which are objects', () => {
    expect(accepts(Type.Object({}), {})).toBe(true);
    // @ts-expect-error
    expect(accepts(Type.Object({}), 'text')).toBe(false);
  });

  it('on records, tuples and literals', () => {
    expect(accepts(Type.Record(Type.Number()), { any: 1.5 })).toBe(true);
    // @ts-expect-error
    expect(accepts(Type.Record(Type.Number()), { any: '1.5' })).toBe(false);
    expect(accepts(Type.Tuple([Type.Integer(), Type.String()]), [1, 'a'])).toBe(true);
    // @ts-expect-error
    expect(accepts(Type.Tuple([Type.Integer(), Type.String()]), ['a', 1])).toBe(false);
    // @ts-expect-error
    expect(accepts(Type.Tuple([Type.Integer(), Type.String()]), [1])).toBe(false);
    expect(accepts(Type.Literal(2), 2)).toBe(true);
    // @ts-expect-error
    expect(accepts(Type.Literal(2), 3)).toBe(false);
  });
});
