import { type CustomResourceDefinition, customResourceDefinitions } from '@strata/api'
import type { Client, DiscoveredResource } from '@strata/client'
import type { Manifest } from './read-manifests.ts'

const fieldManager = 'strata-testing'

/** Applies manifests in their order, CRDs first, so that custom resources may stand before their CRD. */
export async function applyManifests(
  client: Client,
  manifests: readonly Manifest[],
  signal: AbortSignal,
): Promise<void> {
  const [crds = [], others = []] = [
    manifests.filter(({ kind }) => kind === 'CustomResourceDefinition'),
    manifests.filter(({ kind }) => kind !== 'CustomResourceDefinition'),
  ]
  await applyAll(client, crds, signal)
  for (const { metadata } of crds) await untilEstablished(client, metadata.name ?? '', signal)
  await applyAll(client, others, signal)
}

async function applyAll(client: Client, manifests: readonly Manifest[], signal: AbortSignal): Promise<void> {
  if (manifests.length === 0) return
  const { resources } = await client.discover(signal)
  for (const manifest of manifests) {
    const found = resources.find((each) => isOf(each, manifest))
    const { apiVersion, kind } = manifest
    const { name = '', namespace } = manifest.metadata
    if (!found) throw new TypeError(`${kind} ${name}: the cluster does not serve ${kind} in ${apiVersion}`)
    const at = found.namespaced ? { name, namespace: namespace ?? 'default' } : { name }
    const metadata = { ...manifest.metadata, ...at }
    await client.resource(found).apply(at, { ...manifest, metadata }, signal, { fieldManager, force: true })
  }
}

function isOf({ group, versionName, kind }: DiscoveredResource, manifest: Manifest): boolean {
  const apiVersion = group === '' ? versionName : `${group}/${versionName}`
  return kind === manifest.kind && apiVersion === manifest.apiVersion
}

/** From then on the kind is served. */
async function untilEstablished(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const crds = client.resource<CustomResourceDefinition>(customResourceDefinitions, 'v1')
  for await (const { object } of crds.watch({ fieldSelector: `metadata.name=${name}` }, signal)) {
    const conditions = (object as CustomResourceDefinition).status?.conditions ?? []
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) return
    const refused = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False')
    if (refused) throw new Error(`CustomResourceDefinition ${name}: ${refused.message ?? refused.reason}`)
  }
}
