import assert from 'node:assert/strict'
import type { MigrationProgress, StorageState, VersionedMigration } from '@strata/api'
import type { ControllersOptions } from '@strata/controllers'
import { CollectorFleet, type ControllersMember, type ServerPlan } from './collector-fleet.ts'
import { agreementPath, beacon, beaconPath } from './fleet.ts'

export const statesPath = '/apis/migration.k8s.io/v1alpha1/storagestates'
export const migrationsPath = '/apis/migration.k8s.io/v1alpha1/storageversionmigrations'
export const ownMigrationsPath = '/apis/storagemigration.k8s.io/v1/storageversionmigrations'
export const beaconState = 'beacons.lighthouse.example.dev'

/** Servers, and controllers that trigger migrations and collect entries. */
export class TriggerFleet extends CollectorFleet {
  /** Whatever is there at the time. */
  readonly servers: string[] = []

  async addServer(name: string, release: string, plan: ServerPlan = {}): Promise<() => Promise<void>> {
    const { server, process } = await this.startServer(name, { release, ...plan })
    this.servers.push(name)
    return async () => {
      this.servers.splice(this.servers.indexOf(name), 1)
      await this.settle(server.stop(5_000))
      process.crash()
    }
  }

  startTrigger(
    name: string,
    servers: readonly [string, ...string[]],
    trigger: ControllersOptions['trigger'] = {},
    {
      through,
      reports = false,
    }: {
      readonly through?: Parameters<CollectorFleet['startControllers']>[2]
      readonly reports?: boolean
    } = {},
  ): ControllersMember {
    const names = ['identity-lease-collector', 'storage-version-gc', 'storage-version-migration-trigger']
    return this.startControllers(name, servers, through, names, { trigger, reports })
  }

  /** Kept by another process, so that nothing is said on the way out. */
  crash({ process }: ControllersMember): void {
    process.crash()
  }

  async get(path: string): Promise<Record<string, unknown> & { readonly status?: unknown }> {
    const [server = ''] = this.servers
    const { status, body } = await this.ask(server, 'GET', path)
    assert.ok([200, 404].includes(status), JSON.stringify(body))
    return body
  }

  async state(name = beaconState): Promise<StorageState | undefined> {
    const body = (await this.get(`${statesPath}/${name}`)) as unknown as StorageState & { kind: string }
    return body.kind === 'StorageState' ? body : undefined
  }

  async states(): Promise<readonly StorageState[]> {
    return (await this.get(statesPath))['items'] as StorageState[]
  }

  async migrations(): Promise<readonly VersionedMigration[]> {
    return (await this.get(migrationsPath))['items'] as VersionedMigration[]
  }

  async migrationNames(): Promise<readonly string[]> {
    return (await this.migrations()).map(({ metadata }) => metadata.name ?? '')
  }

  async persisted(): Promise<string> {
    return (await this.state())?.status?.persistedStorageVersionHashes?.join(', ') ?? ''
  }

  async epoch(): Promise<number> {
    const { status } = (await this.get(agreementPath)) as { status?: { epoch?: number } }
    return status?.epoch ?? 0
  }

  async write(server: string, name: string): Promise<void> {
    const { status, body } = await this.ask(server, 'POST', beaconPath('v2'), beacon('v2', name, 5))
    assert.equal(status, 201, JSON.stringify(body))
  }

  /** Writes the result of a migrator. */
  async finish(
    name: string,
    type: 'Succeeded' | 'Failed',
    progress: MigrationProgress = {},
    path = migrationsPath,
  ): Promise<void> {
    const [server = ''] = this.servers
    const { body } = await this.ask(server, 'GET', `${path}/${name}`)
    const now = '2026-01-01T00:00:00Z'
    const when =
      path === migrationsPath ? { lastUpdateTime: now } : { lastTransitionTime: now, reason: 'Done' }
    const conditions = [{ type, status: 'True', message: '', ...when }]
    const answer = await this.ask(server, 'PUT', `${path}/${name}/status`, {
      ...body,
      status: { conditions, ...progress },
    })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  /** Lets time pass until it is so. */
  async until(what: string, holds: () => Promise<boolean>, seconds = 120): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      if (await holds()) return
      await this.pass(1_000)
    }
    assert.fail(`gave up waiting until ${what}`)
  }
}

/** The status of a migration that is proven in an epoch. */
export function provenIn(epoch: number): MigrationProgress {
  const target = { how: 'record', fenced: true, epoch, encodingVersion: 'lighthouse.example.dev/v2' } as const
  return { result: 'Proven', target, epoch }
}
