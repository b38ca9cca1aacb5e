import type { StorageState } from '@strata/api'
import { decideReport, type SeenEntry } from './decide-report.ts'
import { decideTrigger, type TriggerDecision, type TriggerMemory } from './decide-trigger.ts'
import type { ObservedMigration } from './observed-migration.ts'
import type { SourceView } from './source-view.ts'
import { type TriggerOptions, triggerDefaults } from './trigger-options.ts'

export const minute = 60_000
/** When every play begins. */
export const startMs = Date.parse('2026-01-01T00:00:00Z')
export const at = (minutes: number): string =>
  new Date(startMs + minutes * minute).toISOString().replace('.000', '')

interface Reporter {
  lastLookMs: number | undefined
  seen: Readonly<Record<string, SeenEntry>>
}

/** One resource of a cluster on a simulated clock: decisions are carried out at once, and nothing else happens. */
export class Play {
  minutes = 0
  state: StorageState | undefined
  migrations: ObservedMigration[] = []
  wasDeleted = false
  memory: TriggerMemory | undefined
  readonly options: TriggerOptions
  readonly done: string[] = []
  readonly #reporters = new Map<string, Reporter>()
  #made = 0

  constructor(options: Partial<TriggerOptions> = {}) {
    this.options = { ...triggerDefaults, ...options }
  }

  get nowMs(): number {
    return this.minutes * minute
  }

  get persisted(): string {
    return this.state?.status?.persistedStorageVersionHashes?.join(', ') ?? ''
  }

  get current(): string {
    const { currentStorageVersionHashes = [], currentStorageVersionHash = '' } = this.state?.status ?? {}
    const reported = currentStorageVersionHashes.map((each) => each.currentStorageVersionHash)
    return reported.join(', ') || currentStorageVersionHash
  }

  /** The one migration that is under way. */
  get running(): string | undefined {
    return this.migrations.find(({ phase }) => phase === 'unfinished')?.mark?.target
  }

  setState(status: NonNullable<StorageState['status']>): void {
    const metadata = {
      name: 'cronjobs.batch',
      uid: `state-${++this.#made}`,
      creationTimestamp: at(this.minutes),
    }
    this.state = { metadata, spec: { resource: { group: 'batch', resource: 'cronjobs' } }, status }
  }

  deleteState(): void {
    this.state = undefined
    this.wasDeleted = true
  }

  /** The reporter beside a server looks at what it shows. */
  report(reporterID: string, hash: string): void {
    const reporter = this.#reporters.get(reporterID) ?? { lastLookMs: undefined, seen: {} }
    const { status, seen } = decideReport({
      status: this.state?.status,
      ...{ reporterID, hash, ...reporter, nowMs: this.nowMs, wallMs: startMs + this.nowMs },
      options: this.options,
    })
    this.#reporters.set(reporterID, { seen, lastLookMs: this.nowMs })
    if (this.state) this.state = { ...this.state, status }
    else this.setState(status)
  }

  /** The leader looks, and does what it decides. */
  lead(source: SourceView = { kind: 'reporters' }): TriggerDecision {
    const { state, migrations, memory, wasDeleted, nowMs } = this
    const look = { source, state, migrations, memory, wasDeleted, nowMs, wallMs: startMs + nowMs }
    const decision = decideTrigger(look, this.options)
    this.memory = decision.memory
    for (const { migration } of decision.cancel) {
      this.migrations = this.migrations.filter(({ uid }) => uid !== migration.uid)
      this.done.push(`${this.minutes} cancel ${migration.mark?.target ?? migration.name}`)
    }
    const { accounted } = decision
    if (accounted) {
      this.migrations = this.migrations.map((each) =>
        each.uid === accounted.uid && each.mark
          ? { ...each, mark: { ...each.mark, isAccounted: true } }
          : each,
      )
    }
    if (decision.resets || !this.state) this.setState(decision.status)
    else this.state = { ...this.state, status: decision.status }
    this.wasDeleted = false
    if (decision.create) this.#create(decision.create)
    return decision
  }

  discover(hash: string): TriggerDecision {
    return this.lead({ kind: 'discovery', hash, polledAtMs: startMs + this.nowMs })
  }

  /** A new leader has seen nothing. */
  changeLeader(): void {
    this.memory = undefined
  }

  end(phase: 'succeeded' | 'failed', more: Partial<ObservedMigration> = {}): void {
    this.migrations = this.migrations.map((each) =>
      each.phase === 'unfinished'
        ? { ...each, phase, endedAt: at(this.minutes), ...(more.result ? boundToMark(each) : {}), ...more }
        : each,
    )
  }

  foreign(name: string, phase: ObservedMigration['phase'] = 'unfinished'): void {
    this.migrations.push({ name, uid: name, createdAt: at(this.minutes), phase })
  }

  #create({ target, attempt, persisted }: NonNullable<TriggerDecision['create']>): void {
    const name = `m-${++this.#made}`
    const mark = { target, attempt, persisted, isAccounted: false, stateUID: this.state?.metadata.uid ?? '' }
    this.migrations.push({ name, uid: name, createdAt: at(this.minutes), phase: 'unfinished', mark })
    this.done.push(`${this.minutes} create ${target}`)
  }
}

/** A migrator that stores a result stores its target too. */
function boundToMark({ mark }: ObservedMigration): Partial<ObservedMigration> {
  return mark ? { boundTo: mark.target } : {}
}
