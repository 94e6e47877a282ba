/** JSON text that is kept and copied out as it is: what is only passed on is never parsed. */

/** Exactly this, without a charset: JSON is always UTF-8, and clients compare the text (decision 0002). */
export const JSON_TYPE = 'application/json';

declare const contentBrand: unique symbol;

export type JsonText<Content> = string & { readonly [contentBrand]: Content };

export function toJson<Content>(content: Content): JsonText<Content> {
  return JSON.stringify(content) as JsonText<Content>;
}
