/** An operation as pages call it: what a request needs at run time, and its types. Pages import only the types from the server. */
import type { DeclaredOperation, Signature, Surface } from '../../src/api/operation.js';

/** What a request needs at run time. The types exist for the compiler only. */
export interface Callable<Types extends Signature = Signature> {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly '~signature'?: Types;
}

type SignatureOf<Operation> = Operation extends DeclaredOperation<Surface, string, infer Types> ? Types : never;

/** The operations of a surface by their names. */
export type CallablesOf<Declared extends DeclaredOperation<Surface, string, Signature>> = {
  readonly [Operation in Declared as Operation['name']]: Callable<SignatureOf<Operation>>;
};

/** Pages pass `undefined` for a filter that is not set. */
type Loose<Fields> = {
  readonly [Name in keyof Fields]: undefined extends Fields[Name] ? Fields[Name] | undefined : Fields[Name];
};

/** Path parameters, and the query or the body, in one object. */
export type InputOf<Operation> =
  Operation extends Callable<infer Types> ? Loose<Types['params'] & Types['input']> : never;

/** The input may be left out if all of it is optional. */
export type ArgumentsOf<Operation> =
  Record<never, never> extends InputOf<Operation> ? [input?: InputOf<Operation>] : [input: InputOf<Operation>];

export type ResponseOf<Operation> = Operation extends Callable<infer Types> ? Types['response'] : never;
