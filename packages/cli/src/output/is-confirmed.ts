import type { CliContext } from '../context.ts'

/** Asks the user. Everything but `y` and `yes` is a no. */
export async function isConfirmed({ ask }: Pick<CliContext, 'ask'>, question: string): Promise<boolean> {
  const answer = await ask?.(`${question} [y/N] `)
  return /^y(?:es)?$/i.test((answer ?? '').trim())
}
