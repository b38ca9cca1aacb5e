import type { NodeTransportOptions } from '@strata/world/node'
import { decideProxy } from './decide-proxy.ts'
import type { ClusterAccess, Impersonation } from './kubeconfig.ts'

/** How requests to a cluster are sent, but for what is renewed on the way. */
export function transportOptions(
  { password, impersonate, proxyUrl, tokenFile, exec: _, fleet: __, ...access }: ClusterAccess,
  environment: Readonly<Record<string, string | undefined>>,
): NodeTransportOptions {
  return {
    ...access,
    token: tokenFile === undefined ? access.token : undefined,
    headers: {
      ...(password === undefined || access.token !== undefined ? {} : basicHeader(password)),
      ...(impersonate === undefined ? {} : impersonationHeaders(impersonate)),
    },
    proxy: decideProxy(access.server, proxyUrl, environment),
  }
}

function basicHeader({ username, password }: NonNullable<ClusterAccess['password']>): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** A key of the extra fields may have characters that a header name may not: those are escaped, as by client-go. */
function impersonationHeaders({
  user,
  groups,
  uid,
  extra,
}: Impersonation): Record<string, string | readonly string[]> {
  const escaped = (key: string): string =>
    key.replaceAll(/[^\w!#$&'*+.^`|~-]/g, (each) => encodeURIComponent(each))
  return {
    'Impersonate-User': user,
    ...(groups.length === 0 ? {} : { 'Impersonate-Group': groups }),
    ...(uid === undefined ? {} : { 'Impersonate-Uid': uid }),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`Impersonate-Extra-${escaped(key)}`, values]),
    ),
  }
}
