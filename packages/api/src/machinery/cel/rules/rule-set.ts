import {
  duplicate,
  type FieldError,
  fieldErrorText,
  fieldForbidden,
  invalid,
  required,
} from '../../field-error.ts'
import { isJsonObject } from '../../patch/json-value.ts'
import type { Schema, ValidationRule } from '../../schema.ts'
import { keyedItems } from '../../structural/ratchet.ts'
import { isError, OptionalValue, type Value } from '../evaluation/value.ts'
import type { CompiledRule } from './compile-rule.ts'
import { Correlated, isTolerated, type Ratchet, ratchetField, ratchetItem } from './correlation.ts'
import { parseRulePath } from './rule-path.ts'
import { hasRules, RuleTree } from './rule-tree.ts'

/** The rules of one schema. */
export interface RuleSet {
  readonly isEmpty: boolean
  /**
   * The rules that an object violates. Transition rules run if there is a stored object, or with `optionalOldSelf`. A
   * violation of any other rule by an unchanged part of the stored object is tolerated, and passed to `warn`.
   */
  evaluate(object: unknown, stored: unknown | undefined, warn?: (text: string) => void): FieldError[]
}

/** About a tenth of a second for one rule, and a second for all of an object. */
export const maxCostPerRule = 1_000_000
const maxCostPerObject = 10_000_000
const maxMessageLength = 5 * 1024

const none: RuleSet = { isEmpty: true, evaluate: () => [] }

export function compileRules(schema: Schema): RuleSet {
  if (!hasRules(schema)) return none
  let known: RuleTree | undefined
  return {
    isEmpty: false,
    evaluate(object, stored, warn) {
      known ??= RuleTree.of(schema, true)
      const tree = known
      const evaluation = new Evaluation(warn)
      const current = stored === undefined ? undefined : new Correlated(object, stored, tree.schema)
      evaluation.visit(tree, object, stored, { current, around: undefined }, '')
      return evaluation.errors
    },
  }
}

/**
 * The rules of its own schema that a default breaks: as an unchanged value and, if that is valid, as a new value. `path` is
 * that of the default.
 */
export function brokenByDefault(
  schema: Schema,
  value: unknown,
  path: string,
  isResource: boolean,
): FieldError[] {
  if (!hasRules(schema)) return []
  const tree = RuleTree.of(schema, isResource)
  for (const old of [value, undefined]) {
    const evaluation = new Evaluation(undefined)
    evaluation.visit(tree, value, old, { current: undefined, around: undefined }, path)
    if (evaluation.errors.length > 0) return evaluation.errors
  }
  return []
}

const shownPath = (path: string): string => (path === '' ? '<nil>' : path)
const childPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
const messageOf = (rule: ValidationRule): string => (rule.message || rule.rule).trim()

/** One object, and what is left of what it may cost. */
class Evaluation {
  readonly errors: FieldError[] = []
  readonly #warn: ((text: string) => void) | undefined
  #budget = maxCostPerObject

  constructor(warn: ((text: string) => void) | undefined) {
    this.#warn = warn
  }

  visit(tree: RuleTree, value: unknown, old: unknown, ratchet: Ratchet, path: string): void {
    if (value === null || value === undefined || this.#budget < 0) return
    this.#checkRules(tree, value, old ?? undefined, ratchet, path)
    if (Array.isArray(value)) this.#visitItems(tree, value, old, ratchet, path)
    else if (isJsonObject(value)) this.#visitFields(tree, value, isJsonObject(old) ? old : {}, ratchet, path)
  }

  #visitItems(tree: RuleTree, value: readonly unknown[], old: unknown, ratchet: Ratchet, path: string): void {
    const { items } = tree
    if (!items) return
    const oldItem = Array.isArray(old) ? keyedItems(tree.schema, old) : undefined
    for (const [index, item] of value.entries()) {
      this.visit(items, item, oldItem?.(item), ratchetItem(ratchet, index), `${path}[${index}]`)
    }
  }

