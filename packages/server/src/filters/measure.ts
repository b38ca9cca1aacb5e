import type { World } from '@strata/world'
import type { RequestContext } from '../handlers/index.ts'
import type { RequestLabels, RequestMetrics } from '../metrics/index.ts'
import type { Filter } from './filter.ts'
import { isLongRunning } from './long-running.ts'
import { observeBody } from './observe-body.ts'

const shownVerbs: Readonly<Record<string, string>> = {
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
}
const changing = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
const newline = 0x0a

/** Counts requests and their durations. */
export function measure({ clock }: World, metrics: RequestMetrics): Filter {
  return async (context, next) => {
    const series = metrics.series(labelsOf(context))
    const begun = clock.monotonicMs()
    const response = await next(context)
    series.count(response.status)
    const { body } = response
    if (body instanceof Uint8Array || !isLongRunning(context.info)) {
      series.took((clock.monotonicMs() - begun) / 1000)
      return response
    }
    series.longRunning++
    const observer = {
      // Each event ends with its only line break.
      onChunk: (chunk: Uint8Array) => {
        for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1))
          series.watchEvents++
      },
      onEnd: () => {
        series.longRunning--
      },
    }
    return { ...response, body: observeBody(body, observer) }
  }
}

const unknownResource = {
  group: '',
  version: '',
  resource: '',
  subresource: '',
  scope: '',
  dryRun: '',
} as const
const subresources = new Set(['', 'status', 'finalize', 'scale'])

/** Clients can invent any number of names that are not served. They share one label set per verb: memory stays bounded. */
function labelsOf({ info, resource: served }: RequestContext): RequestLabels {
  const { verb, target, query } = info
  const shown = shownVerbs[verb] ?? 'OTHER'
  if (!target || !served || !subresources.has(target.subresource)) return { verb: shown, ...unknownResource }
  const { group, versionName, resource, subresource, name, namespace } = target
  const scope = name !== '' ? 'resource' : namespace !== '' ? 'namespace' : 'cluster'
  const dryRun = changing.has(verb) && query.get('dryRun') === 'All' ? 'All' : ''
  return { verb: shown, group, version: versionName, resource, subresource, scope, dryRun }
}
