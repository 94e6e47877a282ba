/** Types of the module that web/build/operations.ts computes. */
declare module 'virtual:operations' {
  export const dashboard: Readonly<Record<string, { name: string; method: string; path: string }>>;
}
