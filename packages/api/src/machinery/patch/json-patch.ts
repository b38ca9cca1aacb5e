import { type JsonPatchOperation, maxJsonPatchCopyBytes, readJsonPatch } from './json-patch-operation.ts'
import {
  addChild,
  type Container,
  childOf,
  isContainer,
  notApplicable,
  parseJsonPointer,
  removeChild,
  replaceChild,
} from './json-pointer.ts'
import { cloneJson, type JsonObject, jsonEqual } from './json-value.ts'
import { PatchError } from './patch-error.ts'

/** What the operations work on: a copy of the document, changed in place. */
interface Work {
  root: Container
  copiedBytes: number
}

/**
 * RFC 6902, with upstream's leniencies, each named where it is. Neither argument is changed, and the result
 * shares nothing with either. All operations apply or, by an error, none.
 */
export function applyJsonPatch(document: JsonObject, patch: unknown): unknown {
  const operations = readJsonPatch(patch)
  const work: Work = { root: cloneJson(document), copiedBytes: 0 }
  for (const operation of operations) applyOperation(work, operation)
  return work.root
}

function applyOperation(work: Work, operation: JsonPatchOperation): void {
  switch (operation.op) {
    case 'add':
      return add(work, operation.path, givenValue(operation))
    case 'remove':
      return remove(work, operation.path)
    case 'replace':
      return replace(work, operation.path, givenValue(operation))
    case 'move':
      return move(work, operation)
    case 'copy':
      return copy(work, operation)
    case 'test':
      return check(work, operation)
    default:
      throw notApplicable(`Unexpected kind: ${operation.op ?? 'unknown'}`)
  }
}

/** Without a value, upstream sets null. Copied, because later operations may reach inside. */
const givenValue = ({ value }: JsonPatchOperation): unknown => cloneJson(value ?? null)

interface Place {
  readonly container: Container
  readonly key: string
}

function locate({ root }: Work, path: string | undefined): Place {
  if (path === undefined) throw notApplicable('operation missing path field')
  const parts = parseJsonPointer(path)
  const key = parts.pop()
  if (key === undefined) throw notApplicable('doc is missing path: ""')
  let container: unknown = root
  for (const part of parts) {
    container = isContainer(container) ? childOf(container, part) : undefined
    if (!isContainer(container)) throw notApplicable(`doc is missing path: "${path}"`)
  }
  return { container: container as Container, key }
}

function add(work: Work, path: string | undefined, value: unknown): void {
  const { container, key } = locate(work, path)
  addChild(container, key, value)
}

function remove(work: Work, path: string | undefined): void {
  const { container, key } = locate(work, path)
  removeChild(container, key)
}

function replace(work: Work, path: string | undefined, value: unknown): void {
  if (path === '') {
    if (!isContainer(value)) throw notApplicable('replace operation value must be object or array')
    work.root = value
    return
  }
  // Upstream asks only that the parent exists: replacing an absent field sets it.
  const { container, key } = locate(work, path)
  replaceChild(container, key, value)
}

function move(work: Work, { from, path }: JsonPatchOperation): void {
  const { container, key } = locate(work, from)
  const value = childOf(container, key)
  // Removed first: moving something into itself must fail, not tie a knot.
  removeChild(container, key)
  add(work, path, value)
}

function copy(work: Work, { from, path }: JsonPatchOperation): void {
  const source = locate(work, from)
  // Upstream copies an absent field as null.
  const value = childOf(source.container, source.key) ?? null
  const target = locate(work, path)
  // A few operations that copy each other's results would fill the memory; so there is a budget.
  work.copiedBytes += new TextEncoder().encode(JSON.stringify(value)).length
  if (work.copiedBytes > maxJsonPatchCopyBytes) {
    throw new PatchError(
      'copy-too-large',
      `Unable to complete the copy, the accumulated size increase of copy is ${work.copiedBytes}, exceeding the limit ${maxJsonPatchCopyBytes}`,
    )
  }
  addChild(target.container, target.key, cloneJson(value))
}

function check(work: Work, { path, value }: JsonPatchOperation): void {
  const place = path === '' ? undefined : locate(work, path)
  // An absent field passes a test for null, as upstream has it.
  const found = place ? (childOf(place.container, place.key) ?? null) : work.root
  if (!jsonEqual(found, value ?? null)) {
    throw new PatchError('test-failed', `testing value ${path} failed: test failed`)
  }
}
