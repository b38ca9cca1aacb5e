import { jsonEqual } from '@strata/api'
import { changeAt, type SchemaChange, type SchemaPair, shownValue } from './schema-change.ts'

/** CEL rules, the kinds of lists, and the combinations of schemas. */
export function compareRules(pair: SchemaPair): SchemaChange[] {
  return [...addedRules(pair), ...listChange(pair), ...combinationChange(pair)]
}

/** A transition rule looks at changes only, so it makes no stored object invalid. */
function addedRules(pair: SchemaPair): SchemaChange[] {
  const known = new Set((pair.before['x-kubernetes-validations'] ?? []).map(({ rule }) => rule.trim()))
  return (pair.after['x-kubernetes-validations'] ?? [])
    .map((each, index) => ({ each, index }))
    .filter(({ each }) => !known.has(each.rule.trim()) && !/\boldSelf\b/.test(each.rule))
    .map(({ each, index }) => {
      const { rule, message } = each
      const says = message === undefined ? '' : ` (${message})`
      const place = { ...pair, at: [...pair.at, 'x-kubernetes-validations', index] }
      return changeAt(place, 'rule-added', `new rule ${shownValue(rule.trim())}${says}`)
    })
}

function listChange(pair: SchemaPair): SchemaChange[] {
  const now = pair.after['x-kubernetes-list-type'] ?? 'atomic'
  const was = pair.before['x-kubernetes-list-type'] ?? 'atomic'
  const keys = (each: SchemaPair['after']): readonly string[] => each['x-kubernetes-list-map-keys'] ?? []
  if (now === 'atomic' || pair.after.type !== 'array') return []
  if (now !== was) {
    return [
      changeAt(pair, 'list-type-changed', `list type was ${was} and is ${now}: no two items may be the same`),
    ]
  }
  const fewer = keys(pair.before).filter((each) => !keys(pair.after).includes(each))
  if (fewer.length === 0) return []
  return [
    changeAt(
      pair,
      'list-keys-changed',
      `${fewer.join(', ')} no longer tells items apart: more of them count as equal`,
    ),
  ]
}

/** Whether one combination takes less than another is not decided: the reader has to look. */
function combinationChange(pair: SchemaPair): SchemaChange[] {
  const { before, after } = pair
  return (['allOf', 'anyOf', 'oneOf', 'not'] as const)
    .filter((field) => after[field] !== undefined && !jsonEqual(after[field], before[field] ?? null))
    .map((field) => {
      const place = { ...pair, at: [...pair.at, field] }
      const kind = `${field.replace('Of', '-of')}-${before[field] === undefined ? 'added' : 'changed'}`
      return changeAt(
        place,
        kind,
        `${field} is ${before[field] === undefined ? 'new' : 'another one'}: it may take less`,
      )
    })
}
