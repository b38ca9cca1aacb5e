import { callCost } from '../cost/call-cost.ts'
import type {
  Call,
  Comprehension,
  Expression,
  ListLiteral,
  MapLiteral,
  Select,
} from '../syntax/expression.ts'
import type { Checked, Reference } from '../types/check.ts'
import { equal, listContains } from './equality.ts'
import { charge, type Frame, type Run } from './frame.ts'
import { invocation } from './invocation.ts'
import { indexValue, optionalField, optionalIndex, selectField, testField } from './member-access.ts'
import {
  ArrayList,
  EntryMap,
  fail,
  isError,
  ListValue,
  MapValue,
  mapKey,
  noSuchOverload,
  OptionalValue,
  TypeValue,
  typeNameOf,
  type Value,
} from './value.ts'

export interface Program {
  /** Which slot each variable is read from. Those of loops come after them. */
  readonly slotCount: number
  readonly run: Run
}

/** A compiled expression: functions that call each other, without look-ups by name at run time. */
export function plan(checked: Checked, variables: readonly string[]): Program {
  const planner = new Planner(checked, variables)
  const run = planner.plan(checked.expression).run
  return { run, slotCount: planner.slotCount }
}

interface Planned {
  readonly run: Run
  /** Known before anything runs. */
  readonly constant?: Value
  /**
   * For a variable and selections from it: the same without the unit that reading a variable costs. Upstream
   * does not count that unit in the branches of a condition, nor for `has`.
   */
  readonly resolve?: Run
}

class Planner {
  slotCount: number
  readonly #checked: Checked
  /** The slots of the variables in scope, innermost last. */
  readonly #scopes: Array<ReadonlyMap<string, number>>

  constructor(checked: Checked, variables: readonly string[]) {
    this.#checked = checked
    this.#scopes = [new Map(variables.map((name, slot) => [name, slot]))]
    this.slotCount = variables.length
  }

