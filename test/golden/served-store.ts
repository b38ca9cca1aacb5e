import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathsBelow } from '@strata/server/main'
import { createEtcdStore } from '@strata/server/store/etcd'
import { createSqliteStore } from '@strata/server/store/sqlite'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { startEtcd } from '../support/etcd.ts'
import { freePorts } from '../support/free-ports.ts'
import { type Access, StrataProcess, untilReady } from '../support/serve-process.ts'
import { until } from '../support/until.ts'

export const servedStores = ['sqlite', 'etcd'] as const
export type ServedStore = (typeof servedStores)[number]

export interface ServerAccess extends Access {
  readonly kubeconfig: string
  /** In place of the token. */
  readonly client?: { readonly cert: string; readonly key: string }
}

/** A server with a new store, for as long as `body` takes; with controllers if it needs them. */
export async function withServer<T>(
  store: ServedStore,
  body: (access: ServerAccess) => Promise<T>,
  { controllers: needsControllers = false }: { readonly controllers?: boolean } = {},
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), `strata-golden-${store}-`))
  const etcd = store === 'etcd' ? await startEtcd() : undefined
  const [port = 0] = await freePorts(1)
  const kubeconfig = join(dataDir, 'kubeconfig')
  const start = (): StrataProcess =>
    new StrataProcess(`golden-${store}`, [
      'serve',
      ...['--secure-port', String(port), '--data-dir', dataDir, '--kubeconfig-out', kubeconfig],
      // The recorded server ran alone, and kept StorageVersions of servers that were not there.
      '--no-collect-expired-servers',
      ...(etcd ? ['--etcd-servers', etcd.endpoints.join(',')] : []),
    ])
  let server = start()
  let controllers: StrataProcess | undefined
  try {
    const read = (file: string): Promise<string> => readFile(join(dataDir, 'pki', file), 'utf8')
    const ca = await until('there is an authority', () => stillRunning(server, () => read('ca.crt')))
    const token = await until('there is a token', () => stillRunning(server, () => read('admin.token')))
    const access = { url: `https://127.0.0.1:${port}`, ca, token: token.trim(), kubeconfig }
    await untilReady(server, access)
    // The recorded server had a past: its first revisions were history that it no longer had.
    await server.terminate()
    await forgetHistory(dataDir, etcd?.endpoints)
    server = start()
    await untilReady(server, access)
    if (needsControllers) {
      const authority = join(dataDir, 'pki', 'ca.crt')
      const flags = ['--kubeconfig', kubeconfig, '--root-ca-file', authority]
      controllers = new StrataProcess(`controllers-${store}`, ['controllers', ...flags])
    }
    return await body(access)
  } finally {
    await controllers?.kill()
    await server.kill()
    await etcd?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Undefined while the file is not there yet; a server that has ended will never write it. */
function stillRunning(server: StrataProcess, read: () => Promise<string>): Promise<string | undefined> {
  if (!server.running) throw new Error(`${server.name} ended instead of serving:\n${server.output}`)
  return read().catch(() => undefined)
}

async function forgetHistory(dataDir: string, endpoints: readonly string[] | undefined): Promise<void> {
  const world = createNodeWorld({ log: silentLog })
  const store = endpoints
    ? await createEtcdStore({ endpoints, ...world })
    : await createSqliteStore({ path: join(pathsBelow(dataDir).storeDir, 'store.db'), ...world })
  const { signal } = new AbortController()
  try {
    await store.compact(await store.currentRevision(signal), signal)
  } finally {
    await store.close()
  }
}
