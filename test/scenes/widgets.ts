import type { Definition, Ground } from './ground.ts'

interface VersionOf {
  readonly served?: boolean
  readonly rules?: readonly object[]
}

/** A CRD with these versions, stored in one of them. Without conversion, as most have it. */
export function widgetDefinition(
  { group }: Ground,
  storage: string,
  versions: Readonly<Record<string, VersionOf>>,
  plural = 'widgets',
): Definition {
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{
        group,
        scope: 'Namespaced',
        names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      },
      versions: Object.entries(versions).map(([name, { served = true, rules }]) => ({
        ...{ name, served, storage: name === storage },
        schema: { openAPIV3Schema: schemaOf(rules) },
      })),
    },
  } as Definition
}

const schemaOf = (rules: readonly object[] = []) => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { size: { type: 'integer' }, frozen: { type: 'boolean' } },
      ...(rules.length > 0 ? { 'x-kubernetes-validations': rules } : {}),
    },
  },
})

/** Objects `a`, `b`, … of the scene's namespace. */
export function widgets(ground: Ground, version: string, count = 5, plural = 'widgets'): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: `${ground.group}/${version}`,
    kind: `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`,
    metadata: { name: nameOf(index), namespace: ground.name, labels: { name: nameOf(index) } },
    spec: { size: index },
  }))
}

const nameOf = (index: number): string => String.fromCharCode('a'.charCodeAt(0) + index)

/** What API servers say of a CRD that drops a version in which objects may be stored. */
export const missingVersion = (version: string): RegExp =>
  new RegExp(`status\\.storedVersions\\[\\d\\]: Invalid value: "${version}": missing from spec\\.versions`)
