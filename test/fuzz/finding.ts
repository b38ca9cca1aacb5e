import type { Input } from './target.ts'

/** `crash`: an error that is no refusal. `wrong`: an oracle disagrees. `slow`: over a second. `hang`: no end in sight. */
export type FindingKind = 'crash' | 'wrong' | 'slow' | 'hang'

export interface Finding {
  readonly kind: FindingKind
  readonly target: string
  /** The number of the input that showed it; `--only-input` runs it again. */
  readonly number: number
  readonly text: string
  /** The smallest inputs that still show it, in order. */
  readonly inputs: readonly Input[]
}

/** Two findings are the same one if this is: what the message quotes may differ. */
export const signatureOf = ({ kind, text }: Pick<Finding, 'kind' | 'text'>): string => {
  const [first = ''] = text.split('\n')
  return `${kind}: ${first.replace(/["'{[\d].*/, '').slice(0, 60)}`
}
