/** The promise's outcome, or the signal's reason if it is aborted first. What the promise does goes on. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    const forget = (): void => signal.removeEventListener('abort', onAbort)
    promise.then(
      (value) => {
        forget()
        resolve(value)
      },
      (error: unknown) => {
        forget()
        reject(error)
      },
    )
  })
}

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
