import { type FieldError, fieldForbidden, invalid } from '../../field-error.ts'
import { limitOf } from '../../patch/raw-number.ts'
import type { Schema, ValidationRule } from '../../schema.ts'
import { estimateCost } from '../cost/estimate-cost.ts'
import { escapeFieldName } from '../syntax/field-name.ts'
import { maxCardinality, type SchemaType, schemaType } from '../types/schema-type.ts'
import { type CompiledRule, compileRuleList } from './compile-rule.ts'
import { isEmbedded, rulesOf, valuesSchema } from './rule-schema.ts'
import { hasRules } from './rule-tree.ts'

export interface ExpressionContext {
  /** Whether something else is wrong at a schema or inside of it: its types could not be trusted. */
  readonly isWrong: (schema: Schema) => boolean
  /** False if the stored schema is the same: the cost limit per rule is not checked again. */
  readonly limitsCost: boolean
}

/** The limits of the estimated cost: for one rule, and for all rules of a schema. */
const maxRuleCost = 10_000_000
const maxSchemaCost = 100_000_000

/** Validates the expressions in the structural schema of a custom resource. `path` is the path of the schema. */
export function validateExpressions(schema: Schema, path: string, context: ExpressionContext): FieldError[] {
  if (!hasRules(schema)) return []
  const walk = new Walk(context)
  walk.visit(schema, root(path, schema))
  return [...walk.errors, ...walk.totalErrors(path)]
}

interface Place {
  readonly path: string
  readonly isResource: boolean
  /** Undefined if no rule around needed it yet, or if there is none. */
  readonly type: () => SchemaType | undefined
  /** How many of these there can be. Undefined: as many as fit into a request. */
  readonly count: number | undefined
  /** The enclosing list or map whose items cannot be matched with their old values. */
  readonly uncorrelatable: string | undefined
}

const root = (path: string, schema: Schema): Place => ({
  path,
  isResource: true,
  type: once(() => schemaType(schema, true, 'selfType')),
  count: 1,
  uncorrelatable: undefined,
})

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

class Walk {
  readonly errors: FieldError[] = []
  readonly #context: ExpressionContext
  #total = 0
  #expensive: Array<{ path: string; cost: number }> = []

  constructor(context: ExpressionContext) {
    this.#context = context
  }

  visit(schema: Schema, place: Place): void {
    for (const [child, at] of this.#children(schema, place)) if (hasRules(child)) this.visit(child, at)
    const rules = rulesOf(schema)
    if (rules.length > 0 && !this.#context.isWrong(schema)) this.errors.push(...this.#compile(rules, place))
  }

  *#children(schema: Schema, place: Place): Iterable<readonly [Schema, Place]> {
    const { path, uncorrelatable } = place
    const count = multiply(place.count, elementCount(schema))
    const values = valuesSchema(schema)
    if (values) {
      const type = once(() => place.type()?.element ?? typeAlone(values))
      yield [
        values,
        { path: `${path}.additionalProperties`, isResource: isEmbedded(values), type, count, uncorrelatable },
      ]
    }
    for (const [name, child] of Object.entries(schema.properties ?? {})) {
      const type = once(() => place.type()?.fields?.get(escapeFieldName(name) ?? '') ?? typeAlone(child))
      yield [
        child,
        { path: `${path}.properties[${name}]`, isResource: isEmbedded(child), type, count, uncorrelatable },
      ]
    }
    if (schema.items) {
      const { items } = schema
      const isKeyed = schema['x-kubernetes-list-type'] === 'map'
      yield [
        items,
        {
          path: `${path}.items`,
          isResource: isEmbedded(items),
          type: once(() => place.type()?.element ?? typeAlone(items)),
          count,
          uncorrelatable: isKeyed ? uncorrelatable : (uncorrelatable ?? path),
        },
      ]
    }
  }

  #compile(rules: readonly ValidationRule[], place: Place): FieldError[] {
    const type = place.type()
    const at = `${place.path}.x-kubernetes-validations`
    if (!type) {
      return [
        invalid(
          at,
          undefined,
          'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
        ),
      ]
    }
    const errors: FieldError[] = []
    for (const [index, compiled] of compileRuleList(rules, type).entries()) {
      errors.push(...this.#ruleErrors(compiled, `${at}[${index}]`, type, place))
    }
    return errors
  }

  #ruleErrors(compiled: CompiledRule, path: string, type: SchemaType, place: Place): FieldError[] {
    const { rule, program, problem, message, messageProblem, usesOldSelf } = compiled
    const errors: FieldError[] = []
    if (program) {
      const count = place.count ?? maxCardinality(type)
      const cost = estimateCost(program.checked, type) * count
      errors.push(...this.#observe(cost, `${path}.rule`, 'estimated rule cost'))
    }
    if (problem !== undefined) errors.push(invalid(`${path}.rule`, shownRule(rule), problem))
    if (messageProblem !== undefined) {
      errors.push(invalid(`${path}.messageExpression`, shownRule(rule), messageProblem))
    } else if (message) {
      const cost = estimateCost(message.checked, type)
      errors.push(...this.#observe(cost, `${path}.messageExpression`, 'estimated messageExpression cost'))
    }
    if (usesOldSelf && place.uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`
      errors.push(invalid(`${path}.rule`, rule.rule, detail))
    } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule'
      errors.push(invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail))
    }
    return errors
  }

  #observe(cost: number, path: string, name: string): FieldError[] {
    this.#total += cost
    if (cost >= maxSchemaCost / 100) {
      this.#expensive.push({ path, cost })
      this.#expensive.sort((a, b) => b.cost - a.cost)
      this.#expensive = this.#expensive.slice(0, 4)
    }
    if (cost <= maxRuleCost || !this.#context.limitsCost) return []
    return [fieldForbidden(path, costText(name, cost / maxRuleCost))]
  }

  /** Errors about all rules together, reported last. */
  totalErrors(path: string): FieldError[] {
    if (this.#total <= maxSchemaCost) return []
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
    return [
      ...this.#expensive.map((each) => fieldForbidden(each.path, detail)),
      fieldForbidden(path, costText(name, this.#total / maxSchemaCost)),
    ]
  }
}

const typeAlone = (schema: Schema): SchemaType | undefined =>
  schemaType(schema, isEmbedded(schema), 'selfType')

function elementCount(schema: Schema): number | undefined {
  const isArray = schema.type === 'array'
  if (!isArray && (schema.type !== 'object' || schema.additionalProperties === undefined)) return 1
  const limit = limitOf(isArray ? schema.maxItems : schema.maxProperties)
  return limit === undefined ? undefined : Math.max(0, limit)
}

const multiply = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a * b

function costText(name: string, factor: number): string {
  const shown =
    factor > 100 ? 'more than 100x' : factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`
  return `${name} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}

/** As upstream shows a rule: with the names that its own program has for the parts. */
const shownRule = (rule: ValidationRule): unknown => ({
  Rule: rule.rule,
  Message: rule.message ?? '',
  MessageExpression: rule.messageExpression ?? '',
  Reason: rule.reason ?? null,
  FieldPath: rule.fieldPath ?? '',
  OptionalOldSelf: rule.optionalOldSelf ?? null,
})
