/** Values that are usually known at once. Hot paths then wait for no promise, which would cost each request time. */

export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues with the value: at once, or when it is known. */
export function continueWith<Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
