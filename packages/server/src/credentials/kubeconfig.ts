import { readFile, rename, writeFile } from 'node:fs/promises'

/** Writes a kubeconfig that only its owner can read. JSON is YAML, and every client reads it. */
export async function writeKubeconfig(options: {
  readonly path: string
  /** The first is the default; each becomes a cluster and a context of its own. */
  readonly servers: readonly { readonly name: string; readonly url: string }[]
  readonly caFile: string
  readonly token: string
}): Promise<void> {
  const { path, servers, caFile, token } = options
  const ca = (await readFile(caFile)).toString('base64')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': servers[0]?.name ?? '',
    clusters: servers.map(({ name, url }) => ({
      name,
      cluster: { server: url, 'certificate-authority-data': ca },
    })),
    users: [{ name: 'admin', user: { token } }],
    contexts: servers.map(({ name }) => ({ name, context: { cluster: name, user: 'admin' } })),
  }
  const aside = `${path}.new`
  await writeFile(aside, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 })
  await rename(aside, path)
}
