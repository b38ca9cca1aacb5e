import type { RequestInfo } from '../handlers/index.ts'

/** As upstream. No resource that is served here has these; those of other servers may. */
const longSubresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy'])

/** A watch has no deadline and does not count as a request in flight. */
export function isLongRunning({ verb, target }: RequestInfo): boolean {
  return verb === 'watch' || (target !== undefined && longSubresources.has(target.subresource))
}

const reads = new Set(['get', 'list', 'watch'])

export function isReadOnly({ verb }: RequestInfo): boolean {
  return reads.has(verb)
}
