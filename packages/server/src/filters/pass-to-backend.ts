import { apiServiceName, badRequest, unauthorized } from '@strata/api'
import type { World } from '@strata/world'
import { type Backends, decideBackendTimeoutMs, isPlainPath, passOn } from '../aggregation/index.ts'
import { respondText } from '../handlers/index.ts'
import { decideTimeoutMs, maxDurationMs } from './deadline.ts'
import type { Filter } from './filter.ts'
import { isLongRunning } from './long-running.ts'

/**
 * Passes requests for versions that an APIService assigns to another server on to it, even if a CRD defines them. They have
 * been authenticated, authorized and audited as any other. The write gate is not for them: they are stored elsewhere.
 */
export function passToBackend(backends: Pick<Backends, 'find'>, { clock }: World): Filter {
  return async (context, next) => {
    const { elsewhere, info, request, user, auditId, signal } = context
    if (!elsewhere) return next(context)
    if (!user) throw unauthorized()
    if (!isPlainPath(info.path)) {
      throw badRequest(
        'the path has an empty segment, a "." or "..", or an encoded slash: it is not passed on',
      )
    }
    const { method, target, headers, isUpgrade = false } = request
    const isLong = isUpgrade || isLongRunning(info)
    const usualMs = isLong ? 0 : decideTimeoutMs(info.query.get('timeout'), maxDurationMs(info))
    const answer = await passOn(
      backends.find(apiServiceName(elsewhere.group, elsewhere.versionName)),
      {
        ...{ method, target, headers, user, auditId, isUpgrade, signal },
        body: request.bodyStream?.() ?? request.body,
        remoteAddress: request.remoteAddress?.(),
        timeoutMs: isLong ? undefined : decideBackendTimeoutMs(request, usualMs),
      },
      clock,
    )
    return 'text' in answer ? respondText(answer.status, answer.text) : answer
  }
}
