import { apiVersionOf, type ResourceDefinition, resourceAtRelease } from '@strata/api'
import { addressOf, resourcePath } from '@strata/client'
import { type HttpRequest, utf8 } from '@strata/world'

export const loadNamespace = 'playground'
const [labelName, labelValue] = ['strata.dev/playground', 'load']
/** What the load has written, for its removal. */
export const loadSelector = `${labelName}=${labelValue}`

/** What the load writes. */
export interface LoadedKind {
  readonly definition: ResourceDefinition
  /** What an object has beside its metadata, in each version. */
  readonly contentOf: Readonly<Record<string, (turn: number) => object>>
}

/** The kind of examples/lighthouse: its storage version changes with the release. */
const beacon: LoadedKind['contentOf'] = {
  v1: (turn) => ({ spec: { everySeconds: 1 + (turn % 60), colour: `turn-${turn}` } }),
  v2: (turn) => ({ spec: { periodMs: 1 + (turn % 60_000), colour: `turn-${turn}` } }),
}

const isBeacon = ({ group, resource }: ResourceDefinition): boolean =>
  group === 'lighthouse.example.dev' && resource === 'beacons'

/** Beacons; ConfigMaps in a fleet without them. */
export function chooseLoadedKind(
  kinds: readonly ResourceDefinition[],
  configMaps: ResourceDefinition,
): LoadedKind {
  const beacons = kinds.find(isBeacon)
  return beacons
    ? { definition: beacons, contentOf: beacon }
    : { definition: configMaps, contentOf: { v1: (turn) => ({ data: { turn: String(turn) } }) } }
}

/** A request that creates the object or changes it, in a version that the release serves; undefined if it serves none. */
export function writeRequest(
  { definition, contentOf }: LoadedKind,
  { index, turn, release }: { readonly index: number; readonly turn: number; readonly release: string },
  signal: AbortSignal,
): HttpRequest | undefined {
  const served = servedAt(definition, release).filter((version) => Object.hasOwn(contentOf, version))
  // An object is always written in the same version, or its managers would be listed once for each.
  const version = served[index % served.length]
  if (version === undefined) return undefined
  const metadata = { name: `load-${index}`, namespace: loadNamespace, labels: { [labelName]: labelValue } }
  const apiVersion = apiVersionOf(definition.group, version)
  return {
    method: 'PATCH',
    target: `${resourcePath(addressOf(definition, version), metadata)}?fieldManager=strata-load&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: utf8.encode(
      JSON.stringify({ apiVersion, kind: definition.kind, metadata, ...contentOf[version]?.(turn) }),
    ),
    signal,
  }
}

/** What a release serves of the kind. A release that the kind does not name is the newest. */
export const servedAt = (definition: ResourceDefinition, release: string): readonly string[] =>
  resourceAtRelease(definition, definition.releases?.[release] ? release : undefined)?.served ?? []
