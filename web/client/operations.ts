/** The operations of the dashboard with their types. Only the types cross over from the server; see web/build/operations.ts. */
import { dashboard as declared } from 'virtual:operations';
import type { DeclaredOperation, Signature } from '../../src/api/operation.js';
import type { dashboardOperations } from '../../src/operations.js';

/** What `call` needs at run time. The types exist for the compiler only. */
export interface Callable<Types extends Signature = Signature> {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly '~signature'?: Types;
}

type Declared = (typeof dashboardOperations)[number];

type SignatureOf<Operation> = Operation extends DeclaredOperation<string, infer Types> ? Types : never;

type Dashboard = { readonly [Operation in Declared as Operation['name']]: Callable<SignatureOf<Operation>> };

export const dashboard = declared as unknown as Dashboard;

/** Pages pass `undefined` for a filter that is not set. */
type Loose<Fields> = {
  readonly [Name in keyof Fields]: undefined extends Fields[Name] ? Fields[Name] | undefined : Fields[Name];
};

/** Path parameters, and the query or the body, in one object. */
export type InputOf<Operation> =
  Operation extends Callable<infer Types> ? Loose<Types['params'] & Types['input']> : never;

export type ResponseOf<Operation> = Operation extends Callable<infer Types> ? Types['response'] : never;
