/**
 * Goes on with a value at once, or when its promise is fulfilled. For interfaces whose answer is usually known without
 * waiting: these do not wait for the event loop then, and those that must wait can.
 */
export function onceKnown<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
