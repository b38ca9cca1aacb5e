import { publishedCrds } from '../../support/published-crds.ts'
import { type BenchDefinition, benchDefinition } from './bench-definition.ts'
import { syntheticSchema } from './synthetic-schema.ts'

/** To read all of them would take longer than to install them; every fourth is a fair sample. */
const sampled = 4

/** So many definitions: published ones, each several times under other names, or else some of the same size. */
export function manyDefinitions(count: number, suffix: string): readonly BenchDefinition[] {
  const published = publishedCrds(sampled)
  return Array.from({ length: count }, (_, index) => {
    const crd = published[index % published.length]
    const turn = Math.floor(index / Math.max(1, published.length))
    if (!crd) return synthetic(index, suffix)
    const { scope, group, names, versions } = crd.spec
    const release =
      crd.file
        .split('/')[1]
        ?.toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-') ?? ''
    return benchDefinition({
      group: `${group}.${release}.t${turn}.${suffix}`,
      kind: names.kind,
      plural: names.plural,
      scope,
      versions,
    })
  })
}

/** Ten to a group, as projects have it; from 2 to 125 kB, as large together as the published ones. */
function synthetic(index: number, suffix: string): BenchDefinition {
  const openAPIV3Schema = syntheticSchema(1 + ((index * index) % 64))
  return benchDefinition({
    group: `project-${Math.floor(index / 10)}.${suffix}`,
    kind: `Sample${index % 10}`,
    plural: `samples${index % 10}`,
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
  })
}
