import type { ValidationRule } from '../../schema.ts'
import { type Compiled, compile } from '../compile.ts'
import { kubernetesFunctions } from '../library/index.ts'
import { type CelType, optionalOf } from '../types/cel-type.ts'
import type { Environment } from '../types/declaration.ts'
import { type SchemaType, structsOf } from '../types/schema-type.ts'

export interface CompiledRule {
  readonly rule: ValidationRule
  /** Undefined if the rule is empty or wrong. */
  readonly program: Compiled | undefined
  /** What is wrong with the rule. */
  readonly problem: string | undefined
  readonly message: Compiled | undefined
  readonly messageProblem: string | undefined
  readonly usesOldSelf: boolean
}

/** The variables of rules about values of a type. */
function ruleEnvironment(type: SchemaType, isOldOptional: boolean): Environment {
  const variables = new Map<string, CelType>([
    ['self', type.type],
    ['oldSelf', isOldOptional ? optionalOf(type.type) : type.type],
  ])
  return { functions: kubernetesFunctions, variables, structs: structsOf(type) }
}

export function compileRuleList(rules: readonly ValidationRule[], type: SchemaType): readonly CompiledRule[] {
  const strict = ruleEnvironment(type, false)
  let optional: Environment | undefined
  return rules.map((rule) => {
    if (rule.optionalOldSelf) optional ??= ruleEnvironment(type, true)
    return compileRule(rule, rule.optionalOldSelf && optional ? optional : strict)
  })
}

function compileRule(rule: ValidationRule, environment: Environment): CompiledRule {
  const none = {
    rule,
    program: undefined,
    problem: undefined,
    message: undefined,
    messageProblem: undefined,
    usesOldSelf: false,
  }
  if (rule.rule.trim() === '') return none
  const program = compile(rule.rule, environment)
  if ('problems' in program)
    return {
      ...none,
      problem: `${program.stage === 'compilation' ? '' : 'program '}${program.stage} failed: ${program.problems}`,
    }
  if (program.checked.resultType.kind !== 'bool') {
    return { ...none, problem: 'cel expression must evaluate to a bool' }
  }
  const compiled = { ...none, program, usesOldSelf: program.uses('oldSelf') }
  if (!rule.messageExpression) return compiled
  const message = compile(rule.messageExpression, environment)
  if ('problems' in message) {
    return { ...compiled, messageProblem: `messageExpression ${message.stage} failed: ${message.problems}` }
  }
  if (message.checked.resultType.kind !== 'string') {
    return { ...compiled, messageProblem: 'messageExpression must evaluate to a string' }
  }
  return { ...compiled, message }
}
