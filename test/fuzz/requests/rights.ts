import type { FuzzRequest } from './fuzz-server.ts'

export const readerToken = 'reader-token'
export const reader = { name: 'reader', groups: ['readers'] } as const

const json = (body: unknown): string => Buffer.from(JSON.stringify(body)).toString('latin1')

const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
const post = (target: string, body: unknown): FuzzRequest => ({
  ...{
    method: 'POST',
    target,
    headers: { 'content-type': 'application/json' },
    body: json(body),
    as: 'admin',
  },
})

/** All that the reader may do, besides what everyone may who is known to the server. */
export const readerRights: readonly FuzzRequest[] = [
  post(`${rbac}/roles`, {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'reader' } },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
  }),
  post(`${rbac}/rolebindings`, {
    ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name: 'reader' } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: reader.name }],
  }),
]

const configMaps = /^\/api\/v1\/(?:watch\/)?namespaces\/default\/configmaps(?:\/[^/]+)?$/
/** `system:public-info-viewer`, for everyone. */
const publicPath = /^\/(?:healthz|livez|readyz|version\/?)$/
/** `system:discovery`, for users who are known. A path with a resource in it is none of these. */
const discoveryPath = /^\/(?:api(?:\/[^/]*)?\/?|apis(?:\/[^/]*){0,2}\/?|openapi(?:\/.*)?)$/
/** `system:basic-user`, for users who are known. */
const selfReview =
  /^\/apis\/(?:authorization\.k8s\.io\/v1\/selfsubject(?:access|rules)reviews|authentication\.k8s\.io\/v1(?:(?:alpha|beta)1)?\/selfsubjectreviews)$/

const isImpersonated = (headers: FuzzRequest['headers']): boolean =>
  Object.entries(headers).some(
    ([name, value]) => name.toLowerCase().startsWith('impersonate-') && value !== '',
  )

/** A second opinion on RBAC: whether someone other than the administrator may be answered with anything but an error. */
export function mayDo({ method, target, headers, as }: FuzzRequest): boolean {
  const [path = ''] = target.split('?')
  const isRead = method === 'GET' || method === 'HEAD'
  if (isImpersonated(headers)) return false
  if (isRead && publicPath.test(path)) return true
  if (as !== 'reader') return false
  if (method === 'POST') return selfReview.test(path)
  return isRead && (configMaps.test(path) || discoveryPath.test(path))
}

/**
 * RBAC decides on these before anything else looks at the request. Nothing is named by a path that is not encoded well, or
 * that goes on after `namespaces/x/resource/name/subresource`.
 */
export function namesResource({ method, target, headers }: FuzzRequest): boolean {
  const [path = ''] = target.split('?')
  if (isImpersonated(headers) || /%(?![0-9a-f]{2})/i.test(path)) return false
  const isKnown = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method)
  return (
    isKnown &&
    /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)(?:\/watch)?(?:\/namespaces\/[^/]+)?(?:\/[^/]+){1,3}$/.test(path)
  )
}
