import type { WriteRequester } from './write-options.ts'

/** Adds warnings to the answer; once, though a write may be planned several times. */
export function warn(requester: WriteRequester, warnings: readonly string[] = []): void {
  if (requester === 'system') return
  const { warnings: given } = requester.request
  given.push(...warnings.filter((each) => !given.includes(each)))
}
