/** Fills values of the request into the headers and the body of a stub's response: `{{request.body.amount_money.amount}}`. */
import type { Json } from './stub-definition.js';

/** What a template can use. */
export interface TemplateValues {
  readonly request: {
    readonly method: string;
    readonly url: string;
    /** The parts of the path that have a name in the stub. */
    readonly path: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
    /** Names are in lower case. */
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Json | undefined;
  };
  readonly merchant: { readonly id: string | undefined };
  /** The time of the merchant's clock. */
  readonly now: string;
  /** A new one each time. */
  readonly uuid: () => string;
  /** How often the stub has answered, with this time. */
  readonly used: number;
}

const PLACE = /\{\{([^{}]*)\}\}/g;
const ONLY_PLACE = /^\{\{([^{}]*)\}\}$/;

const KNOWN = /^(?:request\.(?:method|url|body|(?:body|path|query|headers)\.\S+)|merchant\.id|now|uuid|used)$/;

/** What stands between braces in a text, in order. */
export function placesIn(text: string): readonly string[] {
  return [...text.matchAll(PLACE)].map(([, name = '']) => name.trim());
}

export function isKnownPlace(name: string): boolean {
  return KNOWN.test(name);
}

/** The value at a place such as `line_items.0.name`; undefined if there is none. */
export function valueAt(value: Json | undefined, place: string): Json | undefined {
  return place.split('.').reduce<Json | undefined>((at, name) => {
    if (typeof at !== 'object' || at === null) return undefined;
    return Object.hasOwn(at, name) ? (at as Readonly<Record<string, Json>>)[name] : undefined;
  }, value);
}

/** Undefined: the member is left out, because it is nothing but a value that the request does not have. */
export function fill(value: Json, values: TemplateValues): Json | undefined {
  if (typeof value === 'string') return fillText(value, values);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((each) => fill(each as Json, values)).filter((each) => each !== undefined);
  }
  const filled: [string, Json][] = [];
  for (const [name, member] of Object.entries(value)) {
    const found = fill(member as Json, values);
    if (found !== undefined) filled.push([name, found]);
  }
  return Object.fromEntries(filled);
}

/** A text that is only a place becomes the value itself, for example a number. */
function fillText(text: string, values: TemplateValues): Json | undefined {
  const [, only] = ONLY_PLACE.exec(text) ?? [];
  if (only !== undefined) return lookUp(only.trim(), values);
  return text.replaceAll(PLACE, (_all, name: string) => print(lookUp(name.trim(), values)));
}

function lookUp(name: string, values: TemplateValues): Json | undefined {
  const { request } = values;
  if (name === 'uuid') return values.uuid();
  if (name === 'now' || name === 'used') return values[name];
  if (name === 'merchant.id') return values.merchant.id;
  if (name === 'request.method') return request.method;
  if (name === 'request.url') return request.url;
  if (name === 'request.body') return request.body;
  const [, part, place = ''] = /^request\.(\w+)\.(.*)$/.exec(name) ?? [];
  if (part === 'body') return valueAt(request.body, place);
  if (part === 'headers') return ownOf(request.headers, place.toLowerCase());
  return part === 'path' || part === 'query' ? ownOf(request[part], place) : undefined;
}

function ownOf(values: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function print(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
