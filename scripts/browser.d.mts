/** Types of the functions of browser.mjs that tests use. */
export function findBrowser(): string | undefined;
