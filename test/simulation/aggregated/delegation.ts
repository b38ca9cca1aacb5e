import type { ServerOptions } from '@strata/server'
import type { Transport } from '@strata/world'
import { adminToken } from '../../support/fleet.ts'

/**
 * What makes a server an aggregated one: its way to the aggregator, with the token of the administrator. Requests without sockets
 * show no certificate, so that there is nothing to be read about certificates.
 */
export function aggregatedBy(aggregator: Transport): NonNullable<ServerOptions['aggregated']> {
  const requestHeader = {
    ...{ ca: '', allowedNames: [], usernameHeaders: ['x-remote-user'], uidHeaders: [] },
    ...{ groupHeaders: ['x-remote-group'], extraHeaderPrefixes: [] },
  }
  const authorization = `Bearer ${adminToken}`
  return {
    aggregator: (request) => aggregator({ ...request, headers: { ...request.headers, authorization } }),
    trust: { clientCa: '', requestHeader },
  }
}