  #reference(expression: Expression): Reference | undefined {
    return this.#checked.references.get(expression)
  }

  plan(expression: Expression): Planned {
    const reference = this.#reference(expression)
    if (reference?.kind === 'type') return constant(new TypeValue(reference.type))
    if (reference?.kind === 'variable') return this.#variable(reference.name)
    switch (expression.kind) {
      case 'literal':
        return constant(expression.value)
      case 'select':
        return this.#select(expression)
      case 'call':
        return this.#call(expression)
      case 'list':
        return this.#list(expression)
      case 'map':
        return this.#map(expression)
      case 'comprehension':
        return { run: this.#loop(expression) }
      default:
        return constant(fail('unsupported expression'))
    }
  }

  #variable(written: string): Planned {
    const isRooted = written.startsWith('.')
    const name = isRooted ? written.slice(1) : written
    const scope = isRooted ? this.#scopes[0] : this.#scopes.findLast((each) => each.has(name))
    const slot = scope?.get(name) ?? 0
    return attribute((frame) => frame.slots[slot] as Value)
  }

  #select({ operand, field, isTest }: Select): Planned {
    const { resolve, run } = this.plan(operand)
    const read = resolve ?? run
    if (isTest) {
      return {
        run: (frame) => {
          const value = read(frame)
          if (isError(value)) return value
          charge(frame, 1)
          return testField(value, field)
        },
      }
    }
    return attribute((frame) => {
      const value = read(frame)
      if (isError(value)) return value
      charge(frame, 1)
      return selectField(value, field)
    })
  }

  #call(call: Call): Planned {
    const reference = this.#reference(call)
    const hasTarget = reference?.kind === 'function' && reference.hasTarget
    const operands = hasTarget && call.target ? [call.target, ...call.arguments] : call.arguments
    const name = reference?.kind === 'function' ? reference.name : call.name
    const args = operands.map((each) => this.plan(each))
    const [first, second, third] = args
    switch (name) {
      case '_&&_':
        return { run: logical(first as Planned, second as Planned, false) }
      case '_||_':
        return { run: logical(first as Planned, second as Planned, true) }
      case '_?_:_':
        return conditional(first as Planned, second as Planned, third as Planned)
      case '_==_':
      case '_!=_':
        return { run: equality(first as Planned, second as Planned, name === '_==_') }
      case '_[_]':
        return index(first as Planned, second as Planned, indexValue)
      case '_[?_]':
        return optionalAccess(first as Planned, second as Planned, optionalIndex)
      case '_?._':
        return optionalAccess(first as Planned, second as Planned, optionalField)
      case '@not_strictly_false':
        return { run: notStrictlyFalse((first as Planned).run) }
      case 'or':
      case 'orValue':
        return { run: orElse(first as Planned, second as Planned, name === 'orValue') }
      default:
    }
    const overloads = reference?.kind === 'function' ? reference.overloads : []
    if (name === '@in' && second?.constant instanceof ListValue && overloads.length === 1) {
      return { run: inConstant((first as Planned).run, second.constant) }
    }
    const types = operands.map((each) => this.#checked.types.get(each))
    const runs = args.map((each) => each.run)
    const run = invocation(name, overloads, runs, types)
    const isConversion = conversions.has(name) && args.length === 1 && first?.constant !== undefined
    return isConversion ? constant(run({ slots: [], cost: 0, limit: Number.MAX_SAFE_INTEGER })) : { run }
  }

  #list({ elements, optionals }: ListLiteral): Planned {
    const planned = elements.map((each) => this.plan(each))
    const build = (frame: Frame): Value => {
      const values: Value[] = []
      for (const [at, { run }] of planned.entries()) {
        const value = run(frame)
        if (isError(value)) return value
        if (!optionals.has(at)) values.push(value)
        else if (!(value instanceof OptionalValue))
          return fail(`cannot initialize optional list element from non-optional value ${typeNameOf(value)}`)
        else if (value.value !== undefined) values.push(value.value)
      }
      return new ArrayList(values)
    }
    if (planned.every((each) => each.constant !== undefined)) return constant(build(free()))
    return {
      run: (frame) => {
        const value = build(frame)
        charge(frame, 10)
        return value
      },
    }
  }

  #map({ entries }: MapLiteral): Planned {
    const planned = entries.map(({ key, value, isOptional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      isOptional,
    }))
    const build = (frame: Frame): Value => {
      let map = EntryMap.empty()
      for (const entry of planned) {
        const key = entry.key.run(frame)
        if (isError(key)) return key
        let value = entry.value.run(frame)
        if (isError(value)) return value
        if (entry.isOptional) {
          if (!(value instanceof OptionalValue))
            return fail(`cannot initialize optional entry '${String(key)}' from non-optional value`)
          if (value.value === undefined) continue
          value = value.value
        }
        if (map.find(key) !== undefined) return fail('Failed with repeated key')
        const next = map.with(key, value)
        if (isError(next)) return next
        map = next
      }
      return map
    }
    const isConstant = planned.every(
      ({ key, value }) => key.constant !== undefined && value.constant !== undefined,
    )
    if (isConstant) return constant(build(free()))
    return {
      run: (frame) => {
        const value = build(frame)
        charge(frame, 30)
        return value
      },
    }
  }

  #loop(loop: Comprehension): Run {
    const start = this.plan(loop.start).run
    const range = this.plan(loop.range).run
    const accumulator = this.slotCount++
    const first = this.slotCount++
    const second = this.slotCount++
    this.#scopes.push(new Map([[loop.accumulator, accumulator]]))
    const variables = new Map([[loop.variable, first]])
    if (loop.secondVariable !== undefined) variables.set(loop.secondVariable, second)
    this.#scopes.push(variables)
    const condition = this.plan(loop.condition).run
    const step = this.plan(loop.step).run
    this.#scopes.pop()
    const result = this.plan(loop.result).run
    this.#scopes.pop()
    const hasTwo = loop.secondVariable !== undefined
    return (frame) => {
      const { slots } = frame
      const over = range(frame)
      if (isError(over)) return over
      slots[accumulator] = start(frame)
      const keys = over instanceof MapValue ? over.keys() : undefined
      const list = over instanceof ListValue ? over : undefined
      const count = keys?.length ?? list?.size ?? 0
      for (let at = 0; at < count; at++) {
        const key = keys ? (keys[at] as Value) : BigInt(at)
        if (hasTwo) {
          slots[first] = key
          slots[second] = list ? list.at(at) : indexValue(over, key)
        } else slots[first] = list ? list.at(at) : key
        if (condition(frame) === false) break
        slots[accumulator] = step(frame)
      }
      return result(frame)
    }
  }
}

