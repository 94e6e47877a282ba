/** A room offers operations and pages: the one name of a room that the list of rooms imports. */
import type { Operation } from './operation.js';
import type { Page } from './pages.js';

export interface Room<Each extends Operation = Operation> {
  /** Of all surfaces. They keep their types: the pages' client is computed from them. */
  readonly operations: readonly Each[];
  readonly pages: readonly Page[];
}

export function room<Each extends Operation>(operations: readonly Each[], pages: readonly Page[] = []): Room<Each> {
  return { operations, pages };
}