  #visitFields(
    tree: RuleTree,
    value: Readonly<Record<string, unknown>>,
    old: Readonly<Record<string, unknown>>,
    ratchet: Ratchet,
    path: string,
  ): void {
    const oldOf = (name: string): unknown => (Object.hasOwn(old, name) ? old[name] : undefined)
    if (tree.values) {
      for (const [name, each] of Object.entries(value)) {
        this.visit(tree.values, each, oldOf(name), ratchetField(ratchet, name), `${path}[${name}]`)
      }
    }
    for (const [name, child] of tree.properties) {
      if (!Object.hasOwn(value, name)) continue
      this.visit(child, value[name], oldOf(name), ratchetField(ratchet, name), childPath(path, name))
    }
  }

  #checkRules(tree: RuleTree, value: unknown, old: unknown, ratchet: Ratchet, path: string): void {
    const { rules } = tree
    if (rules.length === 0) return
    const kind = tree.schema.type ?? ''
    const wrong = (detail: string): void => {
      this.errors.push(invalid(shownPath(path), kind, detail))
    }
    if (this.#budget <= 0) {
      wrong('validation failed due to running out of cost budget, no further validation rules will be run')
      this.#budget = -1
      return
    }
    const self = tree.read(value)
    let oldSelf: Value | undefined
    const read = (): Value | undefined => {
      if (old === undefined) return undefined
      oldSelf ??= tree.read(old)
      return oldSelf
    }
    for (const compiled of rules) {
      const { rule, program, problem, usesOldSelf } = compiled
      if (problem !== undefined) wrong(`rule compile error: ${problem}`)
      if (!program || (usesOldSelf && old === undefined && !rule.optionalOldSelf)) continue
      const values = [self, usesOldSelf ? oldVariable(rule, read()) : null]
      const { value: result, cost } = program.run(values, maxCostPerRule)
      if (cost > this.#budget) {
        wrong('validation failed due to running out of cost budget, no further validation rules will be run')
        this.#budget = -1
        return
      }
      this.#budget -= cost
      if (result === true) continue
      if (result === undefined) {
        wrong(
          `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${messageOf(rule)}`,
        )
        this.#budget = -1
        return
      }
      if (isError(result)) {
        wrong(
          result.message.startsWith('no such overload')
            ? `'${result.message}': call arguments did not match a supported operator, function or macro signature for rule: ${messageOf(rule)}`
            : `${result.message} evaluating rule: ${messageOf(rule)}`,
        )
        continue
      }
      this.#report(tree, compiled, values, value, ratchet, path)
      if (this.#budget < 0) return
    }
  }

  /** A rule does not hold. */
  #report(
    tree: RuleTree,
    compiled: CompiledRule,
    values: readonly Value[],
    value: unknown,
    ratchet: Ratchet,
    path: string,
  ): void {
    const { rule, usesOldSelf } = compiled
    const at = shownPath(path + suffixOf(rule, tree.schema, path))
    const kind = tree.schema.type
    const add = (error: FieldError): void => {
      if (!usesOldSelf && isTolerated(ratchet)) this.#warn?.(fieldErrorText(error))
      else this.errors.push(error)
    }
    const outcome = this.#message(compiled, values)
    if ('ends' in outcome) {
      add(invalid(at, kind, outcome.ends))
      this.#budget = -1
      return
    }
    const detail = outcome.text ?? (rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`)
    // Large values are not shown.
    const shown = kind === 'object' || kind === 'array' ? undefined : value
    switch (rule.reason) {
      case 'FieldValueForbidden':
        return add(fieldForbidden(at, detail))
      case 'FieldValueRequired':
        return add(required(at, detail))
      case 'FieldValueDuplicate':
        return add(duplicate(at, shown))
      default:
        return add(invalid(at, shown, detail))
    }
  }

  /** The value of the rule's message expression; nothing if it fails: the rule's message is used instead. */
  #message({ rule, message }: CompiledRule, values: readonly Value[]): { text?: string } | { ends: string } {
    if (!message) return {}
    const { value, cost } = message.run(values, maxCostPerRule)
    if (cost > this.#budget) {
      return {
        ends: 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run',
      }
    }
    if (value === undefined) {
      return {
        ends: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression)}`,
      }
    }
    this.#budget -= cost
    const text = typeof value === 'string' ? value.trim() : ''
    const isUsable =
      text !== '' && !text.includes('\n') && new TextEncoder().encode(text).length <= maxMessageLength
    return isUsable ? { text } : {}
  }
}

function oldVariable(rule: ValidationRule, old: Value | undefined): Value {
  if (!rule.optionalOldSelf) return old ?? null
  return old === undefined ? OptionalValue.none : new OptionalValue(old)
}

/** The `fieldPath` of the rule, relative to the value. */
function suffixOf(rule: ValidationRule, schema: Schema, path: string): string {
  if (!rule.fieldPath) return ''
  const found = parseRulePath(rule.fieldPath, schema)
  if ('problem' in found || found.path === '') return ''
  return path === '' ? found.path : `.${found.path}`
}
