import type { Revision } from './store.ts'

/**
 * What stands at the incarnation key: random bytes that stand for one timeline of the store, the newest revision that is
 * known to have been handed out in the timelines before it, and whether every record has its recording gap. A server that
 * starts after a restore learns this here.
 */
export interface Incarnation {
  readonly id: string
  /** 0 if the store was never seen to be restored. */
  readonly lost: Revision
  /** False: the store was restored, and a record may still lack the gap of that restore. */
  readonly isMarked: boolean
}

export function incarnationText({ id, lost, isMarked }: Incarnation): string {
  if (!isMarked) return `${id} ${lost}`
  return lost === 0 ? id : `${id} ${lost} ${marked}`
}

export function parseIncarnation(text: string): Incarnation {
  const [id = '', lost, mark] = text.split(' ')
  return {
    id,
    lost: lost !== undefined && /^[0-9]{1,15}$/.test(lost) ? Number(lost) : 0,
    // A release without the mark writes the number alone: then the records are marked once more.
    isMarked: lost === undefined || mark === marked,
  }
}

const marked = 'marked'
