import {
  type ApiObject,
  type CustomResourceDefinition,
  namespacedName,
  storageVersionNameOf,
  versionsOf,
} from '@strata/api'
import { isInternalError, isTransient } from '@strata/client'
import { withRetries } from '../../migration/run/read-with-retries.ts'
import type { CrdStep } from '../plan/crd-plan.ts'
import { storedVersionsOf } from '../plan/decide-crd-plan.ts'
import { compareRecent } from './compare-recent.ts'
import { compareAllReturned } from './compare-returned.ts'
import { ComparedObjects } from './compared-objects.ts'
import type { CrdLook } from './crd-look.ts'
import { compareIn, savedObjectsOf, stopOfLosses } from './look-at-crd.ts'
import { type LossFinding, LossGroups, notCompared } from './loss-groups.ts'
import { lossText } from './loss-text.ts'
import type { SavedObjects } from './saved-objects.ts'
import { stagesOf } from './stages.ts'
import type { UpgradeSession } from './upgrade-options.ts'

type Definition = CustomResourceDefinition

const pageSize = 500
const oneRequestMs = 60_000
const patienceMs = 60_000
const isWorthIt = (error: unknown): boolean => isTransient(error) && !isInternalError(error)

/** The comparisons of the objects of one CRD while it is upgraded. Each throws an UpgradeStop for a loss that is not accepted. */
export class ObjectChecks {
  readonly #session: UpgradeSession
  readonly #look: CrdLook
  #compared: ComparedObjects

  constructor(session: UpgradeSession, look: CrdLook) {
    this.#session = session
    this.#look = look
    this.#compared = look.compared ?? new ComparedObjects()
  }

  /** Every object, read in these versions, with what the remaining steps would store. */
  async stored(
    session: UpgradeSession,
    live: Definition,
    rest: readonly CrdStep[],
    versions: readonly string[],
  ): Promise<void> {
    const stages = stagesOf(live, this.#look.document.crd, rest)
    const compared = new ComparedObjects()
    await this.#collect(async (groups, saved) => {
      for (const each of versions)
        await compareIn(session, live, stages, each, groups, saved, (object) => compared.see(each, object))
      return undefined
    })
    this.#compared = compared
  }

  /** Objects that others have written since they were compared, in the same way. */
  async recent(live: Definition, rest: readonly CrdStep[], versions: readonly string[]): Promise<void> {
    const stages = stagesOf(live, this.#look.document.crd, rest)
    const compared = this.#compared
    await this.#collect(async (groups, saved) => {
      const onObject = (object: ApiObject, findings: readonly LossFinding[]): void =>
        this.#add(object, findings, groups, saved)
      await compareRecent(this.#session, { live, stages, versions, compared, onObject })
      return undefined
    })
  }

  /**
   * Every object, with what comes back from the storage version. Only once objects are stored in that version can a server be asked
   * what a conversion webhook keeps of them.
   */
  async returned(session: UpgradeSession, live: Definition): Promise<void> {
    const versions = versionsToReturn(live)
    if (versions.length === 0) return
    const { context, cluster, options } = session
    const { name } = this.#look
    const { group, names } = live.spec
    let count = 0
    await this.#collect(async (groups, saved) => {
      for (const versionName of versions) {
        await compareAllReturned({
          objects: cluster.client.resource({ group, versionName, resource: names.plural }),
          ...{ pageSize, atOnce: options.concurrency },
          ask: (send) =>
            withRetries(context, send, {
              ...{ limitMs: oneRequestMs, patienceMs, isWorthIt, onWait: () => {} },
            }),
          onObject: (object, findings) => {
            context.progress?.(`${name}: compared with what the webhook keeps: ${++count}`)
            this.#add(object, findings, groups, saved)
          },
          // Its rewrite may succeed, and nothing would show what the webhook dropped.
          onUnseen: (object, message) => {
            const finding = {
              kind: 'unseen',
              path: notCompared,
              object: namespacedName(object.metadata),
              message,
            } as const
            this.#add(object, [finding], groups, saved)
          },
        })
      }
      context.progress?.('')
      return `the conversion webhook does not keep fields of stored objects on the way to ${storageVersionNameOf(live)} and back`
    })
  }

  #add(object: ApiObject, findings: readonly LossFinding[], groups: LossGroups, saved: SavedObjects): void {
    for (const each of findings) groups.add(each)
    if (groups.accepts(findings)) saved.save(object)
  }

  /** `compare` returns what a loss means. */
  async #collect(
    compare: (groups: LossGroups, saved: SavedObjects) => Promise<string | undefined>,
  ): Promise<void> {
    const { name } = this.#look
    const groups = new LossGroups(name, this.#session.options.acceptLoss)
    const saved = savedObjectsOf(this.#session, name)
    let what: string | undefined
    try {
      what = await compare(groups, saved)
    } finally {
      saved.close()
    }
    if (saved.path !== undefined) this.#session.context.warn?.(`${name}: objects saved in ${saved.path}`)
    const stop = stopOfLosses(groups, what)
    if (stop !== undefined) throw stop
    const unseen = groups.all.filter(({ kind }) => kind === 'unseen')
    for (const each of unseen) this.#session.context.warn?.(`${name}: ${lossText(each)}`)
  }
}

/** The versions from which a webhook converts stored objects to the storage version. */
function versionsToReturn(live: Definition): readonly string[] {
  if (live.spec.conversion?.strategy !== 'Webhook') return []
  const stored = storedVersionsOf(live)
  const storage = storageVersionNameOf(live)
  return versionsOf(live)
    .filter(({ name, served }) => served && name !== storage && stored.includes(name))
    .map(({ name }) => name)
}
