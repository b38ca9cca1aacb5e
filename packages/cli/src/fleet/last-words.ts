import { readFileSync } from 'node:fs'

/** What a process said last in its log: its complaint if it made one, else its last line. */
export function lastWords(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const complaint = lines.findLast((line) => line.startsWith('strata: '))
  return complaint?.slice('strata: '.length) ?? lines.at(-1)
}

/** From `offset` on, since a log goes on where the run before it ended. */
export function readLastWords(logFile: string, offset: number): string | undefined {
  try {
    return lastWords(readFileSync(logFile).subarray(offset).toString())
  } catch {
    return undefined
  }
}
