import { CelError, type DurationValue, fail, type TimestampValue, type Value } from '../evaluation/value.ts'
import { DURATION, INT, STRING, TIMESTAMP } from '../types/cel-type.ts'
import { declare, type FunctionDeclaration, method } from '../types/declaration.ts'
import { dateOf, splitNanos } from './time-text.ts'

type Part = (date: Date) => number

const dayOfYear: Part = (date) => {
  const first = new Date(0)
  first.setUTCFullYear(date.getUTCFullYear(), 0, 1)
  return Math.floor((date.getTime() - first.getTime()) / 86_400_000)
}

/** The local time of a zone, as a date whose UTC parts are the local ones. */
function shiftedDate(time: TimestampValue, zone: string): Date | CelError {
  const { seconds } = splitNanos(time.nanos)
  const colon = zone.indexOf(':')
  if (colon < 0) return namedZoneDate(dateOf(seconds), zone)
  const hours = wholeNumber(zone.slice(0, colon))
  const minutes = wholeNumber(zone.slice(colon + 1))
  if (hours === undefined)
    return fail(`strconv.Atoi: parsing ${JSON.stringify(zone.slice(0, colon))}: invalid syntax`)
  if (minutes === undefined)
    return fail(`strconv.Atoi: parsing ${JSON.stringify(zone.slice(colon + 1))}: invalid syntax`)
  if (minutes < 0 || minutes > 59) return fail(`timezone offset minutes out of range [0, 59]: ${zone}`)
  const offset = zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes
  return dateOf(seconds + BigInt(offset * 60))
}

const wholeNumber = (text: string): number | undefined =>
  /^[+-]?\d{1,9}$/.test(text) ? Number(text) : undefined

function namedZoneDate(date: Date, zone: string): Date | CelError {
  if (zone === '' || zone === 'UTC') return date
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(date)
    const part = (type: string): number => Number(parts.find((each) => each.type === type)?.value ?? 0)
    const local = new Date(0)
    local.setUTCFullYear(part('year'), part('month') - 1, part('day'))
    local.setUTCHours(part('hour'), part('minute'), part('second'))
    return local
  } catch {
    return fail(`unknown time zone ${zone}`)
  }
}

/** A part of a time: in UTC, or in the zone that is named. */
const timeForms = (id: string, idWithZone: string, part: Part) => [
  method(id, [TIMESTAMP], INT, (time: TimestampValue) =>
    BigInt(part(dateOf(splitNanos(time.nanos).seconds))),
  ),
  method(idWithZone, [TIMESTAMP, STRING], INT, (time: TimestampValue, zone: string): Value => {
    const date = shiftedDate(time, zone)
    return date instanceof CelError ? date : BigInt(part(date))
  }),
]

const durationForm = (id: string, nanosOfUnit: bigint) =>
  method(id, [DURATION], INT, ({ nanos }: DurationValue) => nanos / nanosOfUnit)

const milliseconds = ({ nanos }: TimestampValue): bigint => splitNanos(nanos).rest / 1_000_000n

export const times: readonly FunctionDeclaration[] = [
  declare(
    'getFullYear',
    ...timeForms('timestamp_to_year', 'timestamp_to_year_with_tz', (date) => date.getUTCFullYear()),
  ),
  declare(
    'getMonth',
    ...timeForms('timestamp_to_month', 'timestamp_to_month_with_tz', (date) => date.getUTCMonth()),
  ),
  declare(
    'getDayOfYear',
    ...timeForms('timestamp_to_day_of_year', 'timestamp_to_day_of_year_with_tz', dayOfYear),
  ),
  declare(
    'getDayOfMonth',
    ...timeForms(
      'timestamp_to_day_of_month',
      'timestamp_to_day_of_month_with_tz',
      (date) => date.getUTCDate() - 1,
    ),
  ),
  declare(
    'getDate',
    ...timeForms('timestamp_to_day_of_month_1_based', 'timestamp_to_day_of_month_1_based_with_tz', (date) =>
      date.getUTCDate(),
    ),
  ),
  declare(
    'getDayOfWeek',
    ...timeForms('timestamp_to_day_of_week', 'timestamp_to_day_of_week_with_tz', (date) => date.getUTCDay()),
  ),
  declare(
    'getHours',
    ...timeForms('timestamp_to_hours', 'timestamp_to_hours_with_tz', (date) => date.getUTCHours()),
    durationForm('duration_to_hours', 3_600_000_000_000n),
  ),
  declare(
    'getMinutes',
    ...timeForms('timestamp_to_minutes', 'timestamp_to_minutes_with_tz', (date) => date.getUTCMinutes()),
    durationForm('duration_to_minutes', 60_000_000_000n),
  ),
  declare(
    'getSeconds',
    ...timeForms('timestamp_to_seconds', 'timestamp_to_seconds_tz', (date) => date.getUTCSeconds()),
    durationForm('duration_to_seconds', 1_000_000_000n),
  ),
  declare(
    'getMilliseconds',
    method('timestamp_to_milliseconds', [TIMESTAMP], INT, milliseconds),
    method('timestamp_to_milliseconds_with_tz', [TIMESTAMP, STRING], INT, milliseconds),
    durationForm('duration_to_milliseconds', 1_000_000n),
  ),
]
