/** What the merchant of a fixture must have, so that its requests find what they found: the locations, their names and the currency. */
import type { Json, JsonObject } from '../sandbox/stub-definition.js';
import { textsIn } from './bindings.js';
import type { Exchange, Fixture } from './fixture.js';

export interface NeededLocation {
  /** In the recording. */
  readonly id: string;
  readonly name: string | undefined;
  readonly timezone: string | undefined;
}

export interface Needs {
  readonly businessName: string | undefined;
  readonly country: string | undefined;
  readonly currency: string | undefined;
  /** In the order in which lists have them, and otherwise in that in which they were used. */
  readonly locations: readonly NeededLocation[];
}

const LOCATION_LISTS = /^\/(?:v2|v1\/me)\/locations(?:\?|$)/;
const LOCATION_NAMES = ['location_id', 'location_ids'];
const OF_LOCATION = /^\/(?:v1|v2\/locations)\/(?!me\/)([^/?]+)/;
const OPERATORS = '/api/sandbox/';

export function needsOf({ exchanges }: Fixture): Needs {
  const isOperators = ({ request }: Exchange) => request.path.startsWith(OPERATORS);
  const own = exchanges.filter((each) => !isOperators(each));
  const listed = own
    .filter(({ request, response }) => LOCATION_LISTS.test(request.path) && response.status === 200)
    .flatMap(({ response }) => objectsIn(response.body))
    .filter((each) => typeof each['id'] === 'string' && typeof each['name'] === 'string');
  const made = textsOfAnswers(exchanges);
  const created = textsOfAnswers(exchanges.filter(isOperators));
  const used = own.flatMap(({ request }) => [
    ...(OF_LOCATION.exec(request.path)?.slice(1) ?? []),
    ...new URLSearchParams(request.path.split('?', 2)[1]).getAll('location_id'),
    ...[...textsIn(request.body)].filter(([name]) => LOCATION_NAMES.includes(name)).map(([, text]) => text),
  ]);
  // What the server never showed was no location of the merchant: a test of a wrong id, for example.
  const ids = new Set([...listed.map(({ id }) => String(id)), ...used.filter((id) => made.has(id))]);
  const [first] = listed;
  const textOf = (value: JsonObject | undefined, name: string) => {
    const text = value?.[name];
    return typeof text === 'string' && text !== '' ? text : undefined;
  };
  return {
    businessName: textOf(first, 'business_name') ?? nameOnStatements(own),
    country: textOf(first, 'country'),
    currency: textOf(first, 'currency') ?? currencyIn(own),
    locations: [...ids]
      .filter((id) => !created.has(id))
      .map((id) => {
        const shown = listed.find((each) => each['id'] === id);
        return { id, name: textOf(shown, 'name'), timezone: textOf(shown, 'timezone') };
      }),
  };
}

function textsOfAnswers(exchanges: readonly Exchange[]): ReadonlySet<string> {
  return new Set(exchanges.flatMap(({ response }) => [...textsIn(response.body)].map(([, text]) => text)));
}

function nameOnStatements(exchanges: readonly Exchange[]): string | undefined {
  for (const text of namedTexts(exchanges, /^statement_description$/)) {
    const [, name] = /^SQ \*(.+)$/.exec(text) ?? [];
    if (name !== undefined) return name;
  }
  return undefined;
}

function currencyIn(exchanges: readonly Exchange[]): string | undefined {
  return [...namedTexts(exchanges, /^currency(?:_code)?$/)].find((text) => /^[A-Z]{3}$/.test(text));
}

function* namedTexts(exchanges: readonly Exchange[], wanted: RegExp): Generator<string> {
  for (const { request, response } of exchanges) {
    for (const body of [response.body, request.body]) {
      for (const [name, text] of textsIn(body)) if (wanted.test(name)) yield text;
    }
  }
}

function objectsIn(value: Json | undefined): JsonObject[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value))
    return value.filter((each: Json): each is JsonObject => textsIn(each).next().done === false);
  return Object.values(value as JsonObject).flatMap((each) => (Array.isArray(each) ? objectsIn(each) : []));
}
