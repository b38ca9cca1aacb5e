import {
  type ApiObject,
  apiVersionOf,
  type CustomResourceDefinition,
  customResourceDefinitions,
  namespacedName,
  storageVersionNameOf,
} from '@strata/api'
import { type Client, isNotFound } from '@strata/client'
import {
  kindsOf,
  type RehearsedKind,
  type StoredObjects,
  type StoredValue,
  type Subject,
} from '@strata/rehearsal'
import { utf8 } from '@strata/world'

type Reason = StoredObjects['reasons'][number]

const crdPrefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/'

/** What a cluster has of the CRDs of a rehearsal, as its store may hold it. */
export async function readClusterObjects(
  client: Client,
  limit: number,
  subject: Subject,
  signal: AbortSignal,
): Promise<StoredObjects> {
  const entries: StoredValue[] = []
  const reasons: Reason[] = []
  for (const kind of kindsOf(subject)) {
    const crd = await readCrd(client, kind.name, signal)
    if (crd === undefined) {
      reasons.push(unseen(kind, 'not-in-cluster', `the cluster has no CRD ${kind.name}`))
      continue
    }
    entries.push({ key: `${crdPrefix}${kind.name}`, value: bytesOf(crd) })
    const taken = await readObjects(client, { kind, crd, limit }, signal)
    entries.push(...taken.entries)
    reasons.push(...taken.reasons)
  }
  return { entries, reasons }
}

async function readCrd(
  client: Client,
  name: string,
  signal: AbortSignal,
): Promise<CustomResourceDefinition | undefined> {
  try {
    const crd = await client.resource(customResourceDefinitions, 'v1').get({ name }, signal)
    return { ...crd, apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

interface Wanted {
  readonly kind: RehearsedKind
  readonly crd: CustomResourceDefinition
  readonly limit: number
}

async function readObjects(
  client: Client,
  { kind, crd, limit }: Wanted,
  signal: AbortSignal,
): Promise<StoredObjects> {
  const storage = storageVersionNameOf(crd) ?? ''
  const served = (crd.spec.versions ?? []).filter((each) => each.served).map(({ name }) => name)
  const versionName = served.includes(storage) ? storage : served[0]
  if (versionName === undefined) {
    return {
      entries: [],
      reasons: [unseen(kind, 'not-served', `the cluster serves no version of ${kind.name}`)],
    }
  }
  const address = { group: kind.group, versionName, resource: kind.plural }
  const { items, metadata } = await client.resource(address).listPage({ limit }, signal)
  const versions = possibleVersions(crd, storage)
  const entries = items.map((item, index) => {
    const version = versions[index % versions.length] ?? storage
    return entryOf(kind, item, version)
  })
  return {
    entries,
    reasons: reasonsOf(
      kind,
      items.length,
      metadata.remainingItemCount ?? (metadata.continue ? 1 : 0),
      versions,
    ),
  }
}

/** A webhook would have to convert what is not stored in the storage version. */
function possibleVersions({ spec, status }: CustomResourceDefinition, storage: string): readonly string[] {
  const stored = status?.storedVersions ?? []
  return spec.conversion?.strategy === 'Webhook' || stored.length === 0 ? [storage] : stored
}

function entryOf(kind: RehearsedKind, item: ApiObject, version: string): StoredValue {
  const { managedFields: _, resourceVersion: __, ...metadata } = item.metadata
  const object = { ...item, apiVersion: apiVersionOf(kind.group, version), kind: kind.kind, metadata }
  return {
    key: `${kind.prefix}${namespacedName(item.metadata)}`,
    value: bytesOf(object),
  }
}

const bytesOf = (object: object): Uint8Array => utf8.encode(JSON.stringify(object))

function reasonsOf(
  kind: RehearsedKind,
  taken: number,
  left: number,
  versions: readonly string[],
): readonly Reason[] {
  const spread = `the API does not show in which version each object of ${kind.name} is stored: they are taken to be in ${versions.join(' and ')} by turns`
  return [
    ...(versions.length > 1
      ? [{ level: 'note', rule: 'stored-unknown', message: spread, resource: kind.name } as const]
      : []),
    ...(left > 0
      ? [
          unseen(
            kind,
            'not-all-taken',
            `${taken} of ${taken + left} objects of ${kind.name} in the cluster were taken`,
            'raise "limit" beside "cluster"',
          ),
        ]
      : []),
  ]
}

const unseen = (kind: RehearsedKind, rule: string, message: string, fix?: string): Reason => ({
  ...{ level: 'could not see', rule, message, resource: kind.name, fix },
})
