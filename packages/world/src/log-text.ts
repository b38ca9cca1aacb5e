import type { LogFields } from './log.ts'

/** An error on one line, with its causes. No stack: its paths differ between machines. */
export function errorText(error: Error): string {
  const cause = error.cause instanceof Error ? ` (cause: ${errorText(error.cause)})` : ''
  return `${error.name}: ${error.message}${cause}`
}

/** Converts values that JSON cannot represent, or only at useless length. */
function replacer(_key: string, value: unknown): unknown {
  if (value instanceof Error) return errorText(value)
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Uint8Array) return `<${value.length} bytes>`
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}

/** JSON that never throws: a log line must not be able to end the process that writes it. */
export function safeJson(value: unknown): string {
  try {
    // Undefined and functions have no JSON at all, whatever the type of stringify says.
    return String(JSON.stringify(value, replacer))
  } catch {
    return '"<cannot be written as JSON>"'
  }
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value)
  if (value instanceof Error) return JSON.stringify(errorText(value))
  return safeJson(value)
}

/** `key=value key="with spaces"`, without a line break whatever the values are. */
export function fieldsText(fields: LogFields): string {
  return Object.entries(fields)
    .map(([key, value]) => `${key}=${valueText(value)}`)
    .join(' ')
}
