import { createSimRandom } from '@strata/world/sim'
import { type Finding, signatureOf } from './finding.ts'
import { shrink } from './shrink.ts'
import type { FuzzTarget, Input, Subject } from './target.ts'
import { type Failure, tryInput, tryInputs, type Uncaught } from './try-inputs.ts'

/** Inputs `from` up to, but without, `to`. Both are multiples of the target's sequence, or `to` is the end. */
export interface Chunk {
  readonly target: string
  readonly seed: string
  readonly from: number
  readonly to: number
}

export interface ChunkReport {
  readonly target: string
  readonly inputs: number
  readonly accepted: number
  readonly refused: number
  readonly slowest: { readonly number: number; readonly cpuMs: number }
  readonly finding?: Finding
}

/** Every input has a random of its own: it is the same whichever inputs are tried before it. */
export const inputNumbered = (subject: Subject, { seed, target }: Chunk, number: number): Input =>
  // As it would come back from a file or a command line.
  JSON.parse(JSON.stringify(subject.generate(createSimRandom(`${seed}/${target}/${number}`)))) as Input

const shrinkTries = 3_000
const shrinkMs = 30_000

export interface ChunkContext {
  readonly uncaught: Uncaught
  /** Called before each input, for the watchdog. */
  readonly onInput: (number: number) => void
}

export async function runChunk(
  target: FuzzTarget,
  subject: Subject,
  chunk: Chunk,
  { uncaught, onInput }: ChunkContext,
): Promise<ChunkReport> {
  const counts = { accepted: 0, refused: 0 }
  let slowest = { number: chunk.from, cpuMs: 0 }
  let sequence: Input[] = []
  for (let number = chunk.from; number < chunk.to; number++) {
    onInput(number)
    if (number % target.sequence === 0) {
      sequence = []
      await subject.reset?.()
    }
    const input = inputNumbered(subject, chunk, number)
    sequence.push(input)
    const tried = await tryInput(subject, input, uncaught)
    if (tried.cpuMs > slowest.cpuMs) slowest = { number, cpuMs: tried.cpuMs }
    const inputs = number - chunk.from + 1
    if ('verdict' in tried) counts[tried.verdict]++
    else
      return {
        ...{ target: target.name, inputs, ...counts, slowest },
        finding: await smallest(target, subject, {
          ...{ sequence, number, uncaught, onInput },
          failure: tried.failure,
        }),
      }
  }
  return { target: target.name, inputs: chunk.to - chunk.from, ...counts, slowest }
}

interface Found {
  readonly sequence: readonly Input[]
  readonly number: number
  readonly failure: Failure
  readonly uncaught: Uncaught
  readonly onInput: (number: number) => void
}

async function smallest(target: FuzzTarget, subject: Subject, found: Found): Promise<Finding> {
  const { sequence, number, failure, uncaught, onInput } = found
  const wanted = signatureOf(failure)
  let { text } = failure
  let tries = 0
  const startedMs = performance.now()
  const inputs = await shrink(
    sequence,
    async (candidate) => {
      tries++
      onInput(number)
      const again = await tryInputs(subject, candidate, uncaught)
      const isSame = again !== undefined && signatureOf(again) === wanted
      if (isSame) text = again.text
      return isSame
    },
    () => tries < shrinkTries && performance.now() - startedMs < shrinkMs,
  )
  return { kind: failure.kind, target: target.name, number, text, inputs }
}
