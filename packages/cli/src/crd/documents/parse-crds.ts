import { apiextensionsGroup, isJsonObject, splitDocuments } from '@strata/api'
import type { FieldPath } from '@strata/insight'
import { parseYaml } from '@strata/server/yaml'
import type { CrdDocument, CrdPlace } from './crd-document.ts'
import { placeText } from './crd-document.ts'
import { decodeCrd } from './decode-crd.ts'
import { lineFinder } from './find-line.ts'

/** A document that cannot be read. The message names the file, the document and the line. */
export class UnreadableCrd extends Error {
  override readonly name = 'UnreadableCrd'
}

export interface ParsedFile {
  readonly crds: readonly CrdDocument[]
  /** Documents of other kinds. */
  readonly others: number
}

/** The CRDs of a file in YAML or JSON, in order; also those in a List. Documents of other kinds are counted. */
export function parseCrds(text: string, file: string): ParsedFile {
  const crds: CrdDocument[] = []
  let others = 0
  const documents = splitDocuments(text)
  for (const [index, document] of documents.entries()) {
    const place = { file, document: index + 1, documents: documents.length, line: document.line }
    // Parsing is slow: most documents of an installation are no CRDs.
    if (!document.text.includes('CustomResourceDefinition')) {
      others += 1
      continue
    }
    const found = crdsIn(parseDocument(document.text, place), document.text, place)
    if (found.length === 0) others += 1
    crds.push(...found)
  }
  return { crds, others }
}

function parseDocument(text: string, place: CrdPlace): unknown {
  try {
    const { value, twice } = parseYaml(text)
    if (twice.length === 0) return value
    throw new Error(`a key is there twice: ${twice.join('; ')}`)
  } catch (error) {
    const why = inLinesOf(error instanceof Error ? error.message : String(error), place)
    const hint = text.includes('{{')
      ? '; it has {{ in it: render templates first (helm template, kustomize build)'
      : ''
    throw new UnreadableCrd(
      `${placeText(place)}: cannot read it as YAML: ${why.replace(/^yaml: /, '')}${hint}`,
    )
  }
}

/** The parser counts lines from the beginning of the document. */
function inLinesOf(problem: string, { line }: CrdPlace): string {
  return problem.replace(/\bline (\d+)/g, (_, found: string) => `line ${Number(found) + line - 1}`)
}

function crdsIn(value: unknown, text: string, place: CrdPlace): CrdDocument[] {
  const find = lineFinder(text)
  const lineOf = (path: FieldPath): number => find(path) + place.line - 1
  if (!isJsonObject(value)) return []
  if (!isList(value)) return isCrd(value) ? [toDocument(value, place, lineOf)] : []
  return (value['items'] as readonly unknown[]).flatMap((item, index) =>
    isJsonObject(item) && isCrd(item)
      ? [toDocument(item, place, (path) => lineOf(['items', index, ...path]))]
      : [],
  )
}

const isList = ({ kind, items }: Record<string, unknown>): boolean =>
  typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)

const isCrd = ({ kind, apiVersion }: Record<string, unknown>): boolean =>
  kind === 'CustomResourceDefinition' && String(apiVersion).startsWith(`${apiextensionsGroup}/`)

function toDocument(
  manifest: Record<string, unknown>,
  place: CrdPlace,
  lineOf: CrdDocument['lineOf'],
): CrdDocument {
  const apiVersion = String(manifest['apiVersion'])
  const versionName = apiVersion.slice(apiextensionsGroup.length + 1)
  const refuse = (why: string): UnreadableCrd => new UnreadableCrd(`${placeText(place)}: ${why}`)
  if (versionName !== 'v1' && versionName !== 'v1beta1') {
    throw refuse(`apiVersion ${apiVersion}: a CustomResourceDefinition has v1, or v1beta1 in old releases`)
  }
  const decoded = decodeCrd(manifest, versionName)
  if ('problem' in decoded) throw refuse(`it is no CustomResourceDefinition: ${decoded.problem}`)
  const { crd, unknownFields } = decoded
  const { name } = crd.metadata
  if (!name) throw refuse('the CustomResourceDefinition has no metadata.name')
  return { name, place, apiVersion, crd, manifest, unknownFields, lineOf }
}
