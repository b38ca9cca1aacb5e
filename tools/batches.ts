import { isLong, type TestKind } from './test-files.ts'

/** How many files of a kind share a process. Those with real parts have one each: it is ended with all they started. */
const SHARING: Readonly<Record<TestKind, number>> = { unit: 24, joint: 6, slow: 1, e2e: 1, alone: 1 }

/** Divides the files of a kind, in their order, into the processes that run them; a long one has its own. */
export function divideIntoBatches(
  kind: TestKind,
  files: readonly string[],
): ReadonlyArray<readonly string[]> {
  const short = files.filter((path) => !isLong(path))
  const batches = Array.from({ length: Math.ceil(short.length / SHARING[kind]) }, (_, index) =>
    short.slice(index * SHARING[kind], (index + 1) * SHARING[kind]),
  )
  return [...files.filter(isLong).map((path) => [path]), ...batches]
}
