import { InvalidArgumentError, Option } from 'commander'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `5m`, `90s`, `1h30m`, `0`: durations as kube-apiserver's flags have them, in milliseconds. */
export function parseDuration(text: string): number {
  if (text === '0') return 0
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw new InvalidArgumentError('give a duration such as 90s, 5m or 1h30m.')
  }
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (units[unit] ?? 0), 0)
}

export function parseWhole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('give a whole number, 0 or more.')
  return Number(text)
}

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1) {
    throw new InvalidArgumentError('give a whole number, 1 or more.')
  }
  return Number(text)
}

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) {
    throw new InvalidArgumentError('give a port, 0 to 65535 (0 takes a free one).')
  }
  return Number(text)
}

export function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value]
}

export function durationOption(flags: string, description: string, defaultMs: number, shown: string): Option {
  return new Option(flags, description).argParser(parseDuration).default(defaultMs, shown)
}
