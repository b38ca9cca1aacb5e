import { type AgreementStatus, agreementName, type StorageAgreement } from '@strata/api'
import type { Log } from '@strata/world'
import { agreementKind } from '../../coordination/index.ts'
import { followObjects, type WatchCache } from '../../watch-cache/index.ts'
import type { ServedApi, ServedResource } from './served-api.ts'

/**
 * Serves only those versions of built-in kinds that every live server serves, by their agreement records. A client finds the same
 * API on every server, and a new version appears everywhere when the last server has it. All servers follow the same records.
 * Custom resources follow their CRDs, review kinds have no record, and the kinds that agreement is made of are the same in every
 * release.
 */
export class AgreedServing {
  readonly #api: ServedApi
  /** Everything that this server can serve. */
  readonly #own: readonly ServedResource[]
  readonly #records = new Map<string, Pick<AgreementStatus, 'servedVersions' | 'heldBackBy' | 'servers'>>()
  readonly #shown = new Map<ServedResource, Shown>()
  /** Called when the set of served resources changes. */
  onChange: () => void = () => {}

  constructor(api: ServedApi, cache: WatchCache, log: Log) {
    this.#api = api
    this.#own = api.resources
    this.#publish()
    followObjects(
      cache,
      agreementKind.codec,
      (_, name, record) => this.#take(name, record as StorageAgreement | undefined),
      (key, error) => log.warn('cannot read a StorageAgreement', { key, error: String(error) }),
    )
  }

  /** Why this server withholds a path that it can serve; undefined if it cannot serve it, or does not withhold it. */
  readonly whyWithheld = (group: string, versionName: string, resource: string): string | undefined => {
    const withheld = this.#own.find(
      (each) =>
        each.group === group &&
        each.versionName === versionName &&
        (resource === '' || each.definition.resource === resource) &&
        !this.#shown.has(each),
    )
    if (!withheld) return undefined
    const who = this.#holdersOf(withheld).join(', ')
    return `${withheld.apiVersion} is served when every API server serves it${who === '' ? '' : `; ${who} does not`}`
  }

  /** The withheld resources and the servers that lack them; undefined if everything is served. */
  get problem(): string | undefined {
    const byHolders = new Map<string, string[]>()
    for (const each of this.#own) {
      if (this.#shown.has(each)) continue
      const who = this.#holdersOf(each).join(', ')
      byHolders.set(who, [...(byHolders.get(who) ?? []), `${each.definition.resource} of ${each.apiVersion}`])
    }
    const texts = [...byHolders].map(
      ([who, what]) =>
        `${what.sort().join(', ')} (${who === '' ? 'not every server has reported' : `for ${who}`})`,
    )
    return texts.length === 0 ? undefined : texts.sort().join('; ')
  }

  /** The servers that hold it back: those whose entries lack it, and counted servers without an entry. */
  #holdersOf({ apiVersion, definition }: ServedResource): string[] {
    const { servers = [], heldBackBy = [] } = this.#records.get(agreementName(definition)) ?? {}
    const serves = servers.filter(({ servedVersions }) => servedVersions.includes(apiVersion))
    const without = servers.filter((each) => !serves.includes(each)).map(({ serverID }) => serverID)
    const others = heldBackBy.filter((id) => !servers.some(({ serverID }) => serverID === id))
    return [...without, ...others].sort()
  }

  #take(name: string, record: StorageAgreement | undefined): void {
    const before = this.#records.get(name)?.servedVersions
    if (record) this.#records.set(name, record.status)
    else this.#records.delete(name)
    if (String(before) !== String(record?.status.servedVersions)) this.#publish()
  }

  #publish(): void {
    let isChanged = false
    for (const resource of this.#own) {
      const shown = this.#shown.get(resource)
      if (this.#isAgreed(resource) === (shown !== undefined)) continue
      isChanged = true
      if (shown) {
        this.#shown.delete(resource)
        shown.replaced.abort(new Error('not every server serves this version'))
      } else {
        // Each version has a signal of its own: when it is withdrawn, its watches end and the clients look for another version.
        const replaced = new AbortController()
        this.#shown.set(resource, { resource: { ...resource, replaced: replaced.signal }, replaced })
      }
    }
    if (!isChanged) return
    this.#api.setBuiltIn(this.#own.flatMap((each) => this.#shown.get(each)?.resource ?? []))
    this.onChange()
  }

  /** Without a record there is no server to wait for. */
  #isAgreed({ definition, apiVersion }: ServedResource): boolean {
    if (definition.bootstrap || definition.isReview) return true
    return this.#records.get(agreementName(definition))?.servedVersions?.includes(apiVersion) ?? true
  }
}

interface Shown {
  readonly resource: ServedResource
  readonly replaced: AbortController
}
