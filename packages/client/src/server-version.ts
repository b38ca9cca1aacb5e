import { type ConnectionOptions, requestJson } from './connection.ts'

/** What a server says of its own program. */
export interface ServerVersion {
  /** `v1.36.4`; distributions add to it: `v1.36.4+k3s1`. */
  readonly gitVersion?: string
  /** Since Kubernetes 1.31: the minor release that it behaves like, and the oldest one that can still read what it stores. */
  readonly emulationMinor?: string
  readonly minCompatibilityMinor?: string
}

export function serverVersion(connection: ConnectionOptions, signal: AbortSignal): Promise<ServerVersion> {
  return requestJson(connection, { method: 'GET', path: '/version' }, signal)
}
