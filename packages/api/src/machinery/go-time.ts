/** The parts of a time as Go's layouts have them, in order, each with what it takes. */
const parts: ReadonlyArray<readonly [layout: string, pattern: RegExp, range?: readonly [string, number]]> = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d{2}/, ['month', 12]],
  ['-', /^-/],
  ['02', /^\d{2}/, ['day', 31]],
  ['T', /^T/],
  ['15', /^\d{2}/, ['hour', 23]],
  [':', /^:/],
  ['04', /^\d{2}/, ['minute', 59]],
  [':', /^:/],
  ['05', /^\d{2}/, ['second', 59]],
]
const zone = ['Z07:00', /^(?:Z|[+-]\d{2}:\d{2})/] as const
const micro = ['.000000', /^\.\d{6}/] as const
/** Whole seconds may be followed by a fraction, which is dropped. */
const fraction = ['', /^(?:\.\d+)?/] as const

/** The fast path for nearly all times: in UTC, on a day that every month has. */
const plainTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{6})?Z$/

/** What Go says about a text that is no time, or undefined: RFC 3339, with exactly six decimals for a micro time. */
export function goTimeProblem(text: string, isMicro: boolean): string | undefined {
  if (plainTime.test(text) && isMicro === text.includes('.')) return undefined
  const layout = `2006-01-02T15:04:05${isMicro ? '.000000' : ''}Z07:00`
  let rest = text
  for (const [part, pattern, range] of [...parts, isMicro ? micro : fraction, zone]) {
    const found = pattern.exec(rest)?.[0]
    if (found === undefined) {
      return `parsing time ${quoted(text)} as ${quoted(layout)}: cannot parse ${quoted(rest)} as ${quoted(part)}`
    }
    const [name, most] = range ?? ['', 0]
    const least = name === 'month' || name === 'day' ? 1 : 0
    if (range && (Number(found) > most || Number(found) < least)) return outOfRange(text, name)
    rest = rest.slice(found.length)
  }
  if (rest !== '') return `parsing time ${quoted(text)}: extra text: ${quoted(rest)}`
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number)
  return day > daysIn(year, month) ? outOfRange(text, 'day') : undefined
}

/** A time as Go writes it: in UTC, in whole seconds or in microseconds. The text must be a time. */
export function goTimeText(text: string, isMicro: boolean): string {
  if (isMicro ? microInUtc.test(text) : secondsInUtc.test(text)) return text
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return text
  const seconds = new Date(ms).toISOString().slice(0, 19)
  const fraction = isMicro ? (/\.\d{6}/.exec(text)?.[0] ?? '.000000') : ''
  return `${seconds}${fraction}Z`
}

const secondsInUtc = /^[^.]{19}Z$/
const microInUtc = /^[^.]{19}\.\d{6}Z$/

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

function outOfRange(text: string, part: string): string {
  return `parsing time ${quoted(text)}: ${part} out of range`
}

const quoted = (text: string): string => JSON.stringify(text)
