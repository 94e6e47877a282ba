/** What the tests use of browser.mjs, for the compiler. */
export function findBrowser(): string | undefined;
