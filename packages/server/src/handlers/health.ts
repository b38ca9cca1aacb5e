import { notFoundPath } from '@strata/api'
import type { Handler } from './request-context.ts'
import { respondText } from './respond.ts'

/** One reason to be alive or ready, by upstream's name where upstream has one. */
export interface HealthCheck {
  readonly name: string
  readonly endpoints: readonly HealthEndpoint[]
  /** Undefined when it holds; else why not. Shown in the log, withheld from the answer. */
  check(): string | undefined
}

export type HealthEndpoint = 'livez' | 'readyz' | 'healthz'

export function healthHandler(checks: readonly HealthCheck[]): Handler {
  return async ({ info }) => {
    const [, endpoint = '', ...rest] = info.path.split('/')
    const named = rest.join('/')
    const mine = checks.filter(
      ({ name, endpoints }) =>
        endpoints.includes(endpoint as HealthEndpoint) && (named === '' || name === named),
    )
    if (mine.length === 0) throw notFoundPath()
    const excluded = new Set(info.query.getAll('exclude'))
    const lines: string[] = []
    let failed = false
    for (const { name, check } of mine) {
      if (excluded.has(name)) lines.push(`[+]${name} excluded: ok`)
      else if (check() === undefined) lines.push(`[+]${name} ok`)
      else {
        failed = true
        lines.push(`[-]${name} failed: reason withheld`)
      }
    }
    if (failed) return respondText(500, `${lines.join('\n')}\n${endpoint} check failed\n`)
    if (info.query.has('verbose')) return respondText(200, `${lines.join('\n')}\n${endpoint} check passed\n`)
    return respondText(200, 'ok')
  }
}
