import type { Revision } from './store.ts'

/**
 * What stands at the incarnation key: random bytes that stand for one timeline of the store, and the newest revision that is
 * known to have been handed out in the timelines before it. A server that starts after a restore learns that revision here.
 */
export interface Incarnation {
  readonly id: string
  /** 0 if the store was never seen to be restored. */
  readonly lost: Revision
}

export function incarnationText({ id, lost }: Incarnation): string {
  return lost === 0 ? id : `${id} ${lost}`
}

export function parseIncarnation(text: string): Incarnation {
  const [id = '', lost = ''] = text.split(' ')
  return { id, lost: /^[0-9]{1,15}$/.test(lost) ? Number(lost) : 0 }
}
