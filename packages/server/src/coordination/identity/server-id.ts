import { hashedName } from '@strata/api'

/**
 * The identity of a server, stable over restarts: upstream's hash over the host name, with the instance
 * added. Upstream hashes the host name alone, so that two servers on one host overwrite each other's entry
 * and hide their disagreement (agreement.md, rule 1; docs/reference/upstream-behaviour.md, P13).
 */
export function serverId(hostname: string, instance: string): string {
  const parts = [hostname, 'kube-apiserver', ...(instance === '' ? [] : [instance])]
  return `apiserver-${hashedName(...parts)}`
}

/** Whether a process, as identities name them, is one run of that server. */
export function isProcessOf(serverID: string, process: string): boolean {
  return process.startsWith(`${serverID}_`)
}

/** The server that a process is a run of. */
export function serverOf(process: string): string {
  return process.slice(0, Math.max(0, process.lastIndexOf('_')))
}
