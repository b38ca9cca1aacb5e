export {
  type Condition,
  type ConditionOutcome,
  type ConditionVariables,
  compileCondition,
} from './rules/compile-condition.ts'
export { brokenByDefault, compileRules, type RuleSet } from './rules/rule-set.ts'
export { type ExpressionContext, validateExpressions } from './rules/validate-expressions.ts'
