import { createHash } from 'node:crypto'
import {
  builtInResources,
  Encryption,
  type EncryptionConfiguration,
  type FeatureGates,
  frozenAmong,
  type ProtocolRules,
  parseConfiguration,
  type StrataServer,
} from '@strata/server'
import { createMemoryStore, MemoryData, type Store } from '@strata/server/store'
import { type SimProcess, Simulation } from '@strata/world/sim'
import { type Answer, call, createFleetServer } from './fleet.ts'

const never = new AbortController().signal
const isPlain = frozenAmong(builtInResources)

/**
 * `aesgcm:two` is a key of that name; its secret follows from both, or from a third part: `aesgcm:two:another`. `kms:vault` is
 * a KMS of that name.
 */
export function providersText(keys: readonly string[]): Record<string, unknown>[] {
  return keys.map((each) => {
    const [kind = '', name = '', salt = ''] = each.split(':')
    if (kind === 'identity') return { identity: {} }
    if (kind === 'kms') return { kms: { apiVersion: 'v2', name, endpoint: `unix:///${name}.sock` } }
    const secret = createHash('sha256').update(`${kind} ${name} ${salt}`).digest('base64')
    return { [kind]: { keys: [{ name, secret }] } }
  })
}

/** The file for those keys, the first of which writes; of these resources, or of everything. */
export function configurationFile(keys: readonly string[], resources: readonly string[] = ['*.*']) {
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [{ resources, providers: providersText(keys) }],
  }
}

export function configurationOf(...args: Parameters<typeof configurationFile>): EncryptionConfiguration {
  const parsed = parseConfiguration(configurationFile(...args), isPlain)
  if ('problems' in parsed) throw new Error(parsed.problems.join('; '))
  return parsed.configuration
}

export interface EncryptedServer {
  readonly process: SimProcess
  readonly server: StrataServer
  readonly ready: Promise<void>
  ask(method: string, target: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Why the new keys are not in force; undefined if they are. */
  reload(...keys: string[]): Promise<string | undefined>
  stop(): Promise<void>
}

export interface EncryptedServerOptions {
  readonly rules?: ProtocolRules
  /** Which resources are encrypted. Defaults to all. */
  readonly resources?: readonly string[]
  readonly featureGates?: Partial<FeatureGates>
}

/** A process that is frozen commits nothing: by itself the memory store answers at once, also to a frozen process. */
function heldWhileFrozen(store: Store, { clock }: SimProcess): Store {
  return {
    ...store,
    commit: async (commit, signal) => {
      await new Promise<void>((resolve) => clock.soon(resolve))
      return store.commit(commit, signal)
    },
  }
}

/** Servers that encrypt everything, each with keys of its own, over one store. */
export class EncryptedFleet {
  readonly simulation: Simulation
  readonly data: MemoryData = new MemoryData()

  constructor(seed: string, onLine?: (line: string) => void) {
    this.simulation = new Simulation(seed, onLine ? { onLine } : {})
  }

  /** Without keys it encrypts nothing at all. Does not wait until it is ready. */
  async create(
    name: string,
    keys: readonly string[],
    more: EncryptedServerOptions = {},
  ): Promise<EncryptedServer> {
    const { simulation, data } = this
    const world = simulation.process(name)
    const encryption =
      keys.length === 0
        ? undefined
        : await simulation.settle(
            Encryption.create(configurationOf(keys, more.resources), { world, isPlain }, never),
          )
    const server = createFleetServer({
      world,
      store: heldWhileFrozen(createMemoryStore(data), world),
      instance: name,
      release: 'x+1',
      ...(encryption ? { encryption } : {}),
      ...(more.rules ? { rules: more.rules } : {}),
      ...(more.featureGates ? { featureGates: more.featureGates } : {}),
    })
    const ready = server.start(never)
    ready.catch(() => {})
    return {
      process: world,
      server,
      ready,
      ask: (method, target, body, headers = {}) =>
        simulation.settle(call(server.handle, method, target, body, headers)),
      reload: (...next) =>
        simulation.settle(server.reloadEncryption(configurationOf(next, more.resources), never)),
      stop: async () => void (await simulation.settle(server.stop(5_000))),
    }
  }

  async start(...args: Parameters<EncryptedFleet['create']>): Promise<EncryptedServer> {
    const created = await this.create(...args)
    await this.simulation.settle(created.ready)
    return created
  }

  /** Nothing is left of it but its Lease, which stands until it has expired. */
  async kill({ server, stop }: EncryptedServer): Promise<void> {
    const key = `/registry/leases/kube-system/${server.coordinator.identity.serverID}`
    const value = await this.stored(key)
    await stop()
    this.data.commit({ writes: [{ kind: 'put', key, value }], guards: [] })
  }

  sleep(ms: number): Promise<void> {
    const { simulation } = this
    return simulation.settle(new Promise((resolve) => simulation.clock.after(ms, resolve)))
  }

  /** The bytes in the store itself. */
  async stored(key: string): Promise<Buffer> {
    const [entry] = (await createMemoryStore(this.data).read([key], never)).entries
    if (!entry) throw new Error(`nothing is stored at ${key}`)
    return Buffer.from(entry.value)
  }

  /** How the bytes begin: which key they say they are under. */
  async sealOf(key: string): Promise<string> {
    const text = (await this.stored(key)).toString('latin1')
    return /^k8s:enc:([a-z0-9]+):v\d+:([^:]*):/.exec(text)?.slice(1).join(':') ?? 'identity'
  }
}
