import { isValueTooDeep } from '@strata/api'
import { type Document, isAlias, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { MalformedJson } from '../../codec/index.ts'
import type { RequestContext } from '../request-context.ts'
import { bodyLimitBytes } from './body.ts'
import { type AliasTargets, resolveAliases } from './yaml-aliases.ts'
import { checkYamlBounds } from './yaml-bounds.ts'
import { resolvePlain } from './yaml-plain-scalar.ts'
import type { YamlReader } from './yaml-reader.ts'

/** This much takes about ten milliseconds on the main thread, and a malicious text a hundred. */
const longLength = 16 * 1024
/** The limit of a text with its aliases expanded: that of a JSON body, which has no aliases. */
const mostLength = bodyLimitBytes

export interface ParsedYaml {
  readonly value: unknown
  /** Duplicate keys of a map, of which the last one counts, in the words of upstream's parser. */
  readonly twice: readonly string[]
}

/** Parses YAML as Kubernetes clients use it: JSON in another notation. The library is loaded with the first YAML body. */
export async function readYaml(
  text: string,
  {
    yaml,
    user,
    signal,
  }: Pick<RequestContext, 'user' | 'signal'> & { readonly yaml: Pick<YamlReader, 'read'> },
): Promise<ParsedYaml> {
  return needsThread(text) ? yaml.read(text, user?.name ?? '', signal) : parseYaml(text)
}

/**
 * Three megabytes of malicious YAML take many seconds to parse, during which no other request runs. A few lines with
 * aliases may expand to as much. The two characters also occur in ordinary text; then the thread parses the body
 * needlessly.
 */
const needsThread = (text: string): boolean =>
  text.length > longLength || (text.includes('&') && text.includes('*'))

export function parseYaml(text: string): ParsedYaml {
  try {
    checkYamlBounds(text)
    const lineCounter = new LineCounter()
    // The library finds duplicate keys by comparing each with each, and quotes the whole line in each error.
    const costly = { uniqueKeys: false, prettyErrors: false } as const
    const options = { version: '1.1', schema: 'core', intAsBigInt: false, ...costly } as const
    // Otherwise a client's document could make the server print warnings.
    const logLevel = 'error'
    const document = parseDocument(text, { ...options, logLevel, lineCounter })
    checkProblems(document, lineCounter)
    const targets = resolveAliases(document, mostLength)
    resolveScalars(document)
    const twice = keysTwice(document, targets, lineCounter)
    // The expansion of aliases is bounded above: the library's own limit refuses a hundred uses of one word.
    const value: unknown = document.toJS({ maxAliasCount: -1 })
    if (isValueTooDeep(value)) throw tooDeep()
    return { value, twice }
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep()
    throw error
  }
}

const tooDeep = (): MalformedJson => new MalformedJson('yaml: exceeded max depth of 1000')

function checkProblems(document: Document.Parsed, lines: LineCounter): void {
  const [problem] = document.errors
  if (problem?.message.includes('call stack')) throw tooDeep()
  if (problem) {
    const { line, col } = lines.linePos(problem.pos[0])
    throw new MalformedJson(`yaml: line ${line}: ${problem.message} at line ${line}, column ${col}:`)
  }
}

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

/** With one of these tags, a quoted scalar is not a text either. */
const resolvedTags = new Set(['bool', 'int', 'float', 'null'].map((name) => `tag:yaml.org,2002:${name}`))

/**
 * Plain scalars have the values that kube-apiserver gives them. Integers beyond JavaScript's safe range keep their digits.
 * Numbers that JSON cannot express are refused: they would be stored as null.
 */
function resolveScalars(document: Document.Parsed): void {
  visit(document, {
    Scalar: (place, node) => {
      const { type, tag, source = '' } = node
      const isResolved = tag === undefined ? type === 'PLAIN' : resolvedTags.has(tag)
      if (isResolved) node.value = resolvePlain(source)
      const { value } = node
      if (typeof value === 'number' && !Number.isFinite(value)) {
        throw new MalformedJson(`json: unsupported value: ${source}`)
      }
      if (typeof value === 'bigint') node.value = place === 'key' ? String(value) : rawJSON(String(value))
    },
  })
}

function keysTwice(document: Document.Parsed, targets: AliasTargets, lines: LineCounter): string[] {
  const twice: string[] = []
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        const named = isAlias(key) ? targets.get(key) : key
        if (!isScalar(named) || named.value === null) {
          const { line } = lines.linePos(isNode(named) ? (named.range?.[0] ?? 0) : 0)
          // The library would convert a list, a map or null to a text, and use that as the key.
          throw new MalformedJson(`yaml: line ${line}: invalid map key`)
        }
        if (seen.has(named.value)) {
          const { line } = lines.linePos(isNode(key) ? (key.range?.[0] ?? 0) : 0)
          twice.push(`line ${line}: key ${JSON.stringify(named.value)} already set in map`)
        }
        seen.add(named.value)
      }
    },
  })
  return twice
}
