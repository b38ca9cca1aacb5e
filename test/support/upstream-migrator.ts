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
 * Plays the migrator of kube-controller-manager 1.36 for one custom resource: one step of each migration whenever `step` is
 * called. It cuts storedVersions after a failure too, as upstream does (docs/reference/upstream-behaviour.md, Q1).
 */
export class UpstreamMigrator {
  readonly #cluster: PlayedCluster
  readonly #list: string
  /** Called before the objects are rewritten; what it returns is the error of the first write that is refused. */
  work: (names: readonly string[]) => Promise<string | undefined> = async () => undefined
  /** Objects that it leaves as they are, as if others had written them meanwhile. */
  readonly skipped = new Set<string>()
  isAway = false

  constructor(cluster: PlayedCluster, listPath: string) {
    this.#cluster = cluster
    this.#list = listPath
  }

  async migrations(): Promise<readonly Json[]> {
    return (await this.#cluster.must('GET', migrations)).items
  }

  async step(): Promise<void> {
    if (this.isAway) return
    for (const each of await this.migrations()) await this.#one(each)
  }

  async #one(migration: Json): Promise<void> {
    const is = (type: string): boolean =>
      migration.status?.conditions?.some((each: Json) => each.type === type && each.status === 'True')
    const isEnded = is('Succeeded') || is('Failed')
    if (isEnded && !is('Running')) return
    if (isEnded) {
      await this.#prune(migration, is('Failed'))
      return this.#say(migration, condition('Running', 'False', 'MigrationCompleted', 'Migration completed'))
    }
    if (!is('Running')) {
      await this.#mark(migration, 'True', 'MigrationRunning')
      const { metadata } = await this.#cluster.must('GET', this.#list)
      const running = condition('Running', 'True', 'MigrationRunning', 'The migration is running')
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
    await this.#cluster.must('PUT', `${migrations}/${name}/status`, { ...migration, status })
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

const condition = (type: string, status: string, reason: string, message: string) => ({
  ...{ type, status, reason, message },
  lastTransitionTime: '2026-01-01T00:00:00Z',
})
