/** The operations that a queue can run: what each of them needs beyond its declaration. */
import { compileBody, type Reader } from '../../api/input.js';
import type { Operation } from '../../api/operation.js';
import type { Room } from '../../api/room.js';
import { REGISTER_PERMISSIONS, type RegisterPermission } from '../../identity/permissions.js';
import { KEPT_OPERATIONS, type KeptOperation } from './register.view.js';

export interface RunnableOperation extends Operation {
  readonly readBody: Reader;
  /** The names of the parameters in its path. */
  readonly references: readonly string[];
  /** The permission that the employee's role needs; undefined: none. */
  readonly rolePermission: RegisterPermission | undefined;
}

export type RunnableOperations = ReadonlyMap<KeptOperation, RunnableOperation>;

export function toRunnableOperations(rooms: readonly Room[]): RunnableOperations {
  const operations = rooms.flatMap((room) => room.operations).filter(({ surface }) => surface === 'register');
  return new Map(
    KEPT_OPERATIONS.map((name) => {
      const found = operations.find((operation) => operation.name === name);
      if (!found?.body) throw new Error(`a queue cannot run ${name}`);
      return [
        name,
        {
          ...found,
          readBody: compileBody(found.body, 'v2'),
          references: [...found.path.matchAll(/\{(\w+)\}/g)].map(([, reference = '']) => reference),
          rolePermission: REGISTER_PERMISSIONS.find((permission) => permission === found.permission),
        },
      ];
    }),
  );
}
