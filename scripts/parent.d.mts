/** What the tests use of parent.mjs, for the compiler. */
export function stopWithParent(parent?: number): void;
