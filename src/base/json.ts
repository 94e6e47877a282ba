/** JSON text that is stored and sent without being parsed again. */

/** Without a charset: JSON is always UTF-8, and clients compare the exact text (decision 0002). */
export const JSON_TYPE = 'application/json';

declare const contentBrand: unique symbol;

export type JsonText<Content> = string & { readonly [contentBrand]: Content };

export function toJson<Content>(content: Content): JsonText<Content> {
  return JSON.stringify(content) as JsonText<Content>;
}

/** Between the elements of a list that is printed as text. JSON that is printed here has no other line breaks, so one can split at it. */
export const LIST_SEPARATOR = ',\n';
