/** Types of the functions of prepare.mjs that tests use. */
export function isBuilt(): boolean;
export function ensureBuilt(): void;
