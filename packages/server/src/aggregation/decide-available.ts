import type { FoundAvailable } from '@strata/api'
import { backoffMs } from '@strata/world'
import type { ServicePort } from '../services/index.ts'

/** What a check of a backend has found, step by step; the first step that failed ends it. */
export type Checked =
  | { readonly found: 'no service' }
  | { readonly found: 'no port' }
  /** The address could not be looked up. */
  | { readonly found: 'no lookup'; readonly why: string }
  | { readonly found: 'status'; readonly url: string; readonly status: number }
  | { readonly found: 'no answer'; readonly url: string; readonly why: string }

/** The condition Available, in upstream's words, by which people search. */
export function decideAvailable({ namespace, name, port }: ServicePort, checked: Checked): FoundAvailable {
  const service = `service/${name} in ${JSON.stringify(namespace)}`
  if (checked.found === 'no service') {
    return { status: 'False', reason: 'ServiceNotFound', message: `${service} is not present` }
  }
  if (checked.found === 'no port') {
    const message = `${service} is not listening on port ${port}`
    return { status: 'False', reason: 'ServicePortError', message }
  }
  if (checked.found === 'no lookup') {
    const message = `${service} cannot be checked due to: ${checked.why}`
    return { status: 'Unknown', reason: 'ServiceAccessError', message }
  }
  const { url } = checked
  if (checked.found === 'status' && checked.status >= 200 && checked.status < 300) {
    return { status: 'True', reason: 'Passed', message: 'all checks passed' }
  }
  const why =
    checked.found === 'status'
      ? `bad status from ${url}: ${checked.status}`
      : `Get ${JSON.stringify(url)}: ${checked.why}`
  return {
    status: 'False',
    reason: 'FailedDiscoveryCheck',
    message: `failing or missing response from ${url}: ${why}`,
  }
}

/** As upstream: an available backend is checked again every 30 seconds, one that fails sooner at first. */
const resyncMs = 30_000

/** The time until the next check, before jitter. `failures` are those in a row. */
export function decideCheckDelayMs(failures: number): number {
  return failures === 0
    ? resyncMs
    : backoffMs({ firstMs: 1_000, maxMs: resyncMs, attempts: failures }, failures - 1)
}

/** How many checks in a row got no answer. An HTTP status is an answer, whatever it says. */
export function countSilent(before: number, { found }: Checked): number {
  return found === 'no answer' ? before + 1 : 0
}

/**
 * Whether the long-running requests of the backend are ended. Not after one check: that may be a lost packet, or one address of
 * several. The second check follows a second later. Upstream gives up after about as long, by pings of HTTP/2.
 */
export const isSilent = (checks: number): boolean => checks >= 2
