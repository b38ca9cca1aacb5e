import type { WriteRequester } from './write-options.ts'

/** Tells a client something besides the answer; once, though a write may be planned several times. */
export function warn(requester: WriteRequester, warnings: readonly string[] = []): void {
  if (requester === 'system') return
  const { warnings: told } = requester.request
  told.push(...warnings.filter((each) => !told.includes(each)))
}
