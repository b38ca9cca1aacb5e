/** `45s`, `5m`, `3h`, `2d`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${seconds}s`
  // A whole hour is usually a setting, and is shown as such.
  if (seconds < 7200 && seconds % 3600 !== 0) return `${Math.floor(seconds / 60)}m`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

export function secondsSince(since: string, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - Date.parse(since)) / 1000))
}

export function formatAge(since: string | undefined, nowMs: number): string {
  return since === undefined ? '-' : formatSeconds(secondsSince(since, nowMs))
}
