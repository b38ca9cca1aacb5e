import type { FindingKind } from './finding.ts'
import { type Input, type Subject, type Verdict, WrongAnswer } from './target.ts'

/** Processor time, so that a busy machine makes nothing slow. */
export const slowMs = 1_000

export interface Failure {
  readonly kind: FindingKind
  readonly text: string
}

export type Tried = { readonly cpuMs: number } & (
  | { readonly verdict: Verdict }
  | { readonly failure: Failure }
)

/** Errors that no one has caught while an input was tried belong to it. */
export interface Uncaught {
  take(): unknown
}

export async function tryInput(subject: Subject, input: Input, uncaught: Uncaught): Promise<Tried> {
  const before = process.threadCpuUsage()
  const outcome = await outcomeOf(subject, input)
  const { user, system } = process.threadCpuUsage(before)
  const cpuMs = (user + system) / 1_000
  const left = uncaught.take()
  if (left !== undefined) return { cpuMs, failure: { kind: 'crash', text: `not caught: ${textOf(left)}` } }
  if ('failure' in outcome || cpuMs <= slowMs) return { cpuMs, ...outcome }
  return { cpuMs, failure: { kind: 'slow', text: `took ${Math.round(cpuMs)} ms of processor time` } }
}

async function outcomeOf(
  subject: Subject,
  input: Input,
): Promise<{ readonly verdict: Verdict } | { readonly failure: Failure }> {
  try {
    const checked = subject.check(input)
    // Most are done at once, and a million waits take seconds.
    return { verdict: checked instanceof Promise ? await checked : checked }
  } catch (error) {
    const kind = error instanceof WrongAnswer ? 'wrong' : 'crash'
    return { failure: { kind, text: textOf(error) } }
  }
}

const textOf = (error: unknown): string =>
  error instanceof WrongAnswer
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error)

/** The first failure of a sequence, from a fresh start. */
export async function tryInputs(
  subject: Subject,
  inputs: readonly Input[],
  uncaught: Uncaught,
): Promise<Failure | undefined> {
  await subject.reset?.()
  for (const input of inputs) {
    const tried = await tryInput(subject, input, uncaught)
    if ('failure' in tried) return tried.failure
  }
  return undefined
}
