import { type Alias, type Document, isAlias, type Node, visit } from 'yaml'
import { MalformedJson } from '../../codec/index.ts'

/** The node that each alias refers to. */
export type AliasTargets = ReadonlyMap<Alias, Node>

interface Use {
  readonly at: number
  /** How much longer the text up to here becomes with its aliases expanded. */
  readonly added: number
}

/**
 * Resolves all aliases in one pass in text order: an alias refers to the last anchor of its name before it. `Alias.resolve`
 * of the library walks the whole document for each alias. Refuses a document that grows by more than `mostLength` when its
 * aliases are expanded, before they are.
 */
export function resolveAliases(document: Document.Parsed, mostLength: number): AliasTargets {
  const anchored = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  const uses: Use[] = []
  const addedUpTo = (at: number): number => uses.findLast((use) => use.at < at)?.added ?? 0
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchored.set(node.anchor, node)
        return
      }
      const target = anchored.get(node.source)
      if (!target) throw new MalformedJson(`yaml: unknown anchor '${node.source}' referenced`)
      const [at] = rangeOf(node)
      const [start, end] = rangeOf(target)
      if (at < end) throw new MalformedJson(`yaml: anchor '${node.source}' value contains itself`)
      const added = addedUpTo(at) + (end - start) + addedUpTo(end) - addedUpTo(start)
      if (added > mostLength) throw new MalformedJson('yaml: document contains excessive aliasing')
      uses.push({ at, added })
      targets.set(node, target)
    },
  })
  return targets
}

function rangeOf({ range }: Node): readonly [start: number, end: number] {
  if (!range) throw new Error('a node of a parsed document has no range')
  return [range[0], range[1]]
}
