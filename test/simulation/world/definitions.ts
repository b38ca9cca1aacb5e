import { type CustomPlural, customGroup } from '../keys.ts'
import type { Json } from './request.ts'

export const customKind = 'Gadget'
export const customVersions = ['v1', 'v2'] as const
export type CustomVersion = (typeof customVersions)[number]

/** Whose instances have the status subresource. */
export const pluralsWithStatus: readonly CustomPlural[] = ['gadgets', 'gears']

/** What the one who changes definitions decides about one. */
export interface Wanted {
  readonly storage: CustomVersion
  readonly served: readonly CustomVersion[]
  /** A field that only this writing of the definition has. */
  readonly mark: string
}

export const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const definitionPath = (plural: CustomPlural): string => `${definitionsPath}/${plural}.${customGroup}`

/**
 * Each writing of a definition has a field of its own, with a default. Whatever is stored by it has that field and none of
 * the others, which are pruned: the bytes themselves tell by which definition they were written.
 */
export function definition(plural: CustomPlural, { storage, served, mark }: Wanted): Json {
  const hasStatus = pluralsWithStatus.includes(plural)
  const spec = {
    type: 'object',
    properties: { colour: { type: 'string' }, [mark]: { type: 'string', default: 'x' } },
  }
  const status = { type: 'object', properties: { colour: { type: 'string' } } }
  const properties = hasStatus ? { spec, status } : { spec }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${customGroup}` },
    spec: {
      group: customGroup,
      scope: 'Namespaced',
      names: {
        plural,
        singular: plural.slice(0, -1),
        kind: customKind,
        listKind: `${customKind}List`,
      },
      versions: customVersions.map((name) => ({
        name,
        served: served.includes(name),
        storage: name === storage,
        schema: { openAPIV3Schema: { type: 'object', properties } },
        ...(hasStatus ? { subresources: { status: {} } } : {}),
      })),
      conversion: { strategy: 'None' },
    },
  }
}

/** What an object or a definition was marked with. */
export const isMark = (field: string): boolean => /^mark[0-9]+$/.test(field)
