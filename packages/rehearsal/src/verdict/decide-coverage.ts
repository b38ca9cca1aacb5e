import type { Reason, ServerState } from '../result/rehearsal-result.ts'

/** What one step shows about a kind. */
export interface KindCoverage {
  /** A server that is up to date has the kind: before the step, and after it. */
  readonly isKnown: { readonly before: boolean; readonly after: boolean }
  readonly objects: number
  /** A later step creates objects of it. */
  readonly isBornLater: boolean
  /** The step says already why nothing of the kind could be created. */
  readonly isExplained: boolean
}

/** Whether the step says nothing about a kind, for want of objects. A kind that is new in the step has nothing to lose yet. */
export function isUntested({ isKnown, objects, isBornLater, isExplained }: KindCoverage): boolean {
  if (objects > 0 || isExplained) return false
  return isKnown.before || (isKnown.after && !isBornLater)
}

/** Names the servers that clients did not ask; undefined if they asked all, or none could be asked. */
export function describeNotAsked(servers: readonly ServerState[]): Reason | undefined {
  const away = servers.filter(({ state }) => state !== 'up')
  if (away.length === 0 || away.length === servers.length) return undefined
  const named = away.map(({ server, state }) => `server ${server}, which is ${state}`)
  return { level: 'note', rule: 'not-asked', message: `no object was read through ${named.join(', or ')}` }
}
