/** `45s`, `5m`, `3h`, `2d`: how long ago, for people. */
export function formatAge(since: string | undefined, nowMs: number): string {
  if (since === undefined) return '-'
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1000))
  if (seconds < 120) return `${seconds}s`
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}
