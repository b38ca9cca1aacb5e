import { type CustomResourceDefinition, fieldOf, isJsonObject, jsonEqual } from '@strata/api'
import type { MergePatch } from '@strata/client'
import { type CrdWriter, ownedMarks } from './decide-writer.ts'
import { keptMarks } from './tool-marks.ts'

/** The body of a write of a CRD, in the name of `writer`. It is refused if the CRD has changed since it was read. */
export interface CrdWrite {
  readonly writer: CrdWriter
  readonly body: MergePatch
  /** The cluster had no such CRD: the write must not change one that others create meanwhile. */
  readonly isNew?: true
}

type Spec = Readonly<Record<string, unknown>>

/** What a file has, besides the names and versions. */
export interface CrdFile {
  readonly spec: Spec
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly annotations: Readonly<Record<string, string>> | undefined
  /** The file itself, for the annotation of `kubectl apply` on the client's side. */
  readonly manifest: unknown
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** The new file. */
export function writeOfFile(
  name: string,
  live: CustomResourceDefinition | undefined,
  file: CrdFile,
  writer: CrdWriter,
): CrdWrite {
  const labels = { ...keptMarks(live?.metadata.labels), ...file.labels }
  const annotations = { ...keptMarks(live?.metadata.annotations), ...file.annotations }
  // kubectl removes later what this annotation has and the next file has not.
  const isClientSide =
    writer.operation === 'Update' && live?.metadata.annotations?.[lastApplied] !== undefined
  const noted = isClientSide ? { [lastApplied]: `${JSON.stringify(file.manifest)}\n` } : {}
  return writeOf(name, live, file.spec, writer, { labels, annotations: { ...annotations, ...noted } })
}

/** A spec between the two; everything else stays as it is. */
export function writeOfSpec(
  live: CustomResourceDefinition,
  spec: CustomResourceDefinition['spec'],
  writer: CrdWriter,
): CrdWrite {
  const { name = '' } = live.metadata
  // What an applier no longer applies is removed: so it applies again what it owns, and nothing that others own.
  const labels = ownedMarks(live, writer, 'labels')
  const annotations = ownedMarks(live, writer, 'annotations')
  return writeOf(name, live, spec as unknown as Spec, writer, { labels, annotations })
}

interface Marks {
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

function writeOf(
  name: string,
  live: CustomResourceDefinition | undefined,
  spec: Spec,
  writer: CrdWriter,
  { labels, annotations }: Marks,
): CrdWrite {
  const { uid, resourceVersion } = live?.metadata ?? {}
  const guard = live === undefined ? {} : { uid, resourceVersion }
  const metadata = { name, ...guard, ...unlessEmpty({ labels }), ...unlessEmpty({ annotations }) }
  const kind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' }
  if (writer.operation === 'Apply' || live === undefined) {
    const isNew = live === undefined ? { isNew: true as const } : {}
    return { writer: { ...writer, operation: 'Apply' }, body: { ...kind, metadata, spec }, ...isNew }
  }
  const whole = withCaBundle(spec, live.spec as unknown as Spec)
  return { writer, body: { metadata, spec: mergePatchBetween(live.spec, whole) } }
}

function unlessEmpty(fields: Readonly<Record<string, Readonly<Record<string, string>>>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => Object.keys(value).length > 0))
}

/**
 * A CA bundle in the live CRD that the file lacks was put there by a controller, such as cert-manager's CA injector. An update
 * would remove it, and no server would reach the webhook; a server-side apply leaves it alone.
 */
function withCaBundle(spec: Spec, live: Spec): Spec {
  const at = (value: unknown): unknown =>
    ['conversion', 'webhook', 'clientConfig'].reduce<unknown>(
      (found, field) => (isJsonObject(found) ? fieldOf(found, field) : undefined),
      value,
    )
  const [wanted, before] = [at(spec), at(live)]
  if (!isJsonObject(wanted) || !isJsonObject(before)) return spec
  const bundle = fieldOf(before, 'caBundle')
  if (bundle === undefined || fieldOf(wanted, 'caBundle') !== undefined) return spec
  const conversion = spec['conversion'] as { readonly webhook: object }
  const webhook = { ...conversion.webhook, clientConfig: { ...wanted, caBundle: bundle } }
  return { ...spec, conversion: { ...conversion, webhook } }
}

/** The JSON merge patch that makes `after` of `before`. */
function mergePatchBetween(before: unknown, after: unknown): unknown {
  if (!isJsonObject(before) || !isJsonObject(after)) return after
  const patch: Record<string, unknown> = {}
  for (const field of Object.keys(before)) if (fieldOf(after, field) === undefined) patch[field] = null
  for (const field of Object.keys(after)) {
    const [old, value] = [fieldOf(before, field), fieldOf(after, field)]
    if (!jsonEqual(old ?? null, value ?? null)) patch[field] = mergePatchBetween(old, value)
  }
  return patch
}
