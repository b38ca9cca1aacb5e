/** The text is not a duration; the message is Go's. */
export class InvalidDuration extends Error {
  override readonly name = 'InvalidDuration'
}

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

/** Reads `1m30s`, `1.5h`, `-300ms` or `0` as Go's time.ParseDuration does, into milliseconds. */
export function parseGoDuration(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  let rest = /^[-+]/.test(text) ? text.slice(1) : text
  if (rest === '0') return 0
  if (rest === '') throw invalid(text)
  let total = 0
  while (rest !== '') {
    const [number = ''] = /^(?:\d+\.?\d*|\.\d+)/.exec(rest) ?? []
    if (number === '') throw invalid(text)
    rest = rest.slice(number.length)
    const [unit = ''] = /^[^\d.]+/.exec(rest) ?? []
    if (unit === '') throw new InvalidDuration(`time: missing unit in duration ${JSON.stringify(text)}`)
    const factor = unitsMs[unit]
    if (factor === undefined || !Object.hasOwn(unitsMs, unit)) {
      throw new InvalidDuration(
        `time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`,
      )
    }
    rest = rest.slice(unit.length)
    total += Number(number) * factor
  }
  return sign * total
}

function invalid(text: string): InvalidDuration {
  return new InvalidDuration(`time: invalid duration ${JSON.stringify(text)}`)
}
