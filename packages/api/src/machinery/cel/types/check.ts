import { UintValue, type Value } from '../evaluation/value.ts'
import { CIDR, IP } from '../library/opaque-types.ts'
import type { Problem } from '../rules/problems.ts'
import type {
  Call,
  Comprehension,
  Expression,
  ListLiteral,
  MapLiteral,
  Select,
  StructLiteral,
} from '../syntax/expression.ts'
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  ERROR,
  INT,
  isDyn,
  isDynOrError,
  isOptional,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  sameType,
  signatureText,
  TIMESTAMP,
  TYPE,
  typeOf,
  typeParameter,
  typeText,
  UINT,
  unwrapOptional,
} from './cel-type.ts'
import type { Environment, FunctionDeclaration, Overload } from './declaration.ts'
import { assign, assignAll, mostGeneral, type Substitutions, substitute } from './type-inference.ts'

/** The resolved meaning of a part of an expression. */
export type Reference =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'type'; readonly type: CelType }
  | {
      readonly kind: 'function'
      readonly name: string
      /** All that fit: which one it is may depend on values whose type is not known before. */
      readonly overloads: readonly Overload[]
      /** For `a.b(…)`: whether `a` is a value, and not part of the function's name. */
      readonly hasTarget: boolean
    }

export interface Checked {
  readonly expression: Expression
  readonly types: ReadonlyMap<Expression, CelType>
  readonly references: ReadonlyMap<Expression, Reference>
  readonly resultType: CelType
}

/** Every mistake in the types of an expression, or what its parts mean. */
export function check(
  expression: Expression,
  environment: Environment,
): { readonly checked: Checked; readonly problems: readonly Problem[] } {
  const checker = new Checker(environment)
  checker.check(expression)
  const types = new Map<Expression, CelType>()
  for (const [part, type] of checker.types) types.set(part, substitute(checker.known, type, true))
  const checked = {
    expression,
    types,
    references: checker.references,
    resultType: types.get(expression) ?? ERROR,
  }
  return { checked, problems: checker.problems }
}

/** Types that can be named in expressions: `type(x) == string`. */
const namedTypes: ReadonlyMap<string, CelType> = new Map(
  [BOOL, BYTES, DOUBLE, DURATION, DYN, INT, NULL, STRING, TIMESTAMP, UINT, TYPE].map((type) => [
    type.name,
    type,
  ]),
)
// The type parameters of these do not matter.
const namedContainers: ReadonlyMap<string, CelType> = new Map([
  ['list', listOf(DYN)],
  ['map', mapOf(DYN, DYN)],
  ['optional_type', optionalOf(DYN)],
  [IP.name, IP],
  [CIDR.name, CIDR],
])

function literalType(value: Value): CelType {
  switch (typeof value) {
    case 'boolean':
      return BOOL
    case 'bigint':
      return INT
    case 'number':
      return DOUBLE
    case 'string':
      return STRING
    default:
      if (value === null) return NULL
      return value instanceof UintValue ? UINT : BYTES
  }
}

class Checker {
  readonly types = new Map<Expression, CelType>()
  readonly references = new Map<Expression, Reference>()
  readonly problems: Problem[] = []
  known: Substitutions = new Map()
  readonly #environment: Environment
  /** Variables of the loops around, innermost last. */
  readonly #scopes: Array<ReadonlyMap<string, CelType>> = []
  #freeTypes = 0

  constructor(environment: Environment) {
    this.#environment = environment
  }

