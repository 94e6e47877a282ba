/** What the tests use of prepare.mjs, for the compiler. */
export function isBuilt(): boolean;
