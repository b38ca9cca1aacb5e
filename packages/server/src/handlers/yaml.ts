import { type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { MalformedJson } from '../codec/index.ts'

const options = { version: '1.1', schema: 'core', intAsBigInt: false } as const

/** YAML as clients of Kubernetes use it: JSON with another face. Loaded with the first YAML that is sent. */
export function parseYaml(text: string): Record<string, unknown> {
  const value = documentValue(parseDocument(text, { ...options, uniqueKeys: true }))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedJson('yaml: expected an object')
  }
  return value as Record<string, unknown>
}

export interface LooseYaml {
  readonly value: unknown
  /** Keys that stand twice in a map, of which the last one counts; in the words of upstream's parser. */
  readonly twice: readonly string[]
}

export function parseLooseYaml(text: string): LooseYaml {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { ...options, uniqueKeys: false, lineCounter })
  return { value: documentValue(document), twice: keysTwice(document, lineCounter) }
}

function documentValue(document: Document.Parsed): unknown {
  const [problem] = document.errors
  if (problem) {
    const line = problem.linePos?.[0].line ?? 1
    throw new MalformedJson(`yaml: line ${line}: ${problem.message.split('\n')[0]}`)
  }
  return document.toJS({ maxAliasCount: 100 })
}

function keysTwice(document: Document.Parsed, lines: LineCounter): string[] {
  const twice: string[] = []
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const { line } = lines.linePos(key.range?.[0] ?? 0)
        if (seen.has(key.value))
          twice.push(`line ${line}: key ${JSON.stringify(key.value)} already set in map`)
        seen.add(key.value)
      }
    },
  })
  return twice
}