  #report({ offset }: { readonly offset: number }, message: string): void {
    this.problems.push({ offset, message })
  }

  #typeOf(expression: Expression): CelType {
    return this.types.get(expression) ?? ERROR
  }

  #resolved(expression: Expression): CelType {
    return substitute(this.known, this.#typeOf(expression), false)
  }

  #newType(): CelType {
    return typeParameter(`_var${this.#freeTypes++}`)
  }

  #isAssignable(from: CelType, to: CelType): boolean {
    const found = assign(this.known, from, to)
    if (found) this.known = found
    return found !== undefined
  }

  check(expression: Expression): void {
    this.types.set(expression, this.#check(expression))
  }

  #check(expression: Expression): CelType {
    switch (expression.kind) {
      case 'literal':
        return literalType(expression.value)
      case 'identifier':
        return this.#checkName(expression, expression.name) ?? this.#undeclared(expression, expression.name)
      case 'select':
        return this.#checkSelect(expression)
      case 'call':
        return this.#checkCall(expression)
      case 'list':
        return this.#checkList(expression)
      case 'map':
        return this.#checkMap(expression)
      case 'struct':
        return this.#checkStruct(expression)
      case 'comprehension':
        return this.#checkComprehension(expression)
    }
  }

  #undeclared(at: Expression, name: string): CelType {
    this.#report(at, `undeclared reference to '${name}' (in container '')`)
    return ERROR
  }

  /** A variable, or a type. */
  #checkName(at: Expression, written: string): CelType | undefined {
    const isRooted = written.startsWith('.')
    const name = isRooted ? written.slice(1) : written
    if (!isRooted) {
      const local = this.#scopes.findLast((scope) => scope.has(name))?.get(name)
      if (local) {
        this.references.set(at, { kind: 'variable', name })
        return local
      }
    }
    const variable = this.#environment.variables.get(name)
    if (variable) {
      this.references.set(at, { kind: 'variable', name: isRooted ? written : name })
      return variable
    }
    const type = namedTypes.get(name) ?? namedContainers.get(name)
    if (!type) return undefined
    this.references.set(at, { kind: 'type', type })
    return typeOf(type)
  }

  #checkSelect(select: Select): CelType {
    const name = qualifiedName(select)
    if (name !== undefined && !this.#isLocal(name.split('.')[0] ?? '')) {
      const type = this.#checkName(select, name)
      if (type) return type
    }
    const type = this.#checkField(select, select.operand, select.field, false)
    return select.isTest ? BOOL : substitute(this.known, type, false)
  }

  #isLocal(name: string): boolean {
    return this.#scopes.some((scope) => scope.has(name))
  }

  #checkField(at: Expression, operand: Expression, field: string, makesOptional: boolean): CelType {
    this.check(operand)
    const operandType = this.#resolved(operand)
    const target = unwrapOptional(operandType)
    const type = this.#fieldType(at, target, field)
    return isOptional(operandType) || makesOptional ? optionalOf(type) : type
  }

  #fieldType(at: Expression, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.parameters[1] ?? DYN
      case 'struct': {
        const fields = this.#environment.structs.get(target.name)
        // Keywords may be written as they are where only a field can be meant.
        const found = fields?.get(field) ?? fields?.get(`__${field}__`)
        if (!found) this.#report(at, `undefined field '${field}'`)
        return found ?? ERROR
      }
      case 'param':
        this.#isAssignable(DYN, target)
        return DYN
      default:
        if (!isDynOrError(target)) {
          this.#report(at, `type '${typeText(target)}' does not support field selection`)
        }
        return DYN
    }
  }

  #checkCall(call: Call): CelType {
    if (call.name === '_?._') return this.#checkOptionalSelect(call)
    for (const argument of call.arguments) this.check(argument)
    const { target } = call
    if (!target) {
      const found = this.#environment.functions.get(call.name.replace(/^\./, ''))
      return found ? this.#resolve(call, found, false) : this.#undeclared(call, call.name)
    }
    const prefix = qualifiedName(target)
    const namespaced =
      prefix === undefined
        ? undefined
        : this.#environment.functions.get(`${prefix}.${call.name}`.replace(/^\./, ''))
    if (namespaced) return this.#resolve(call, namespaced, false)
    this.check(target)
    const found = this.#environment.functions.get(call.name)
    return found ? this.#resolve(call, found, true) : this.#undeclared(call, call.name)
  }

  #checkOptionalSelect(call: Call): CelType {
    const [operand, field] = call.arguments
    if (!operand || field?.kind !== 'literal' || typeof field.value !== 'string') return ERROR
    const type = substitute(this.known, this.#checkField(call, operand, field.value, true), false)
    this.references.set(call, { kind: 'function', name: call.name, overloads: [], hasTarget: false })
    return type
  }

  #resolve(call: Call, declaration: FunctionDeclaration, hasTarget: boolean): CelType {
    const { name } = declaration
    const operands = hasTarget && call.target ? [call.target, ...call.arguments] : call.arguments
    const given = operands.map((each) => this.#typeOf(each))
    if (name === '_&&_' || name === '_||_') return this.#resolveLogical(call, declaration, given)
    const fitting: Overload[] = []
    let result: CelType | undefined
    for (const overload of declaration.overloads) {
      if (overload.isMethod !== hasTarget) continue
      const fresh = this.#instantiate(overload)
      const found = assignAll(this.known, given, fresh.parameters)
      if (!found) continue
      this.known = found
      fitting.push(overload)
      const type = substitute(found, fresh.result, false)
      if (result === undefined) result = type
      else if (!isDyn(result) && !sameType(result, type)) result = DYN
    }
    if (!result) {
      const shown = given.map((each) => substitute(this.known, each, true))
      this.#report(
        call,
        `found no matching overload for '${name}' applied to '${signatureText(shown, hasTarget)}'`,
      )
      return ERROR
    }
    this.references.set(call, { kind: 'function', name, overloads: fitting, hasTarget })
    return result
  }

  #resolveLogical(call: Call, declaration: FunctionDeclaration, given: readonly CelType[]): CelType {
    let isWrong = false
    for (const [index, type] of given.entries()) {
      if (this.#isAssignable(type, BOOL)) continue
      this.#mismatch(call.arguments[index] ?? call, BOOL, type)
      isWrong = true
    }
    if (isWrong) return ERROR
    const { name, overloads } = declaration
    this.references.set(call, { kind: 'function', name, overloads, hasTarget: false })
    return BOOL
  }

  #mismatch(at: { readonly offset: number }, expected: CelType, found: CelType): void {
    this.#report(at, `expected type '${typeText(expected)}' but found '${typeText(found)}'`)
  }

  /** With types of its own for what the declaration leaves open. */
  #instantiate({ parameters, result }: Overload): { parameters: readonly CelType[]; result: CelType } {
    const fresh = new Map<string, CelType>()
    for (const name of parameterNames([...parameters, result])) fresh.set(name, this.#newType())
    if (fresh.size === 0) return { parameters, result }
    return {
      parameters: parameters.map((each) => substitute(fresh, each, false)),
      result: substitute(fresh, result, false),
    }
  }

  #checkList(list: ListLiteral): CelType {
    let elementType: CelType | undefined
    for (const [index, element] of list.elements.entries()) {
      this.check(element)
      const type = this.#optionalEntry(element, list.optionals.has(index))
      elementType = this.#join(elementType, type)
    }
    return listOf(elementType ?? this.#newType())
  }

  #optionalEntry(value: Expression, isOptionalEntry: boolean): CelType {
    const type = this.#typeOf(value)
    if (!isOptionalEntry) return type
    if (!isOptional(type) && !isDyn(type)) this.#mismatch(value, optionalOf(type), type)
    return unwrapOptional(type)
  }

  #checkMap(map: MapLiteral): CelType {
    let keyType: CelType | undefined
    let valueType: CelType | undefined
    for (const { key, value, isOptional: isOptionalEntry } of map.entries) {
      this.check(key)
      keyType = this.#join(keyType, this.#typeOf(key))
      this.check(value)
      valueType = this.#join(valueType, this.#optionalEntry(value, isOptionalEntry))
    }
    return keyType && valueType ? mapOf(keyType, valueType) : mapOf(this.#newType(), this.#newType())
  }

  /** Different types make it dynamic. Whether they may differ is checked later, when all types are known. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current
    return this.#isAssignable(previous, current) ? mostGeneral(previous, current) : DYN
  }

  /** There is nothing to make one of: the types of schemas have no names that could be written. */
  #checkStruct(literal: StructLiteral): CelType {
    for (const { value } of literal.fields) this.check(value)
    const type = namedTypes.get(literal.name)
    if (!type) return this.#undeclared(literal, literal.name)
    this.#report(literal, `'${typeText(type)}' is not a message type`)
    return ERROR
  }

  #checkComprehension(loop: Comprehension): CelType {
    this.check(loop.range)
    this.check(loop.start)
    const [first, second] = this.#variableTypes(loop, this.#resolved(loop.range))
    const startType = this.#typeOf(loop.start)
    this.#scopes.push(new Map([[loop.accumulator, startType]]))
    const variables = new Map([[loop.variable, first]])
    if (loop.secondVariable !== undefined) variables.set(loop.secondVariable, second)
    this.#scopes.push(variables)
    this.check(loop.condition)
    this.#expectType(loop.condition, BOOL)
    this.check(loop.step)
    this.#expectType(loop.step, startType)
    this.#scopes.pop()
    this.check(loop.result)
    this.#scopes.pop()
    return this.#resolved(loop.result)
  }

  #expectType(expression: Expression, type: CelType): void {
    const found = this.#typeOf(expression)
    if (!this.#isAssignable(type, found)) this.#mismatch(expression, type, found)
  }

  #variableTypes(loop: Comprehension, range: CelType): readonly [CelType, CelType] {
    const [first = DYN, second = DYN] = range.parameters
    switch (range.kind) {
      case 'list':
        return loop.secondVariable === undefined ? [first, first] : [INT, first]
      case 'map':
        return [first, second]
      case 'dyn':
      case 'error':
      case 'param':
        this.#isAssignable(DYN, range)
        return [DYN, DYN]
      default:
        this.#report(
          loop.range,
          `expression of type '${typeText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        )
        return [ERROR, ERROR]
    }
  }
}

/** `a.b.c`, if it is nothing but names. */
function qualifiedName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name
  if (expression.kind !== 'select' || expression.isTest) return undefined
  const prefix = qualifiedName(expression.operand)
  return prefix === undefined ? undefined : `${prefix}.${expression.field}`
}

function parameterNames(types: readonly CelType[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const type of types) {
    if (type.kind === 'param') names.add(type.name)
    for (const each of parameterNames(type.parameters)) names.add(each)
  }
  return names
}
