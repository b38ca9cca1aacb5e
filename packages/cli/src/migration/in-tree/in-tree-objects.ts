import { groupResourceText } from '@strata/api'
import { type Client, type DiscoveredResource, isNotFound, type ResourceClient } from '@strata/client'
import { type MigrationObject, type MigrationView, objectName, viewOf } from '@strata/insight'
import { type Random, uuid } from '@strata/world'
import { outcomeOfPatch } from '../run/patch-outcome.ts'
import type { CrdBefore } from './decide-restored.ts'
import { type InTreeApi, inTreeSpec } from './in-tree-api.ts'

/** The CRD before the migration, for the command that finds how it has ended. */
const beforeAnnotation = 'strata.dev/crd-before'
/** A command has dealt with how it ended. */
const settledAnnotation = 'strata.dev/settled'

type Created =
  | { readonly kind: 'created'; readonly view: MigrationView }
  /** No answer came, and it is not there yet. */
  | { readonly kind: 'unknown'; readonly name: string }

/** Upstream's migrations of one resource. */
export class InTreeObjects {
  readonly #api: InTreeApi
  readonly #resource: DiscoveredResource
  readonly #client: ResourceClient<MigrationObject>
  readonly #random: Random

  constructor(client: Client, api: InTreeApi, resource: DiscoveredResource, random: Random) {
    this.#api = api
    this.#resource = resource
    this.#client = client.resource<MigrationObject>(api)
    this.#random = random
  }

  async list(signal: AbortSignal): Promise<readonly MigrationView[]> {
    const { items } = await this.#client.list({}, signal)
    const name = groupResourceText(this.#resource)
    return items
      .map((each) => viewOf(this.#api.group, each))
      .filter(({ resource }) => groupResourceText(resource) === name)
      .sort(
        (one, other) => one.createdAt.localeCompare(other.createdAt) || one.name.localeCompare(other.name),
      )
  }

  /** A lost answer is followed by a look: the name is new each time. What is not there yet may come a moment later. */
  async create(before: CrdBefore | undefined, signal: AbortSignal): Promise<Created> {
    const name = `strata-in-tree-${groupResourceText(this.#resource)}-${uuid(this.#random).slice(0, 8)}`
    const annotations = before === undefined ? {} : { [beforeAnnotation]: JSON.stringify(before) }
    const object = { metadata: { name, annotations }, spec: inTreeSpec(this.#api, this.#resource) }
    try {
      const created = await this.#client.create(object as MigrationObject, signal)
      return { kind: 'created', view: viewOf(this.#api.group, created) }
    } catch (error) {
      // Ctrl-C throws a reason of its own, and the request may have arrived all the same.
      if (!signal.aborted && outcomeOfPatch(error) !== 'unknown') throw error
      const seen = await this.list(signal).catch(() => [])
      const view = seen.find((each) => each.name === name)
      const { group } = this.#api
      return view === undefined
        ? { kind: 'unknown', name: objectName({ group, name }) }
        : { kind: 'created', view }
    }
  }

  /** Deletes it if no controller has written to it; false if one has. */
  async withdraw({ name, uid, resourceVersion }: MigrationView, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#client.delete({ name }, { preconditions: { uid, resourceVersion } }, signal)
      return true
    } catch (error) {
      if (outcomeOfPatch(error) === 'bug') throw error
      return isNotFound(error)
    }
  }

  async settle({ name, uid }: MigrationView, outcome: string, signal: AbortSignal): Promise<void> {
    const metadata = { uid, annotations: { [settledAnnotation]: outcome } }
    await this.#client.patch({ name }, { metadata }, signal)
  }
}

/** The CRD before the migration; undefined if it has none, or if another program made the migration. */
export function beforeOf({ annotations }: Pick<MigrationView, 'annotations'>): CrdBefore | undefined {
  const text = annotations[beforeAnnotation]
  if (text === undefined) return undefined
  try {
    const { uid, storedVersions }: Partial<CrdBefore> = JSON.parse(text)
    const isRead = typeof uid === 'string' && Array.isArray(storedVersions)
    return isRead ? { uid, storedVersions: storedVersions.map(String) } : undefined
  } catch {
    return undefined
  }
}

/** A command made it, and none has dealt with its end: the command was killed, or the cluster did not answer any more. */
export function isUnsettled({ annotations }: Pick<MigrationView, 'annotations'>): boolean {
  return beforeOf({ annotations }) !== undefined && annotations[settledAnnotation] === undefined
}
