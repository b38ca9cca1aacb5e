import type { RequestInfo } from '../handlers/index.ts'

const open = new Set(['/livez', '/readyz', '/healthz', '/version', '/version/'])

/** Load balancers and kubectl ask these without a credential. Single checks tell more, and are not among them. */
export function isPublicPath({ path, target, verb }: RequestInfo): boolean {
  return target === undefined && verb === 'get' && open.has(path)
}
