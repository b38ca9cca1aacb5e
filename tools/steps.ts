import { execFile } from 'node:child_process'
import { root } from './repository.ts'

/** Something that is checked as a whole, and whose output matters only if it fails. */
export interface Step {
  readonly name: string
  readonly run: (signal: AbortSignal) => Promise<StepResult>
}
export interface StepResult {
  readonly isGood: boolean
  readonly output: string
}

/** A step that is a program: good if it exits with 0. */
export const programStep = (name: string, program: string, args: readonly string[]): Step => ({
  name,
  run: (signal) =>
    new Promise((resolve) => {
      execFile(program, args, { cwd: root, signal, maxBuffer: 64 << 20 }, (error, stdout, stderr) =>
        resolve({
          isGood: error === null,
          output: `${stdout}${stderr}${error && !stdout && !stderr ? error : ''}`,
        }),
      )
    }),
})

/** Runs steps, a few at a time, in order of appearance. Returns how many failed. */
export async function runSteps(
  steps: readonly Step[],
  { concurrency, signal, print }: { concurrency: number; signal: AbortSignal; print: (text: string) => void },
): Promise<number> {
  const waiting = [...steps]
  let failed = 0
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined && !signal.aborted; step = waiting.shift()) {
      const startedAt = performance.now()
      const { isGood, output } = await step.run(signal)
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      print(
        `${isGood ? 'ok  ' : 'FAIL'} ${step.name}  ${seconds} s\n${isGood ? '' : `${output.trimEnd()}\n`}`,
      )
      if (!isGood) failed += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return failed
}
