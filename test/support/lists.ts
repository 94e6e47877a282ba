/** Walks over the pages of lists in the ways that clients do (contract 13.1). */
import { expect } from 'vitest';
import { type ApiResponse, nextPath } from './http.js';

type Get = (path: string) => Promise<ApiResponse>;
type Parameters = Readonly<Record<string, string>>;

/** Follow the URL; send only the token; send the token and all parameters of the first request. */
export const CLIENT_STYLES = ['the URL as given', 'only the token', 'the token and all parameters'] as const;
export type ClientStyle = (typeof CLIENT_STYLES)[number];

/** No list of these tests has more pages, so an endless walk fails instead of hanging. */
const MAX_PAGES = 500;

export interface Walk {
  readonly get: Get;
  readonly path: string;
  readonly parameters?: Parameters;
  readonly style?: ClientStyle;
}

function withQuery(path: string, parameters: Parameters): string {
  return Object.keys(parameters).length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
}

function following(name: string, token: string, url: string, { path, parameters = {}, style }: Walk): string {
  if (style === 'only the token') return withQuery(path, { [name]: token });
  if (style === 'the token and all parameters') return withQuery(path, { ...parameters, [name]: token });
  return url;
}

/** The pages of a v1 list. */
export async function walkV1(walk: Walk): Promise<ApiResponse[]> {
  const pages: ApiResponse[] = [];
  let path: string | undefined = withQuery(walk.path, walk.parameters ?? {});
  while (path !== undefined) {
    const answer = await walk.get(path);
    expect(answer.status, answer.text).toBe(200);
    pages.push(answer);
    expect(pages.length).toBeLessThan(MAX_PAGES);
    const next = nextPath(answer);
    const token = next && new URLSearchParams(next.slice(next.indexOf('?'))).get('batch_token');
    path = next && token ? following('batch_token', token, next, walk) : undefined;
  }
  return pages;
}

/** The pages of a v2 list. There is no URL to follow, so the first style sends only the cursor. */
export async function walkV2(walk: Walk): Promise<ApiResponse[]> {
  const pages: ApiResponse[] = [];
  let path: string | undefined = withQuery(walk.path, walk.parameters ?? {});
  while (path !== undefined) {
    const answer = await walk.get(path);
    expect(answer.status, answer.text).toBe(200);
    pages.push(answer);
    expect(pages.length).toBeLessThan(MAX_PAGES);
    const cursor: string | undefined = answer.body.cursor;
    path = cursor && following('cursor', cursor, withQuery(walk.path, { cursor }), walk);
  }
  return pages;
}

export function idsOf(items: readonly { readonly id: string }[]): string[] {
  return items.map(({ id }) => id);
}
