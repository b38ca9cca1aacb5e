import type { FieldPath } from '@strata/insight'
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

/**
 * The lines of fields in a YAML document, from 1. The document is parsed when the first line is asked for: most are never asked
 * about, and a large CRD takes a while.
 */
export function lineFinder(text: string): (path: FieldPath) => number {
  let known: { root: Node | null; lines: LineCounter } | undefined
  return (path) => {
    known ??= parse(text)
    const { root, lines } = known
    let node: unknown = root
    let line = 1
    for (const part of path) {
      const found = childOf(node, part)
      if (!found) break
      if (found.offset !== undefined) line = lines.linePos(found.offset).line
      node = found.value
    }
    return line
  }
}

function parse(text: string): { root: Node | null; lines: LineCounter } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, logLevel: 'error' })
  return { root: document.contents, lines }
}

interface Child {
  readonly value: unknown
  /** The position of its name in the text; of the value, for an item of a list. */
  readonly offset: number | undefined
}

function childOf(node: unknown, part: string | number): Child | undefined {
  if (isSeq(node) && typeof part === 'number') {
    const value = node.items[part] as Node | undefined
    return value && { value, offset: value.range?.[0] }
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
  if (!pair) return undefined
  return { value: pair.value, offset: isScalar(pair.key) ? pair.key.range?.[0] : undefined }
}
