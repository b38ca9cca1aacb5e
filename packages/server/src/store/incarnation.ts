import type { Revision } from './store.ts'

/**
 * The value of the incarnation key: random bytes that identify one timeline of the store, the newest revision known to have been
 * handed out in earlier timelines, and whether every record has its recording gap. A server that starts after a restore reads
 * this here.
 */
export interface Incarnation {
  readonly id: string
  /** 0 if no restore of the store was noticed. */
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
    // A release without the mark writes only the number: then the records are marked once more.
    isMarked: lost === undefined || mark === marked,
  }
}

const marked = 'marked'
