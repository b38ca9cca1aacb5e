// Your own API server: one process of a fleet. Start several on one machine with the same DATA_DIR and other PORTs, or use
// `strata serve --resources resources.ts`, which does the same with every flag of an API server.
import { join } from 'node:path'
import { coordinationDefaults, createServer, listen, serverId } from '@strata/server'
import { ensureCredentials, openStore, writeKubeconfig } from '@strata/server/main'
import { deadline } from '@strata/world'
import { createNodeLog, createNodeWorld } from '@strata/world/node'
import { resources } from './resources.ts'

const { DATA_DIR: dataDir = 'data', PORT: port = '7443', RELEASE: release } = process.env

const world = createNodeWorld({ log: createNodeLog() })
const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())

const { tls, caFile, adminToken } = await ensureCredentials(join(dataDir, 'pki'), world)
const running = new AbortController()
// History is compacted every five minutes; or `{ kind: 'etcd', endpoints: [...] }` for servers on several machines.
const store = await openStore(
  { kind: 'sqlite', directory: join(dataDir, 'store') },
  world,
  300_000,
  running.signal,
)

const server = createServer({
  ...{ world, store, resources, release },
  // Who a bearer token is. Client certificates and service accounts work beside it.
  tokens: (token) => (token === adminToken ? { name: 'admin', groups: ['system:masters'] } : undefined),
  // The identity of this server in agreements. It must stay the same when the process starts again.
  coordination: { ...coordinationDefaults, serverID: serverId(world.processes.hostname, port) },
})
const { handle, takesUpgrade } = server
const { clock, log } = world
const listener = await listen({
  handle,
  takesUpgrade,
  host: '127.0.0.1',
  port: Number(port),
  tls,
  clock,
  log,
})
// Resolves when this server has recorded what it stores, and may write.
await server.start(stopping.signal)
const servers = [{ name: `gadgets-${port}`, url: `https://127.0.0.1:${listener.port}` }]
await writeKubeconfig({ path: join(dataDir, `${port}.kubeconfig`), servers, caFile, token: adminToken })
log.info('ready', { kubeconfig: join(dataDir, `${port}.kubeconfig`) })

await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve, { once: true }))
// Finishes writes in flight and removes this server's entries, so that the others need not wait for its Lease to expire.
await server.stop(10_000)
const cut = deadline(clock, 5_000)
await listener.close(cut.signal)
cut.dispose()
running.abort()
await store.close()
