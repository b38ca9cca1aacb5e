import type { StorageAgreement } from '@strata/api'
import type { SafetyAnswer } from './safety-answer.ts'

/** The last answer, and what the page knew of the records when it asked. */
export interface AskedAnswer {
  readonly answer: SafetyAnswer
  readonly atMs: number
  readonly mark: string
}

export interface PageNow {
  readonly mark: string
  /** No server answers. */
  readonly isUnseen: boolean
  /** A moment of the past is shown. */
  readonly isPast: boolean
}

export type ShownAnswer =
  | { readonly kind: 'none' | 'past' }
  | { readonly kind: 'answer'; readonly answer: SafetyAnswer; readonly atMs: number }
  | {
      readonly kind: 'withdrawn'
      readonly because: 'changed' | 'unseen'
      readonly release: string
      readonly atMs: number
    }

/** A verdict is about what may be stored. The records say that, so it holds as long as they are the same, and seen. */
export function decideShownAnswer(
  asked: AskedAnswer | undefined,
  { mark, isUnseen, isPast }: PageNow,
): ShownAnswer {
  if (isPast) return { kind: 'past' }
  if (!asked) return { kind: 'none' }
  const { answer, atMs } = asked
  if (!isUnseen && mark === asked.mark) return { kind: 'answer', answer, atMs }
  const because = mark === asked.mark ? 'unseen' : 'changed'
  return { kind: 'withdrawn', because, release: answer.release, atMs }
}

/** Another one when a record has changed, is new or is gone. */
export const recordsMark = (records: readonly StorageAgreement[]): string =>
  records
    .map(({ metadata: { name, uid, resourceVersion } }) => `${name} ${uid} ${resourceVersion}`)
    .sort()
    .join()
