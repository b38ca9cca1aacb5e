/**
 * Runs a function for each item, `limit` at a time. If one fails, the others still run. The first failure is thrown when
 * all have ended, so that none still runs when the caller continues.
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
