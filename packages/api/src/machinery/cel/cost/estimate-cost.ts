import { ListValue, MapValue, type Value } from '../evaluation/value.ts'
import type { Call, Comprehension, Expression } from '../syntax/expression.ts'
import { type CelType, DYN, isOptional, unwrapOptional } from '../types/cel-type.ts'
import type { Checked } from '../types/check.ts'
import type { SchemaType } from '../types/schema-type.ts'
import { stringSize } from './call-cost.ts'
import { type EstimatedNode, estimateCall } from './estimate-call.ts'
import { type Estimate, fixed, ONE, plus, times, UNKNOWN, union, ZERO } from './estimates.ts'

/** The most that an expression can cost, for any value that the schema allows. */
export function estimateCost(checked: Checked, root: SchemaType | undefined): number {
  return new Estimator(checked, root).cost(checked.expression).max
}

/** Where a value comes from: the variable, and the fields, elements and keys on the way. */
type Path = readonly string[]

interface EntrySize {
  readonly kind: 'list' | 'map'
  readonly key: Estimate
  readonly value: Estimate
}

interface Local {
  readonly path: Path
  readonly size: Estimate | undefined
  readonly entry: EntrySize | undefined
}

class Estimator {
  readonly #checked: Checked
  readonly #root: SchemaType | undefined
  readonly #paths = new Map<Expression, Path>()
  readonly #sizes = new Map<Expression, Estimate>()
  readonly #entries = new Map<Expression, EntrySize>()
  readonly #locals = new Map<string, Local[]>()

  constructor(checked: Checked, root: SchemaType | undefined) {
    this.#checked = checked
    this.#root = root
  }

  cost(expression: Expression): Estimate {
    const reference = this.#checked.references.get(expression)
    if (reference?.kind === 'variable' || reference?.kind === 'type') {
      const name = reference.kind === 'variable' ? reference.name : reference.type.name
      this.#setPath(expression, this.#local(name)?.path ?? [name])
      return ONE
    }
    switch (expression.kind) {
      case 'literal':
      case 'identifier':
        return ZERO
      case 'select': {
        const operand = this.cost(expression.operand)
        if (expression.isTest) return operand
        this.#setPath(expression, [...this.#pathOf(expression.operand), expression.field])
        const { kind } = this.#typeOf(expression.operand)
        return kind === 'map' || kind === 'struct' || kind === 'param' ? plus(operand, ONE) : operand
      }
      case 'call':
        return this.#call(expression)
      case 'list': {
        const costs = expression.elements.map((each) => this.cost(each))
        const sizes = expression.elements.map((each) => this.#sizeOrUnknown(each))
        this.#entries.set(expression, { kind: 'list', key: ONE, value: unionOf(sizes) })
        return plus(...costs, fixed(10))
      }
      case 'map': {
        const costs = expression.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)])
        const keys = expression.entries.map(({ key }) => this.#sizeOrUnknown(key))
        const values = expression.entries.map(({ value }) => this.#sizeOrUnknown(value))
        this.#entries.set(expression, { kind: 'map', key: unionOf(keys), value: unionOf(values) })
        return plus(...costs, fixed(30))
      }
      case 'struct':
        return plus(...expression.fields.map(({ value }) => this.cost(value)), fixed(40))
      case 'comprehension':
        return isBinding(expression) ? this.#binding(expression) : this.#loop(expression)
    }
  }

