import type { RequestInfo } from '../handlers/index.ts'

/** A watch has no deadline and does not count as a request in flight. */
export function isLongRunning({ verb }: RequestInfo): boolean {
  return verb === 'watch'
}

const reads = new Set(['get', 'list', 'watch'])

export function isReadOnly({ verb }: RequestInfo): boolean {
  return reads.has(verb)
}
