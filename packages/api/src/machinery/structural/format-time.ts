const date = /^(\d{4})-(\d{2})-(\d{2})$/

export function isDate(text: string): boolean {
  const [, year = 0, month = 0, day = 0] = (date.exec(text) ?? []).map(Number)
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

// The fraction may be separated by anything: upstream's pattern has a bare dot there.
const time = /^([0-9]{2}):([0-9]{2}):([0-9]{2})([^\n][0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/

/** RFC 3339, in either case. As upstream, ignores what follows a second "t". */
export function isDateTime(text: string): boolean {
  const [day = '', rest] = text.toLowerCase().split('t')
  if (rest === undefined || !isDate(day)) return false
  const [, hour, minute, second] = time.exec(rest) ?? []
  return Number(hour) <= 23 && Number(minute) <= 59 && Number(second) <= 59
}

const goDuration = /^[+-]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/
const words = /\d+[\t\n\f\r ]*([A-Za-zµ]+)/g
const units = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk'])
const beginnings = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week']

/** As Go writes durations, or with a number and a unit somewhere in it: `3 days`. */
export function isDuration(text: string): boolean {
  if (goDuration.test(text)) return true
  for (const [, word = ''] of text.matchAll(words)) {
    const unit = word.toLowerCase()
    if (units.has(unit) || beginnings.some((each) => unit.startsWith(each))) return true
  }
  return false
}
