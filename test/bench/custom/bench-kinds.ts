import { publishedFiles, readPublished } from '../../support/published-crds.ts'
import { type BenchDefinition, benchDefinition, type DefinitionSource } from './bench-definition.ts'
import { httpRoute, prometheus } from './published-objects.ts'
import { syntheticObject, syntheticRules, syntheticSchema } from './synthetic-schema.ts'

/** One kind of custom resource, defined twice: with its schema, and with one that takes everything. */
export interface BenchKind {
  readonly name: 'large' | 'rules'
  /** For people. */
  readonly title: string
  readonly strict: BenchDefinition
  readonly open: BenchDefinition
  /** The fields of an instance, besides its metadata. */
  readonly content: Readonly<Record<string, unknown>>
}

const openVersions: DefinitionSource['versions'] = [
  {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
]

/** Real ones where they are at hand, else some of the same size. `suffix` sets them apart from those of other runs. */
export function benchKinds(suffix: string): readonly BenchKind[] {
  return [
    published('large', /^prometheus-operator\/.*\/prometheuses\./, prometheus, suffix) ??
      synthetic('large', syntheticSchema(275), suffix),
    published('rules', /^gateway-api\/.*\/httproutes\./, httpRoute, suffix) ??
      synthetic('rules', syntheticRules(160), suffix),
  ]
}

function published(
  name: BenchKind['name'],
  pattern: RegExp,
  content: BenchKind['content'],
  suffix: string,
): BenchKind | undefined {
  const file = publishedFiles().findLast((each) => pattern.test(each))
  const [crd] = file === undefined ? [] : readPublished(file)
  if (!crd) return undefined
  const { kind, plural } = crd.spec.names
  return benchKind(name, `${crd.spec.names.kind} (${crd.file.replace(/\/[^/]*$/, '')})`, content, {
    group: `${name}.${suffix}`,
    kind,
    plural,
    scope: 'Namespaced',
    versions: crd.spec.versions,
  })
}

function synthetic(
  name: BenchKind['name'],
  openAPIV3Schema: Readonly<Record<string, unknown>>,
  suffix: string,
): BenchKind {
  return benchKind(name, 'synthetic schema', syntheticObject(), {
    group: `${name}.${suffix}`,
    kind: 'Sample',
    plural: 'samples',
    scope: 'Namespaced',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
  })
}

function benchKind(
  name: BenchKind['name'],
  origin: string,
  content: BenchKind['content'],
  source: DefinitionSource,
): BenchKind {
  const strict = benchDefinition(source)
  const kilobytes = Math.round(strict.body.length / 1000)
  return {
    name,
    title: `${origin}, definition of ${kilobytes} kB`,
    strict,
    open: benchDefinition({ ...source, group: `open.${source.group}`, versions: openVersions }),
    content,
  }
}

export function instance(
  { apiVersion, kind }: BenchDefinition,
  name: string,
  content: BenchKind['content'],
): Buffer {
  return Buffer.from(JSON.stringify({ apiVersion, kind, metadata: { name }, ...content }))
}
