/**
 * Does it for each, `limit` at a time. One that fails keeps nobody else from being tried; the first failure is thrown when
 * all have ended, so that nobody goes on behind the caller's back.
 */
export async function severalAtOnce<T>(
  limit: number,
  items: Iterable<T>,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = Iterator.from(items)
  const failures: unknown[] = []
  const work = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      try {
        await act(next.value)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, work))
  if (failures.length > 0) throw failures[0]
}
