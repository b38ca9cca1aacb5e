import assert from 'node:assert/strict'
import type { Answer } from './fleet.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever was sent.
type Json = any

const migrations = '/apis/storagemigration.k8s.io/v1beta1/storageversionmigrations'
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

export interface PlayedCluster {
  send(method: string, target: string, body?: unknown): Promise<Answer>
  must(method: string, target: string, body?: unknown): Promise<Answer['body']>
}

/**
 * Plays the migrator of kube-controller-manager 1.36 for one custom resource: one step whenever `step` is called. It runs one
 * migration at a time, the oldest first, and cuts storedVersions after a failure too
 * (docs/reference/upstream-behaviour.md, Q1). What it does was compared with the real one.
 */
export class UpstreamMigrator {
  readonly #cluster: PlayedCluster
  readonly #list: string
  /** Called before the objects are rewritten; what it returns is the error of the first write that is refused. */
  work: (names: readonly string[]) => Promise<string | undefined> = async () => undefined
  /** Objects that it leaves as they are, as if others had written them meanwhile. */
  readonly skipped = new Set<string>()
  isAway = false
  #turn: Promise<void> = Promise.resolve()

  constructor(cluster: PlayedCluster, listPath: string) {
    this.#cluster = cluster
    this.#list = listPath
  }

  async migrations(): Promise<readonly Json[]> {
    return (await this.#cluster.must('GET', migrations)).items
  }

  /** Steps that several commands cause at once follow each other. */
  step(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#step())
    return this.#turn
  }

  async #step(): Promise<void> {
    if (this.isAway) return
    const all = (await this.migrations()).toSorted((one: Json, other: Json) =>
      one.metadata.creationTimestamp.localeCompare(other.metadata.creationTimestamp),
    )
    const next = all.find((each) => is(each, 'Running')) ?? all.find((each) => !isEnded(each))
    if (next !== undefined) await this.#one(next)
  }

  async #one(migration: Json): Promise<void> {
    if (isEnded(migration)) {
      await this.#prune(migration, is(migration, 'Failed'))
      return this.#say(migration, condition('Running', 'False', 'MigrationCompleted', 'Migration completed'))
    }
    const running = condition('Running', 'True', 'MigrationRunning', 'The migration is running')
    if (!is(migration, 'Running')) {
      await this.#mark(migration, 'True', 'MigrationRunning')
      return this.#say(migration, running)
    }
    if (migration.status.resourceVersion === undefined) {
      const { metadata } = await this.#cluster.must('GET', this.#list)
      return this.#say(migration, running, metadata.resourceVersion)
    }
    const { items } = await this.#cluster.must('GET', this.#list)
    const error = await this.work(items.map((each: Json) => each.metadata.name))
    if (error === undefined) {
      for (const each of items) {
        if (this.skipped.has(each.metadata.name)) continue
        await this.#cluster.must('PUT', `${this.#list}/${each.metadata.name}`, each)
      }
      return this.#say(migration, condition('Succeeded', 'True', 'StorageVersionMigrationSucceeded', ''))
    }
    const message = `migration encountered unhandled error: ${error}`
    return this.#say(migration, condition('Failed', 'True', 'StorageVersionMigrationFailed', message))
  }

  async #say(migration: Json, said: Json, resourceVersion?: string): Promise<void> {
    const { name } = migration.metadata
    const others = (migration.status?.conditions ?? []).filter((each: Json) => each.type !== said.type)
    const status = {
      ...migration.status,
      conditions: [...others, said],
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    }
    const path = `${migrations}/${name}/status`
    const answer = await this.#cluster.send('PUT', path, { ...migration, status })
    // It was deleted: upstream lets it go, and the CRD keeps the mark.
    assert.ok(answer.status === 200 || answer.status === 404, JSON.stringify(answer.body))
  }

  async #prune({ spec }: Json, isFailed: boolean): Promise<void> {
    const crd = await this.#cluster.must('GET', this.#crdPath(spec))
    const storage = crd.spec.versions.find((each: Json) => each.storage).name
    await this.#mark({ spec }, 'False', isFailed ? 'MigrationFailed' : 'MigrationSucceeded', [storage])
  }

  async #mark(
    { spec }: Json,
    status: string,
    reason: string,
    storedVersions?: readonly string[],
  ): Promise<void> {
    const path = this.#crdPath(spec)
    const crd = await this.#cluster.must('GET', path)
    const others = crd.status.conditions.filter((each: Json) => each.type !== 'StorageMigrating')
    const said = {
      ...condition('StorageMigrating', status, reason, reason),
      observedGeneration: crd.metadata.generation,
    }
    const changed = {
      ...crd.status,
      conditions: [...others, said],
      ...(storedVersions ? { storedVersions } : {}),
    }
    await this.#cluster.must('PUT', `${path}/status`, { ...crd, status: changed })
  }

  #crdPath(spec: Json): string {
    return `${crds}/${spec.resource.resource}.${spec.resource.group}`
  }
}

const is = ({ status }: Json, type: string): boolean =>
  status?.conditions?.some((each: Json) => each.type === type && each.status === 'True') === true

const isEnded = (migration: Json): boolean => is(migration, 'Succeeded') || is(migration, 'Failed')

const condition = (type: string, status: string, reason: string, message: string) => ({
  ...{ type, status, reason, message },
  lastTransitionTime: '2026-01-01T00:00:00Z',
})
