import { readFileSync } from 'node:fs'

/** The last error of a log (`strata: …`); else its last line. */
export function lastLogLine(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const complaint = lines.findLast((line) => line.startsWith('strata: '))
  return complaint?.slice('strata: '.length) ?? lines.at(-1)
}

/** From `offset` on: earlier runs have written to the same log. */
export function readLastLogLine(logFile: string, offset: number): string | undefined {
  try {
    return lastLogLine(readFileSync(logFile).subarray(offset).toString())
  } catch {
    return undefined
  }
}