  #call(call: Call): Estimate {
    const reference = this.#checked.references.get(call)
    const isFunction = reference?.kind === 'function'
    const name = isFunction ? reference.name : call.name
    const [only] = call.arguments
    if (name === 'dyn' && only) {
      const cost = this.cost(only)
      this.#copySizes(call, only)
      return plus(cost, ONE)
    }
    const args =
      isFunction && reference.hasTarget && call.target ? [call.target, ...call.arguments] : call.arguments
    const costs = args.map((each) => this.cost(each))
    const ids = isFunction && reference.overloads.length > 0 ? reference.overloads.map(({ id }) => id) : []
    if (ids.length === 0) {
      // `a.?b`: what it gives is where `a.b` is.
      if (name !== '_?._') return ZERO
      return plus(ONE, ...costs)
    }
    let cost: Estimate | undefined
    let size: Estimate | undefined
    for (const id of ids) {
      const found = this.#overload(call, name, id, args, costs)
      cost = cost ? union(cost, found.cost) : found.cost
      if (found.size) size = size ? union(size, found.size) : found.size
      const [container] = args
      if (container && (id === 'index_list' || id === 'index_map')) {
        size = this.#entryOf(container)?.value
        this.#setPath(call, [...this.#pathOf(container), id === 'index_list' ? '@items' : '@values'])
      }
      size ??= this.#sizeOf(call)
    }
    if (size) this.#sizes.set(call, size)
    return cost ?? ZERO
  }

  #overload(
    call: Call,
    name: string,
    id: string,
    args: readonly Expression[],
    costs: readonly Estimate[],
  ): { cost: Estimate; size?: Estimate } {
    const [first = ZERO, second = ZERO, third = ZERO] = costs
    if (id === 'logical_and' || id === 'logical_or')
      return { cost: { min: first.min, max: plus(first, second).max } }
    if (id === 'conditional') {
      const [, yes, no] = args
      if (!yes || !no) return { cost: plus(...costs) }
      this.#setEntry(call, unionOfEntries(this.#entryOf(yes), this.#entryOf(no)))
      return {
        cost: plus(first, union(second, third)),
        size: union(this.#sizeOrUnknown(yes), this.#sizeOrUnknown(no)),
      }
    }
    if (id.startsWith('add_') && args.length === 2) {
      const [left, right] = args as [Expression, Expression]
      this.#setEntry(call, unionOfEntries(this.#entryOf(left), this.#entryOf(right)))
    }
    const found = estimateCall(
      name,
      id,
      args.map((each) => this.#node(each)),
    )
    return { ...found, cost: plus(found.cost, ...costs) }
  }

  #loop(loop: Comprehension): Estimate {
    const { range, start } = this.#begin(loop)
    const entry = this.#entryOf(loop.range)
    const kind = entry?.kind ?? this.#typeOf(loop.range).kind
    const path = this.#pathOf(loop.range)
    const at = (list: string, map: string): Path => [...path, kind === 'list' ? list : map]
    const variables =
      loop.secondVariable === undefined
        ? [
            {
              name: loop.variable,
              path: at('@items', '@keys'),
              size: kind === 'list' ? entry?.value : entry?.key,
            },
          ]
        : [
            { name: loop.variable, path: at('@indices', '@keys'), size: entry?.key },
            { name: loop.secondVariable, path: at('@items', '@values'), size: entry?.value },
          ]
    for (const each of variables)
      this.#push(each.name, { path: each.path, size: each.size, entry: undefined })
    const condition = this.cost(loop.condition)
    const step = this.cost(loop.step)
    const stepEntry = this.#entryOf(loop.step)
    for (const each of variables) this.#pop(each.name)
    const result = this.cost(loop.result)
    this.#pop(loop.accumulator)
    const count = this.#sizeOrUnknown(loop.range)
    const size = loop.start.kind === 'literal' ? this.#sizeOf(loop.start) : count
    if (loop.start.kind === 'literal' || loop.start.kind === 'list' || loop.start.kind === 'map') {
      if (size) this.#sizes.set(loop, size)
      if (loop.start.kind !== 'literal') this.#setEntry(loop, stepEntry)
    }
    return plus(range, start, result, times(count, plus(step, condition)))
  }

  #binding(loop: Comprehension): Estimate {
    const { range, start } = this.#begin(loop)
    const result = this.cost(loop.result)
    this.#copySizes(loop, loop.result)
    this.#pop(loop.accumulator)
    return plus(range, start, result)
  }

  /** The cost of the range and of the first value of the accumulator, which is a variable from here on. */
  #begin({ range, start, accumulator }: Comprehension): { range: Estimate; start: Estimate } {
    const costs = { range: this.cost(range), start: this.cost(start) }
    const [path, size, entry] = [this.#pathOf(start), this.#sizeOf(start), this.#entryOf(start)]
    this.#push(accumulator, { path, size, entry })
    return costs
  }

  #push(name: string, local: Local): void {
    this.#locals.set(name, [...(this.#locals.get(name) ?? []), local])
  }

  #pop(name: string): void {
    this.#locals.set(name, (this.#locals.get(name) ?? []).slice(0, -1))
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1)
  }

  #localOf(expression: Expression): Local | undefined {
    return expression.kind === 'identifier' ? this.#local(expression.name) : undefined
  }

  #typeOf(expression: Expression): CelType {
    return this.#checked.types.get(expression) ?? DYN
  }

  #setPath(expression: Expression, path: Path): void {
    this.#paths.set(expression, path)
  }

  #pathOf(expression: Expression): Path {
    return this.#localOf(expression)?.path ?? this.#paths.get(expression) ?? []
  }

  #setEntry(expression: Expression, entry: EntrySize | undefined): void {
    if (entry) this.#entries.set(expression, entry)
  }

  #entryOf(expression: Expression): EntrySize | undefined {
    return this.#entries.get(expression) ?? this.#localOf(expression)?.entry
  }

  #copySizes(to: Expression, from: Expression): void {
    const size = this.#sizeOf(from)
    if (size) this.#sizes.set(to, size)
    this.#setEntry(to, this.#entryOf(from))
  }

  #sizeOrUnknown(expression: Expression): Estimate {
    return this.#sizeOf(expression) ?? UNKNOWN
  }

  #sizeOf(expression: Expression): Estimate | undefined {
    const known = this.#sizes.get(expression) ?? writtenSize(expression)
    if (known) return known
    const found = this.#schemaSize(this.#pathOf(expression))
    if (found) {
      this.#sizes.set(expression, found)
      return found
    }
    if (isScalar(this.#typeOf(expression))) return ONE
    return this.#localOf(expression)?.size
  }

  /** The size that the schema allows. */
  #schemaSize(path: Path): Estimate | undefined {
    if (path.length === 0 || !this.#root) return undefined
    let at: SchemaType | undefined = this.#root
    for (const step of path.slice(1)) {
      if (step === '@items' || step === '@values') at = at.element
      else at = step === '@keys' ? at.key : at.fields?.get(step)
      if (!at) return undefined
    }
    return { min: 0, max: at.maxElements }
  }

  #node(expression: Expression): EstimatedNode {
    const path = this.#pathOf(expression)
    const elementSize = path.length === 0 ? undefined : this.#schemaSize([...path, '@items'])
    return { expression, type: this.#typeOf(expression), size: this.#sizeOf(expression), elementSize }
  }
}

const isBinding = ({ range, condition, accumulator }: Comprehension): boolean =>
  range.kind === 'list' &&
  range.elements.length === 0 &&
  condition.kind === 'literal' &&
  condition.value === false &&
  accumulator !== '@result'

function writtenSize(expression: Expression): Estimate | undefined {
  switch (expression.kind) {
    case 'literal':
      return fixed(literalSize(expression.value))
    case 'list':
      return fixed(expression.elements.length)
    case 'map':
      return fixed(expression.entries.length)
    default:
      return undefined
  }
}

function literalSize(value: Value): number {
  if (typeof value === 'string') return stringSize(value)
  if (value instanceof Uint8Array) return value.length
  return value instanceof ListValue || value instanceof MapValue ? value.size : 1
}

const scalars: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])
const isScalar = (type: CelType): boolean =>
  isOptional(type) ? isScalar(unwrapOptional(type)) : scalars.has(type.kind)

const unionOf = (all: readonly Estimate[]): Estimate => (all.length === 0 ? ZERO : all.reduce(union))

function unionOfEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  return a && b ? { kind: a.kind, key: union(a.key, b.key), value: union(a.value, b.value) } : undefined
}
