import type { HttpResponse } from '@strata/world'
import { notFoundText, respondText } from './answer/respond.ts'
import type { RequestInfo } from './request-context.ts'

/** One health check, with upstream's name where upstream has it. */
export interface HealthCheck {
  readonly name: string
  readonly endpoints: readonly HealthEndpoint[]
  /** Undefined if it passes, else the reason. The reason is shown only if this check is requested by name. */
  check(): string | undefined
  /** Shown, but not counted: its failure is no reason to send clients to another server. */
  readonly isInformational?: true
  /** Probes again, for checks whose state is not updated by itself. */
  refresh?(): Promise<void>
}

export type HealthEndpoint = 'livez' | 'readyz' | 'healthz'

const endpoints = /^\/(livez|readyz|healthz)(?:\/(.*))?$/

export const isHealthPath = (path: string): boolean => endpoints.test(path)

/** Answers health paths; undefined for every other path. */
export function answerHealth(
  checks: readonly HealthCheck[],
  { path, query }: RequestInfo,
): Promise<HttpResponse> | undefined {
  const [matched, endpoint = '', named = ''] = endpoints.exec(path) ?? []
  if (matched === undefined) return undefined
  const mine = checks.filter((each) => each.endpoints.includes(endpoint as HealthEndpoint))
  if (named !== '') return answerOne(mine, named)
  return answerAll(endpoint, mine, query)
}

async function answerOne(checks: readonly HealthCheck[], named: string): Promise<HttpResponse> {
  const check = checks.find(({ name }) => name === named)
  if (!check) return notFoundText()
  await check.refresh?.()
  const problem = check.check()
  return problem === undefined
    ? respondText(200, 'ok')
    : respondText(500, `internal server error: ${problem}\n`)
}

async function answerAll(
  endpoint: string,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
): Promise<HttpResponse> {
  const excluded = new Set(query.getAll('exclude').filter((name) => name !== ''))
  await Promise.all(checks.map(({ name, refresh }) => (excluded.has(name) ? undefined : refresh?.())))
  const lines: string[] = []
  let failed = false
  for (const { name, check, isInformational } of checks) {
    if (excluded.delete(name)) lines.push(`[+]${name} excluded: ok\n`)
    else if (check() === undefined) lines.push(`[+]${name} ok\n`)
    else if (isInformational) lines.push(`[-]${name} failed (not counted): reason withheld\n`)
    else {
      failed = true
      lines.push(`[-]${name} failed: reason withheld\n`)
    }
  }
  if (excluded.size > 0) {
    // A misspelt name must not look as if it were excluded.
    const names = [...excluded].map((name) => JSON.stringify(name)).join(',')
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`)
  }
  if (failed) return respondText(500, `${lines.join('')}${endpoint} check failed\n`)
  if (query.has('verbose')) return respondText(200, `${lines.join('')}${endpoint} check passed\n`)
  return respondText(200, 'ok')
}
