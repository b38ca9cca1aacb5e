import type { GroupResource } from '@strata/api'

/** What matters of a CRD here; its schemas are large, and are not kept. */
export interface DefinitionFacts extends GroupResource {
  readonly uid?: string
  /** It grows with each change of the spec. */
  readonly generation?: number
  readonly kind: string
  readonly namespaced: boolean
  readonly versions: readonly DefinitionVersion[]
  readonly storedVersions: readonly string[]
  readonly conversion: 'None' | 'Webhook'
  /** The URL, or namespace and name of the service. */
  readonly webhook?: string
}

export interface DefinitionVersion {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly deprecated: boolean
}

type Json = Readonly<Record<string, unknown>>

/**
 * A CRD as the API sends it, or as it lies in the store: v1, or v1beta1, which kube-apiserver stores until today. Undefined for
 * something else.
 */
export function definitionFacts(definition: unknown): DefinitionFacts | undefined {
  const spec = at(definition, 'spec')
  const names = at(spec, 'names')
  const [group, resource] = [text(spec, 'group'), text(names, 'plural')]
  if (group === '' || resource === '') return undefined
  const conversion = at(spec, 'conversion')
  // v1beta1 has the address beside the strategy.
  const client = at(at(conversion, 'webhook'), 'clientConfig') ?? at(conversion, 'webhookClientConfig')
  const webhook = addressOf(client)
  const metadata = at(definition, 'metadata')
  const [uid, generation] = [text(metadata, 'uid'), metadata?.['generation']]
  return {
    ...(uid === '' ? {} : { uid }),
    ...(typeof generation === 'number' ? { generation } : {}),
    ...{ group, resource, kind: text(names, 'kind'), namespaced: text(spec, 'scope') !== 'Cluster' },
    versions: versionsIn(spec),
    storedVersions: list(at(definition, 'status'), 'storedVersions').filter(
      (each) => typeof each === 'string',
    ),
    conversion: text(conversion, 'strategy') === 'Webhook' ? 'Webhook' : 'None',
    ...(webhook === '' ? {} : { webhook }),
  }
}

function versionsIn(spec: Json | undefined): readonly DefinitionVersion[] {
  const versions = list(spec, 'versions')
  const [single] = [text(spec, 'version')]
  // The oldest CRDs name one version, and no list.
  if (versions.length === 0 && single !== '')
    return [{ name: single, served: true, storage: true, deprecated: false }]
  return versions.map((each) => ({
    name: text(each, 'name'),
    served: at(each)?.['served'] === true,
    storage: at(each)?.['storage'] === true,
    deprecated: at(each)?.['deprecated'] === true,
  }))
}

function addressOf(client: Json | undefined): string {
  const service = at(client, 'service')
  return service ? `service ${text(service, 'namespace')}/${text(service, 'name')}` : text(client, 'url')
}

function at(value: unknown, field?: string): Json | undefined {
  const found = field === undefined ? value : (value as Json | null | undefined)?.[field]
  return typeof found === 'object' && found !== null ? (found as Json) : undefined
}

const text = (value: unknown, field: string): string => {
  const found = at(value)?.[field]
  return typeof found === 'string' ? found : ''
}

const list = (value: unknown, field: string): readonly unknown[] => {
  const found = at(value)?.[field]
  return Array.isArray(found) ? found : []
}
