import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import type { AdminCredential } from './kubeconfig-credential.ts'

/** Writes a kubeconfig that only its owner can read. JSON is YAML, and every client reads it. */
export async function writeKubeconfig(options: {
  readonly path: string
  /** The first is the default; each becomes a cluster and a context of its own. */
  readonly servers: readonly { readonly name: string; readonly url: string }[]
  readonly caFile: string
  /** The administrator's token, or certificate and key. */
  readonly token: AdminCredential
}): Promise<void> {
  const { path, servers, caFile, token } = options
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  const user =
    typeof token === 'string'
      ? { token }
      : { 'client-certificate-data': base64(token.cert), 'client-key-data': base64(token.key) }
  const ca = (await readFile(caFile)).toString('base64')
  // For clients that fail over from one context to another: equal authorities alone do not say that two servers have one store.
  const id = createHash('sha256')
    .update(`${ca} ${servers.map(({ url }) => url).join(' ')}`)
    .digest('hex')
    .slice(0, 32)
  const statement =
    servers.length > 1 ? { extensions: [{ name: 'strata.dev/fleet', extension: { id } }] } : {}
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': servers[0]?.name ?? '',
    clusters: servers.map(({ name, url }) => ({
      name,
      cluster: { server: url, 'certificate-authority-data': ca, ...statement },
    })),
    users: [{ name: 'admin', user }],
    contexts: servers.map(({ name }) => ({ name, context: { cluster: name, user: 'admin' } })),
  }
  const aside = `${path}.new`
  await writeFile(aside, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 })
  await rename(aside, path)
}
