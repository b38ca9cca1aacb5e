import { methodNotAllowed, notFoundPath } from '@strata/api'
import type { Clock, HttpResponse } from '@strata/world'
import { createDiscovery, type Discovery, type LegacyOptions, type VersionInfo } from '../discovery/index.ts'
import { createOpenApi } from '../openapi/index.ts'
import type { ServedApi } from '../registry/index.ts'
import { notFoundText, respondJson } from './answer/respond.ts'
import { answerDiscovery } from './discovery-endpoints.ts'
import { answerHealth, type HealthCheck } from './health.ts'
import { answerOpenApi } from './openapi-endpoints.ts'
import type { Handler, RequestContext, RequestInfo } from './request-context.ts'
import { schemaOfPart, servedVerbs } from './routes.ts'
import { patchTypesOf } from './verbs/patch.ts'

/** Handles a path that is not a resource. */
export type PathHandler = (context: RequestContext) => HttpResponse

export interface OtherPathsOptions {
  readonly discovery: LegacyOptions
  readonly version: VersionInfo
  /** Waits until the cache has what was stored before the call. False if it could not. */
  readonly catchUp: (signal: AbortSignal) => Promise<boolean>
  /** Whether all servers serve equal documents; undefined without the gate. */
  readonly isConsistent: ((isFresh: boolean) => boolean) | undefined
  /** Why a path is withheld; undefined if it is not. */
  readonly whyWithheld:
    | ((group: string, versionName: string, resource: string) => string | undefined)
    | undefined
  readonly more: Readonly<Record<string, PathHandler>>
}

/** Answers all paths that are not resources: discovery, OpenAPI, health, version, and unknown paths. */
export function otherPaths(
  api: ServedApi,
  checks: readonly HealthCheck[],
  clock: Clock,
  { discovery: words, version, catchUp, isConsistent, whyWithheld, more }: OtherPathsOptions,
): Handler {
  const discovery = createDiscovery(api, servedVerbs, words)
  const turn = (): Promise<void> => new Promise((resolve) => clock.soon(resolve))
  const routes = { ...servedVerbs, patchTypesOf, schemaOfPart, isCompared: isConsistent !== undefined }
  const openApi = createOpenApi(api, routes, turn, version.gitVersion)
  const paths = rootPaths(discovery, checks, more)
  return async (context) => {
    const { info, signal } = context
    const needsCatchUp = isConsistent ? comparedPaths : customResourcePaths
    const isFresh = needsCatchUp.test(info.path) && (await catchUp(signal))
    const answer =
      (await answerHealth(checks, info)) ??
      answerSingle(context, paths, version, more) ??
      answerDiscovery(discovery, context, isConsistent && (() => isConsistent(isFresh))) ??
      (await answerOpenApi(openApi, context, () => clock.wallMs())) ??
      unknownPath(api, info, whyWithheld)
    // The path exists, and is read-only.
    if (info.verb !== 'get' && answer.status === 200) throw methodNotAllowed()
    return answer
  }
}

/** A client that has seen a CRD established reads these next, maybe through another server. */
const customResourcePaths = /^\/(?:apis|openapi)(?:\/|$)/
/** Also `/api`: its document carries `consistent`. */
const comparedPaths = /^\/(?:api|apis|openapi)(?:\/|$)/

function answerSingle(
  context: RequestContext,
  paths: () => unknown,
  version: VersionInfo,
  more: Readonly<Record<string, PathHandler>>,
): HttpResponse | undefined {
  const { path } = context.info
  if (path === '/') return respondJson(200, { paths: paths() })
  if (path === '/version' || path === '/version/') return respondJson(200, version)
  return Object.hasOwn(more, path) ? more[path]?.(context) : undefined
}

/** Below a served group clients expect a Status; elsewhere the text of upstream's web server. */
function unknownPath(
  { resources }: ServedApi,
  { path, target }: RequestInfo,
  whyWithheld: OtherPathsOptions['whyWithheld'],
): HttpResponse {
  const [, root, wanted = '', versionName = ''] = path.split('/')
  const why = root === 'apis' ? whyWithheld?.(wanted, versionName, target?.resource ?? '') : undefined
  if (why !== undefined) throw notFoundPath(why)
  // As upstream, groups of custom resources answer unknown paths with plain text.
  const isOurs = resources.some(({ group, definition }) => group === wanted && !definition.isCustom)
  if (root === 'api' || (root === 'apis' && wanted !== '' && isOurs)) throw notFoundPath()
  return notFoundText()
}

function rootPaths(
  discovery: Discovery,
  checks: readonly HealthCheck[],
  more: Readonly<Record<string, PathHandler>>,
): () => readonly string[] {
  const own = new Set(['/openapi/v2', '/openapi/v3', '/version', ...Object.keys(more)])
  for (const { name, endpoints } of checks) {
    for (const endpoint of endpoints) own.add(`/${endpoint}`).add(`/${endpoint}/${name}`)
  }
  return () => [...own, ...discovery.paths()].sort()
}
