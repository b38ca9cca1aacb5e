import { type GroupResource, groupResourceText } from '@strata/api'
import type { Client } from '@strata/client'
import { readIdentity } from '../../connection/fleet/cluster-identity.ts'
import {
  type ClusterKey,
  type ClusterKeyFacts,
  decideClusterKey,
} from '../../connection/fleet/decide-cluster-key.ts'
import type { CliContext } from '../../context.ts'
import { createFileRecords, type StateKind, stateDirectory } from '../records/file-records.ts'
import { createMemoryRecords } from '../records/memory-records.ts'
import type { RecordStore } from '../records/record.ts'

/** What this user keeps on this machine about a cluster. */
export class ClusterState {
  readonly #client: Client
  readonly #access: ClusterKeyFacts['access']
  readonly #context: CliContext
  readonly #remembered = new Map<string, RecordStore>()
  #key: ClusterKey | undefined

  constructor(client: Client, access: ClusterKeyFacts['access'], context: CliContext) {
    this.#client = client
    this.#access = access
    this.#context = context
  }

  /** Where the cluster has no other name, its address: what is kept below it has to tell clusters apart by itself. */
  async id(signal: AbortSignal): Promise<string> {
    const key = await this.#readKey(signal)
    return key.kind === 'known' ? key.key : this.#access.server
  }

  async directory(kind: StateKind): Promise<string> {
    return stateDirectory(this.#context.environment, await this.id(this.#context.signal), kind)
  }

  /** Progress does not tell clusters apart: without a name of the cluster it is not kept. */
  async records(resource: GroupResource): Promise<RecordStore> {
    const { world, environment, signal } = this.#context
    const key = await this.#readKey(signal)
    if (key.kind === 'known') {
      return createFileRecords({ directory: stateDirectory(environment, key.key), resource, world })
    }
    const name = groupResourceText(resource)
    const records = this.#remembered.get(name) ?? createMemoryRecords(resource, world, key.because)
    this.#remembered.set(name, records)
    return records
  }

  async #readKey(signal: AbortSignal): Promise<ClusterKey> {
    this.#key ??= decideClusterKey({
      identity: await readIdentity(this.#client, this.#context.world.clock, signal),
      access: this.#access,
    })
    return this.#key
  }
}
