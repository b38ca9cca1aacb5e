import { type Schema, typeMetaProperties } from '@strata/api'
import { Components, type Json } from './components.ts'
import { addCustomKind } from './custom-kinds.ts'
import type { DescribableResource, DescribableRoutes } from './describable.ts'
import { apiResourceList } from './discovery-types.ts'
import { deleteOptions, listMeta, metaType, statusType } from './meta-types.ts'
import { resourcePaths } from './operations.ts'
import { readOperation } from './root-documents.ts'
import { kindVersionOf, operationScope, tagOf, typePackage } from './type-names.ts'

/** One version of a group: at least one resource. */
export type GroupVersionResources = readonly [DescribableResource, ...DescribableResource[]]

/** The OpenAPI v3 document of one version of a group. It contains everything that it refers to. */
export function groupVersionDocument(resources: GroupVersionResources, routes: DescribableRoutes): Json {
  const [first] = resources
  const notCustom = resources.find(({ definition }) => !definition.isCustom)
  const components = new Components()
  for (const resource of resources) {
    if (resource.definition.isCustom) addCustomKind(components, resource)
    else addKinds(components, resource)
  }
  const paths: Record<string, Json> = {}
  const isTyped = resources.some(({ definition }) => definition.typed)
  if (isTyped) {
    const root = first.group === '' ? '/api' : `/apis/${first.group}`
    paths[`${root}/${first.versionName}/`] = readOperation(components, {
      tag: tagOf(first),
      description: 'get available resources',
      operationId: `get${operationScope(first)}APIResources`,
      schema: apiResourceList(routes.isCompared),
    })
  }
  for (const resource of resources) Object.assign(paths, resourcePaths(resource, routes, components))
  const sorted = Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    openapi: '3.0.0',
    info: infoOf(isTyped),
    paths: Object.fromEntries(sorted),
    components: { schemas: withKinds(components.toJson(), notCustom ?? first) },
  }
}

/** Built-in and custom kinds also differ in the title. */
function infoOf(isTyped: boolean): Json {
  return isTyped
    ? { title: 'Kubernetes', version: '1.36' }
    : { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' }
}

function addKinds(components: Components, resource: DescribableResource): void {
  const { definition } = resource
  const { group, versionName } = kindVersionOf(resource)
  const { kind, listKind, typed = false } = definition
  const home = typePackage(resource)
  const kinds = (name: string): Json => ({
    'x-kubernetes-group-version-kind': [{ group, kind: name, version: versionName }],
  })
  const schema = definition.versions[versionName]?.schema ?? {}
  components.add(`${home}.${kind}`, schema, typed, kinds(kind))
  if (definition.isReview) return
  const items: Schema = {
    type: 'array',
    items: { type: 'object', properties: {}, 'x-strata-type': { name: `${home}.${kind}` } },
    description: `List of ${kind} objects.`,
  }
  const list: Schema = {
    type: 'object',
    description: `${listKind} is a list of ${kind}`,
    required: ['items'],
    properties: {
      ...typeMetaProperties,
      metadata: { ...listMeta, description: 'Metadata of the list.' },
      items,
    },
  }
  components.add(`${home}.${listKind}`, list, typed, kinds(listKind))
}

/** Some types belong to every group: clients look for the one of their group. */
function withKinds(schemas: Json, { group, versionName, definition }: DescribableResource): Json {
  const ownAndCore = [
    { group: '', version: 'v1' },
    // For custom kinds only the type of the core group is named.
    ...(group === '' || definition.isCustom ? [] : [{ group, version: versionName }]),
  ]
  const kinds: Readonly<Record<string, Json>> = {
    [metaType('APIResourceList')]: kindsOf('APIResourceList', ownAndCore.slice(0, 1)),
    [nameOf(deleteOptions)]: kindsOf('DeleteOptions', ownAndCore),
    [nameOf(statusType)]: kindsOf('Status', ownAndCore.slice(0, 1)),
  }
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { ...(schema as Json), ...kinds[name] }]),
  )
}

const nameOf = (schema: Schema): string => schema['x-strata-type']?.name ?? ''

function kindsOf(kind: string, all: ReadonlyArray<{ group: string; version: string }>): Json {
  return {
    'x-kubernetes-group-version-kind': all.map(({ group, version }) => ({ group, kind, version })),
  }
}
