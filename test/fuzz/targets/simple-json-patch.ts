import { isJsonObject, jsonEqual } from '@strata/api'

/** An operation does not fit. */
export class NotApplicable extends Error {}

type Fields = ReadonlyMap<string, unknown>
/** A document as maps and lists, which have no prototypes to stumble over. Never changed: each step makes a new one. */
type Node = Fields | readonly unknown[] | string | number | boolean | null

function fail(why: string): never {
  throw new NotApplicable(why)
}

const nodeOf = (value: unknown): Node =>
  Array.isArray(value)
    ? value.map(nodeOf)
    : isJsonObject(value)
      ? new Map(Object.entries(value).map(([field, each]) => [field, nodeOf(each)]))
      : (value as Node)

const jsonOf = (node: unknown): unknown =>
  node instanceof Map
    ? Object.fromEntries([...node].map(([field, each]) => [field, jsonOf(each)]))
    : Array.isArray(node)
      ? node.map(jsonOf)
      : node

/**
 * RFC 6902 with the leniencies of kube-apiserver, written as a fold over immutable documents: an index may be negative or
 * signed, `replace` sets an absent field, `add` and `replace` without a value set null, an absent field is null for `test`
 * and `copy`.
 */
export function simpleJsonPatch(document: Record<string, unknown>, patch: unknown): unknown {
  if (patch === null) return document
  if (!Array.isArray(patch)) fail('not a list')
  const operations = patch.map(operationOf)
  return jsonOf(operations.reduce<unknown>((root, each) => step(root, each), nodeOf(document)))
}

interface Operation {
  readonly op: string | undefined
  readonly path: string | undefined
  readonly from: string | undefined
  readonly value: Node
}

function operationOf(raw: unknown): Operation {
  if (raw !== null && !isJsonObject(raw)) fail('not an operation')
  const fields = new Map(Object.entries(raw ?? {}))
  const textField = (name: string): string | undefined => {
    const value = fields.get(name) ?? undefined
    return value === undefined || typeof value === 'string' ? value : fail(`${name} is no text`)
  }
  return {
    op: textField('op'),
    path: textField('path'),
    from: textField('from'),
    value: nodeOf(fields.get('value') ?? null),
  }
}

function step(root: unknown, { op, path, from, value }: Operation): unknown {
  switch (op) {
    case 'add':
      return changed(root, partsOf(path), (parent, key) => put(parent, key, value, true))
    case 'replace':
      if (path === '') return typeof value === 'object' && value !== null ? value : fail('no document')
      return changed(root, partsOf(path), (parent, key) => put(parent, key, value, false))
    case 'remove':
      return changed(root, partsOf(path), without)
    case 'move': {
      const moved = read(root, partsOf(from))
      const rest = changed(root, partsOf(from), without)
      return changed(rest, partsOf(path), (parent, key) => put(parent, key, moved ?? null, true))
    }
    case 'copy': {
      const copied = read(root, partsOf(from)) ?? null
      return changed(root, partsOf(path), (parent, key) => put(parent, key, copied, true))
    }
    case 'test': {
      const found = path === '' ? root : (read(root, partsOf(path)) ?? null)
      return jsonEqual(jsonOf(found), jsonOf(value)) ? root : fail('test failed')
    }
    default:
      return fail('no such operation')
  }
}

function partsOf(path: string | undefined): string[] {
  if (path === undefined || !path.startsWith('/')) fail('no pointer')
  const unescaped = (part: string): string =>
    part
      .split('~1')
      .map((each) => each.replaceAll('~0', '~'))
      .join('/')
  return path.split('/').slice(1).map(unescaped)
}

function place(list: readonly unknown[], key: string, end: number): number {
  if (!/^[+-]?[0-9]+$/.test(key)) fail('no index')
  const index = Number(key) < 0 ? Number(key) + end : Number(key)
  return index >= 0 && index < end ? index : fail(`no index in a list of ${list.length}`)
}

function read(node: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return node
  if (Array.isArray(node)) return read(node[place(node, first, node.length)], rest)
  if (node instanceof Map)
    return rest.length > 0 && !node.has(first) ? fail('no path') : read(node.get(first), rest)
  return fail('no path')
}

type Change = (parent: unknown, key: string) => unknown

function changed(node: unknown, [first = '', ...rest]: readonly string[], change: Change): unknown {
  if (rest.length === 0) return change(node, first)
  if (Array.isArray(node)) {
    const at = place(node, first, node.length)
    return node.with(at, changed(node[at], rest, change))
  }
  if (!(node instanceof Map) || !node.has(first)) return fail('no path')
  return new Map(node).set(first, changed(node.get(first), rest, change))
}

function put(parent: unknown, key: string, value: unknown, inserts: boolean): unknown {
  if (parent instanceof Map) return new Map(parent).set(key, value)
  if (!Array.isArray(parent)) return fail('no container')
  if (!inserts) return parent.with(place(parent, key, parent.length), value)
  return key === '-' ? [...parent, value] : parent.toSpliced(place(parent, key, parent.length + 1), 0, value)
}

function without(parent: unknown, key: string): unknown {
  if (Array.isArray(parent)) return parent.toSpliced(place(parent, key, parent.length), 1)
  if (!(parent instanceof Map) || !parent.has(key)) return fail('nothing there')
  const rest = new Map(parent)
  rest.delete(key)
  return rest
}
