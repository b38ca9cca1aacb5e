const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

/**
 * How long something took or how old it is, in two units at most, as every Kubernetes tool shows it. The steps at
 * which the smaller unit is dropped are part of what people are used to: 119s, 2m, 9m59s, 10m, 179m, 3h.
 */
export function humanDuration(ms: number): string {
  // Clocks of two machines may differ a little; what was made a second from now was made now.
  if (ms <= -2 * second) return '<invalid>'
  if (ms < 0) return '0s'
  if (ms < 2 * minute) return inUnit(ms, second, 's')
  if (ms < 10 * minute) return inUnits(ms, minute, 'm', second, 's')
  if (ms < 3 * hour) return inUnit(ms, minute, 'm')
  if (ms < 8 * hour) return inUnits(ms, hour, 'h', minute, 'm')
  if (ms < 2 * day) return inUnit(ms, hour, 'h')
  if (ms < 8 * day) return inUnits(ms, day, 'd', hour, 'h')
  if (ms < 2 * year) return inUnit(ms, day, 'd')
  if (ms < 8 * year) return inUnits(ms, year, 'y', day, 'd')
  return inUnit(ms, year, 'y')
}

const inUnit = (ms: number, unit: number, name: string): string => `${Math.floor(ms / unit)}${name}`

function inUnits(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = ms % large
  return `${inUnit(ms, large, largeName)}${rest < small ? '' : inUnit(rest, small, smallName)}`
}
