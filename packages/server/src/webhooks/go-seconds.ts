/** Whole seconds as Go writes a duration, rounded up: `10s`, `1m30s`. */
export function goSeconds(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
