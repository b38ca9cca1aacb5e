import type { CustomResourceDefinition } from '@strata/api'
import { storedTypeIn } from '@strata/server/stored-values'
import type { Lab, LabServer } from '../lab/lab.ts'
import type { RehearsalPath } from '../path/rehearsal-path.ts'
import { type KindVersions, kindsOf, type RehearsedKind, versionsOfCrd } from '../path/rehearsed-kind.ts'
import type { Reason, RehearsalEvent, ServerState, StoredVersions } from '../result/rehearsal-result.ts'
import type { MigratedResource } from './migrate-step.ts'
import { ObjectLedger } from './object-ledger.ts'

/** One time that the path is played: the fleet, its objects, and what was found. */
export class RehearsalRun {
  readonly path: RehearsalPath
  readonly lab: Lab
  readonly kinds: readonly RehearsedKind[]
  readonly ledger = new ObjectLedger()
  readonly events: RehearsalEvent[] = []
  /** The last migration of each resource. */
  readonly migrated = new Map<string, MigratedResource>()
  /** The CRDs as the servers accepted them. */
  readonly crds = new Map<string, CustomResourceDefinition>()
  /** What late servers have instead. */
  readonly #lateCrds = new Map<LabServer, ReadonlyMap<string, CustomResourceDefinition>>()
  /** The release of the CRDs; servers have their own. */
  crdRelease = ''
  step = 1
  #reasons = new Map<string, Reason>()

  readonly #onEvent: (event: RehearsalEvent) => void

  constructor(path: RehearsalPath, lab: Lab, onEvent: (event: RehearsalEvent) => void) {
    this.path = path
    this.kinds = kindsOf(path.subject)
    this.lab = lab
    this.#onEvent = onEvent
  }

  /** What a server has of a kind; undefined if it does not know the kind. */
  versionsAt(server: LabServer, kind: RehearsedKind): KindVersions | undefined {
    const { subject } = this.path
    if (subject.kind === 'resources') return kind.at(server.release)
    const crd = (this.#lateCrds.get(server) ?? this.crds).get(kind.name)
    return crd && versionsOfCrd(crd, subject.conversions)
  }

  /** From now on these servers do not hear of changes, and the others do. */
  setLate(late: readonly number[]): void {
    for (const server of this.lab.servers) {
      const isLate = late.includes(server.number)
      if (isLate && !server.isLate) {
        server.setLate(true)
        this.#lateCrds.set(server, new Map(this.crds))
      } else if (!isLate && server.isLate) {
        server.setLate(false)
        this.#lateCrds.delete(server)
      }
    }
  }

  tell(kind: RehearsalEvent['kind'], text: string, server?: LabServer): void {
    const number = server === undefined ? {} : { server: server.number }
    const event = { atMs: this.lab.nowMs, step: this.step, kind, ...number, text: this.#inNumbers(text) }
    this.events.push(event)
    this.#onEvent(event)
  }

  /** Adds a reason to the verdict of the step, unless the step has it already. */
  find(reason: Reason): void {
    const { level, rule, resource, object, path } = reason
    const key = JSON.stringify([level, rule, resource, object, path])
    if (this.#reasons.has(key)) return
    this.#reasons.set(key, { ...reason, message: this.#inNumbers(reason.message) })
    if (level !== 'note') this.tell('finding', reason.message)
  }

  /** Servers call each other by ids that are hashes. */
  #inNumbers(text: string): string {
    return this.lab.servers.reduce((all, server) => all.replaceAll(server.id, serverText(server)), text)
  }

  get reasons(): readonly Reason[] {
    return [...this.#reasons.values()]
  }

  nextStep(step: number): void {
    this.step = step
    this.#reasons = new Map()
  }

  get serverStates(): readonly ServerState[] {
    return this.lab.servers.map((server) => ({
      ...{ server: server.number, state: server.state },
      release: this.path.subject.kind === 'resources' ? server.release : this.crdRelease,
    }))
  }

  async stored(): Promise<readonly StoredVersions[]> {
    const all: StoredVersions[] = []
    for (const { name, prefix } of this.kinds) {
      const versions: Record<string, number> = {}
      for (const { value } of await this.lab.stored(prefix)) {
        const version = storedTypeIn(value)?.apiVersion || 'unreadable'
        versions[version] = (versions[version] ?? 0) + 1
      }
      const storedVersions = this.crds.get(name)?.status?.storedVersions
      all.push({ resource: name, versions, ...(storedVersions ? { storedVersions } : {}) })
    }
    return all
  }

  /** The version in which one object is stored. */
  async storedVersionOf(key: string): Promise<string | undefined> {
    const [entry] = await this.lab.stored(key)
    return entry && storedTypeIn(entry.value)?.apiVersion
  }
}

export const serverText = ({ number }: LabServer): string => `server ${number}`
