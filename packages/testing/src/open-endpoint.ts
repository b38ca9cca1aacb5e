import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listen, type StrataServer } from '@strata/server'
import { ensureCredentials, writeKubeconfig } from '@strata/server/main'
import { deadline, type World } from '@strata/world'
import type { Endpoint, ListenChoice } from './cluster.ts'

export interface EndpointFiles {
  readonly folder: string
  readonly credentials: Awaited<ReturnType<typeof ensureCredentials>>
}

/** Certificates, and the administrator's token, in a folder of their own. */
export async function createEndpointFiles(world: World): Promise<EndpointFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'strata-testing-'))
  return { folder, credentials: await ensureCredentials(join(folder, 'pki'), world) }
}

export async function removeEndpointFiles({ folder }: EndpointFiles): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}

export interface OpenEndpoint {
  readonly endpoint: Endpoint
  close(): Promise<void>
}

/** Opens the socket of a server and writes a kubeconfig for it. */
export async function openEndpoint(
  { handle, takesUpgrade }: Pick<StrataServer, 'handle' | 'takesUpgrade'>,
  { folder, credentials }: EndpointFiles,
  { host = '127.0.0.1', port = 0 }: ListenChoice,
  world: World,
): Promise<OpenEndpoint> {
  const { adminToken: token, caFile, tls } = credentials
  const { clock, log } = world
  const listener = await listen({ handle, takesUpgrade, host, port, tls, clock, log })
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${listener.port}`
  const kubeconfig = join(folder, 'kubeconfig')
  await writeKubeconfig({ path: kubeconfig, servers: [{ name: 'strata-testing', url }], caFile, token })
  return {
    endpoint: { url, token, kubeconfig, ca: await readFile(caFile, 'utf8') },
    close: async () => {
      const cut = deadline(world.clock, 0)
      await listener.close(cut.signal)
      cut.dispose()
    },
  }
}
