/** Types of the function of run-exclusively.mjs that tests use. */
export function runExclusively<Result>(name: string, work: () => Result): Result;
