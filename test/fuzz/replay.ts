import type { CommandOptions } from './options.ts'
import { inputNumbered } from './run-chunk.ts'
import type { Input, Subject } from './target.ts'
import { tryInput, type Uncaught } from './try-inputs.ts'

/** Inputs that are given, or made again from their number; one after the other, each with its verdict. */
export async function replay(options: CommandOptions, print: (text: string) => void): Promise<boolean> {
  const { targets, seed, onlyInput = 0, given } = options
  const [target] = targets
  if (!target) return false
  const subject = await target.open()
  const first = onlyInput - (onlyInput % target.sequence)
  const numbered = (): Input[] =>
    Array.from({ length: onlyInput - first + 1 }, (_, index) =>
      inputNumbered(subject, { target: target.name, seed, from: 0, to: 0 }, first + index),
    )
  const inputs = given.length > 0 ? given : numbered()
  try {
    return await tryAll(subject, inputs, print)
  } finally {
    await subject.close?.()
  }
}

async function tryAll(
  subject: Subject,
  inputs: readonly Input[],
  print: (text: string) => void,
): Promise<boolean> {
  let rejection: unknown
  const note = (reason: unknown): void => {
    rejection = reason
  }
  process.on('unhandledRejection', note)
  const uncaught: Uncaught = { take: () => rejection }
  await subject.reset?.()
  try {
    for (const input of inputs) {
      const tried = await tryInput(subject, input, uncaught)
      const outcome = 'verdict' in tried ? tried.verdict : `${tried.failure.kind}: ${tried.failure.text}`
      print(`${JSON.stringify(input)}\n  ${outcome} (${tried.cpuMs.toFixed(1)} ms)`)
      if ('failure' in tried) return false
    }
    return true
  } finally {
    process.off('unhandledRejection', note)
  }
}
