import type { Clock } from '@strata/world'

/** Takes about ten milliseconds to decode and convert. */
const sizeOfTurn = 512 * 1024

/** Like `map`, but lets other requests run in between when there is much to do. */
export async function inTurns<T, R>(
  all: readonly T[],
  sizeOf: (each: T) => number,
  make: (each: T) => R,
  clock: Clock,
): Promise<R[]> {
  const made: R[] = []
  let size = 0
  for (const each of all) {
    if (size >= sizeOfTurn) {
      await new Promise<void>((resolve) => clock.soon(resolve))
      size = 0
    }
    made.push(make(each))
    size += sizeOf(each)
  }
  return made
}
