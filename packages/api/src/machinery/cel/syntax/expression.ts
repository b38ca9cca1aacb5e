import type { Value } from '../evaluation/value.ts'

/** Where in the text a part of an expression begins; messages point there. */
interface Placed {
  readonly offset: number
}

export interface Literal extends Placed {
  readonly kind: 'literal'
  readonly value: Value
}
export interface Identifier extends Placed {
  readonly kind: 'identifier'
  readonly name: string
}
export interface Select extends Placed {
  readonly kind: 'select'
  readonly operand: Expression
  readonly field: string
  /** `has(a.b)`: asks whether the field is there instead of reading it. */
  readonly isTest: boolean
}
export interface Call extends Placed {
  readonly kind: 'call'
  readonly name: string
  readonly target: Expression | undefined
  readonly arguments: readonly Expression[]
}
export interface ListLiteral extends Placed {
  readonly kind: 'list'
  readonly elements: readonly Expression[]
  /** Which elements were written with a `?`. */
  readonly optionals: ReadonlySet<number>
}
export interface MapEntry extends Placed {
  readonly key: Expression
  readonly value: Expression
  readonly isOptional: boolean
}
export interface MapLiteral extends Placed {
  readonly kind: 'map'
  readonly entries: readonly MapEntry[]
}
export interface StructField extends Placed {
  readonly name: string
  readonly value: Expression
  readonly isOptional: boolean
}
export interface StructLiteral extends Placed {
  readonly kind: 'struct'
  readonly name: string
  readonly fields: readonly StructField[]
}
/** The expansion of every macro that visits elements: a loop over a range that accumulates a result. */
export interface Comprehension extends Placed {
  readonly kind: 'comprehension'
  readonly range: Expression
  readonly variable: string
  /** In the two-variable forms: the variable of the value. The first one is the index or the key. */
  readonly secondVariable: string | undefined
  readonly accumulator: string
  readonly start: Expression
  readonly condition: Expression
  readonly step: Expression
  readonly result: Expression
}

export type Expression =
  | Literal
  | Identifier
  | Select
  | Call
  | ListLiteral
  | MapLiteral
  | StructLiteral
  | Comprehension

export const childrenOf = (expression: Expression): readonly Expression[] => {
  switch (expression.kind) {
    case 'literal':
    case 'identifier':
      return []
    case 'select':
      return [expression.operand]
    case 'call':
      return expression.target ? [expression.target, ...expression.arguments] : expression.arguments
    case 'list':
      return expression.elements
    case 'map':
      return expression.entries.flatMap((entry) => [entry.key, entry.value])
    case 'struct':
      return expression.fields.map((field) => field.value)
    case 'comprehension':
      return [expression.range, expression.start, expression.condition, expression.step, expression.result]
  }
}

/** A copy whose parts are parts of their own, for macros that use an argument twice. */
export function copyExpression(expression: Expression): Expression {
  const copy = copyExpression
  switch (expression.kind) {
    case 'literal':
    case 'identifier':
      return { ...expression }
    case 'select':
      return { ...expression, operand: copy(expression.operand) }
    case 'call':
      return {
        ...expression,
        target: expression.target && copy(expression.target),
        arguments: expression.arguments.map(copy),
      }
    case 'list':
      return { ...expression, elements: expression.elements.map(copy) }
    case 'map':
      return {
        ...expression,
        entries: expression.entries.map((entry) => ({
          ...entry,
          key: copy(entry.key),
          value: copy(entry.value),
        })),
      }
    case 'struct':
      return {
        ...expression,
        fields: expression.fields.map((field) => ({ ...field, value: copy(field.value) })),
      }
    case 'comprehension':
      return {
        ...expression,
        range: copy(expression.range),
        start: copy(expression.start),
        condition: copy(expression.condition),
        step: copy(expression.step),
        result: copy(expression.result),
      }
  }
}
