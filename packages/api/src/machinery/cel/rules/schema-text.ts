import { DurationValue, fail, TimestampValue, type Value } from '../evaluation/value.ts'
import { daysFromEpoch, parseGoDuration, parseTimestamp } from '../library/time-text.ts'

/** A text of a format that rules see as something else. */
export function formattedText(text: string, format: string | undefined): Value {
  switch (format) {
    case 'duration':
      return durationOf(text) ?? fail(`Invalid duration ${text}: unable to parse ${text} as duration`)
    case 'date':
      return (
        dateOf(text) ?? fail(`Invalid date formatted string ${text}: parsing time ${JSON.stringify(text)}`)
      )
    case 'date-time':
      return (
        dateTimeOf(text) ??
        fail(`Invalid date-time formatted string ${text}: parsing time ${JSON.stringify(text)}`)
      )
    case 'byte':
      return bytesOf(text) ?? fail(`Invalid byte formatted string ${text}: illegal base64 data`)
    default:
      return text
  }
}

const SECOND = 1_000_000_000n
const unitSizes: ReadonlyArray<readonly [beginning: string, nanos: bigint]> = [
  ['nano', 1n],
  ['micro', 1000n],
  ['milli', 1_000_000n],
  ['sec', SECOND],
  ['min', 60n * SECOND],
  ['hour', 3600n * SECOND],
  ['day', 86_400n * SECOND],
  ['week', 604_800n * SECOND],
]
const shortSizes: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['ms', 1_000_000n],
  ['s', SECOND],
  ['m', 60n * SECOND],
  ['h', 3600n * SECOND],
  ['hr', 3600n * SECOND],
  ['d', 86_400n * SECOND],
  ['w', 604_800n * SECOND],
  ['wk', 604_800n * SECOND],
])

/** As Go writes them, or a number and a unit: `3 days`. */
function durationOf(text: string): DurationValue | undefined {
  const nanos = parseGoDuration(text)
  if (nanos !== undefined) return new DurationValue(nanos)
  let total = 0n
  let isFound = false
  for (const [, number = '', word = ''] of text.matchAll(/(\d{1,18})[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const unit = word.toLowerCase()
    const size = shortSizes.get(unit) ?? unitSizes.find(([beginning]) => unit.startsWith(beginning))?.[1]
    if (size === undefined) continue
    isFound = true
    total += BigInt(number) * size
  }
  return isFound ? new DurationValue(BigInt.asIntN(64, total)) : undefined
}

function dateOf(text: string): TimestampValue | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  const days = day === undefined ? undefined : daysFromEpoch(Number(year), Number(month), Number(day))
  return days === undefined ? undefined : new TimestampValue(BigInt(days) * 86_400n * SECOND)
}

const zoneless = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?$/

function dateTimeOf(text: string): TimestampValue | undefined {
  if (text === '') return new TimestampValue(0n)
  const upper = text.toUpperCase()
  return parseTimestamp(zoneless.test(upper) ? `${upper}Z` : upper)
}

function bytesOf(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (each) => each.charCodeAt(0))
  } catch {
    return undefined
  }
}
