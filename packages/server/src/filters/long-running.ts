import type { RequestInfo } from '../handlers/index.ts'

/** A watch lasts as long as its client likes: neither deadlines nor limits on requests under way are for it. */
export function isLongRunning({ verb }: RequestInfo): boolean {
  return verb === 'watch'
}

const reads = new Set(['get', 'list', 'watch'])

export function isReadOnly({ verb }: RequestInfo): boolean {
  return reads.has(verb)
}
