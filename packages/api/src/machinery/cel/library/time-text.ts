import { TimestampValue } from '../evaluation/value.ts'

const NANOS = 1_000_000_000n

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: NANOS,
  m: 60n * NANOS,
  h: 3600n * NANOS,
}

/** Nanoseconds of what Go's ParseDuration takes, `-1.5h30m`; undefined for anything else. */
export function parseGoDuration(text: string): bigint | undefined {
  const [, sign, rest = ''] = /^([+-]?)([\s\S]*)$/.exec(text) ?? []
  if (rest === '0') return 0n
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined
  let total = 0n
  for (const [, whole = '', fraction = '', unit = ''] of rest.matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const size = units[unit] ?? 0n
    if (whole.length > 20) return undefined
    total += BigInt(whole === '' ? 0 : whole) * size
    const digits = fraction.slice(0, 20)
    if (digits !== '') total += (BigInt(digits) * size) / 10n ** BigInt(digits.length)
  }
  const value = sign === '-' ? -total : total
  return BigInt.asIntN(64, value) === value ? value : undefined
}

/** `1.5s`. */
export function durationText(nanos: bigint): string {
  // Through a double, as upstream does it: what is too exact for one is rounded.
  const seconds = Number(nanos / NANOS) + Number(nanos % NANOS) / 1e9
  return `${seconds}s`
}

const timePattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/

/** A time of RFC 3339 with all of its nanoseconds; undefined for anything else. */
export function parseTimestamp(text: string): TimestampValue | undefined {
  const found = timePattern.exec(text)
  if (!found) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number)
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const days = daysFromEpoch(year, month, day)
  if (days === undefined) return undefined
  const [fraction = '', sign, zoneHours = '0', zoneMinutes = '0'] = found.slice(7)
  if (Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return undefined
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -60 : 60)
  const seconds = BigInt(days) * 86_400n + BigInt(hour * 3600 + minute * 60 + second - offset)
  return new TimestampValue(seconds * NANOS + BigInt(fraction.slice(0, 9).padEnd(9, '0')), offset)
}

/** The day of a full date, `2024-02-29`, since 1970; undefined if there is no such day. */
export function daysFromEpoch(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const isDay =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return isDay ? date.getTime() / 86_400_000 : undefined
}

/** With as much of a fraction as there is. */
export function timestampText({ nanos, offsetSeconds }: TimestampValue): string {
  const { seconds, rest } = splitNanos(nanos)
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(9, '0').replace(/0+$/, '')}`
  const local = dateOf(seconds + BigInt(offsetSeconds))
    .toISOString()
    .slice(0, 19)
  return `${local}${fraction}${zoneText(offsetSeconds)}`
}

function zoneText(offsetSeconds: number): string {
  if (offsetSeconds === 0) return 'Z'
  const minutes = Math.abs(offsetSeconds) / 60
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${offsetSeconds < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

export function splitNanos(nanos: bigint): { readonly seconds: bigint; readonly rest: bigint } {
  const rest = ((nanos % NANOS) + NANOS) % NANOS
  return { seconds: (nanos - rest) / NANOS, rest }
}

export const dateOf = (seconds: bigint): Date => new Date(Number(seconds) * 1000)