const free = (): Frame => ({ slots: [], cost: 0, limit: Number.MAX_SAFE_INTEGER })

const constant = (value: Value): Planned => ({ run: () => value, constant: value })

const attribute = (resolve: Run): Planned => ({
  resolve,
  run: (frame) => {
    const value = resolve(frame)
    charge(frame, 1)
    return value
  },
})

/** One side alone can decide, even if the other one is an error. */
function logical(left: Planned, right: Planned, decisive: boolean): Run {
  const a = left.run
  const b = right.run
  return (frame) => {
    const first = a(frame)
    if (first === decisive) return decisive
    const second = b(frame)
    if (second === decisive) return decisive
    if (typeof first === 'boolean' && typeof second === 'boolean') return !decisive
    if (isError(first)) return first
    if (isError(second)) return second
    return noSuchOverload()
  }
}

function conditional(test: Planned, yes: Planned, no: Planned): Planned {
  const { run } = test
  const onTrue = yes.resolve ?? yes.run
  const onFalse = no.resolve ?? no.run
  const resolve: Run = (frame) => {
    const value = run(frame)
    if (value === true) return onTrue(frame)
    if (value === false) return onFalse(frame)
    return isError(value) ? value : noSuchOverload()
  }
  return { run: resolve, resolve }
}

function equality(left: Planned, right: Planned, isPositive: boolean): Run {
  const cost = callCost('_==_', 'equals')
  return (frame) => {
    const a = left.run(frame)
    const b = right.run(frame)
    charge(frame, cost ? cost([a, b], true) : 1)
    const same = equal(a, b)
    return typeof same === 'boolean' ? same === isPositive : same
  }
}

function index(operand: Planned, at: Planned, access: (value: Value, key: Value) => Value): Planned {
  const read = operand.resolve ?? operand.run
  return attribute((frame) => {
    const value = read(frame)
    if (isError(value)) return value
    const key = at.run(frame)
    if (isError(key)) return key
    // A variable in the brackets has paid for itself.
    if (at.resolve === undefined) charge(frame, 1)
    return access(value, key)
  })
}

/** An absent value costs nothing. */
function optionalAccess(operand: Planned, at: Planned, access: (value: Value, key: Value) => Value): Planned {
  const read = operand.resolve ?? operand.run
  const readKey = at.resolve ?? at.run
  return attribute((frame) => {
    const value = read(frame)
    if (isError(value)) return value
    const key = readKey(frame)
    if (isError(key)) return key
    const found = access(value, key)
    if (found !== OptionalValue.none) charge(frame, 1)
    return found
  })
}

const notStrictlyFalse =
  (run: Run): Run =>
  (frame) => {
    const value = run(frame)
    charge(frame, 1)
    return typeof value === 'boolean' ? value : true
  }

/** `other` is evaluated only if it is needed. */
function orElse(optional: Planned, other: Planned, unwraps: boolean): Run {
  return (frame) => {
    const value = optional.run(frame)
    if (isError(value)) return value
    if (!(value instanceof OptionalValue)) return noSuchOverload()
    if (value.value === undefined) return other.run(frame)
    return unwraps ? value.value : value
  }
}

/** Whether something is in a list that is known before: by one look instead of a search. */
function inConstant(run: Run, list: ListValue): Run {
  const keys = new Set<string>()
  for (const each of list) {
    const key = mapKey(each)
    if (key === undefined) {
      return (frame) => {
        const value = run(frame)
        if (isError(value)) return value
        charge(frame, list.size)
        return listContains(list, value)
      }
    }
    keys.add(key)
  }
  return (frame) => {
    const value = run(frame)
    if (isError(value)) return value
    const key = mapKey(value)
    return key !== undefined && keys.has(key)
  }
}

const conversions: ReadonlySet<string> = new Set([
  'bool',
  'bytes',
  'double',
  'duration',
  'dyn',
  'int',
  'string',
  'timestamp',
  'type',
  'uint',
])
