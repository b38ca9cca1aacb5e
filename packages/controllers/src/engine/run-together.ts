/** Runs all parts until the signal is aborted. An error in one stops the others, and is thrown when they have ended. */
export async function runTogether(
  parts: readonly ((signal: AbortSignal) => Promise<void>)[],
  signal: AbortSignal,
): Promise<void> {
  const together = new AbortController()
  const stop = (): void => together.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const running = parts.map((part) =>
    part(together.signal).catch((error: unknown) => {
      together.abort(error)
      throw error
    }),
  )
  try {
    const results = await Promise.allSettled(running)
    for (const result of results) if (result.status === 'rejected') throw result.reason
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
