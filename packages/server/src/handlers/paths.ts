import { notFoundPath } from '@strata/api'
import { discoveryDocument, type ServedVerbs, versionInfo } from '../discovery/index.ts'
import type { ServedApi } from '../registry/index.ts'
import { type HealthCheck, healthHandler } from './health.ts'
import type { Handler } from './request-context.ts'
import { respondJson } from './respond.ts'
import { verbsOf } from './routes.ts'

/** Everything that is not a resource: discovery, health, the software's version. */
export function otherPaths(api: ServedApi, checks: readonly HealthCheck[]): Handler {
  const health = healthHandler(checks)
  const verbs: ServedVerbs = verbsOf
  return async (context) => {
    const { path, verb } = context.info
    if (/^\/(livez|readyz|healthz)(\/|$)/.test(path)) return health(context)
    if (verb !== 'get') throw notFoundPath()
    if (path === '/version') return respondJson(200, versionInfo)
    const document = discoveryDocument(api, verbs, path)
    if (!document) throw notFoundPath()
    return respondJson(200, document)
  }
}
