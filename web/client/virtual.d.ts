/** Types of the modules that web/build/operations.ts computes. */
declare module 'virtual:operations/*' {
  export const declared: Readonly<Record<string, { name: string; method: string; path: string }>>;
}
