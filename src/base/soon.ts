/** Values that are usually known at once. Hot paths then wait for no promise, which would cost each request time. */

export type Soon<Value> = Value | Promise<Value>;

/** Continues with the value: at once, or when it is known. */
export function after<Value, Result>(value: Soon<Value>, next: (value: Value) => Soon<Result>): Soon<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
