import type { RequestInfo } from '../handlers/index.ts'

const open = /^\/(livez|readyz|healthz)(\/|$)|^\/version\/?$/

/** Load balancers and kubectl ask these without a credential. */
export function isPublicPath({ path, target, verb }: RequestInfo): boolean {
  return target === undefined && verb === 'get' && open.test(path)
}
