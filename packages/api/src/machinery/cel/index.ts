export {
  type Condition,
  type ConditionOutcome,
  type ConditionVariables,
  compileCondition,
} from './compile-condition.ts'
export { brokenByDefault, compileRules, type RuleSet } from './rule-set.ts'
export { type ExpressionContext, validateExpressions } from './validate-expressions.ts'
