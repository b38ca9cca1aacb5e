import { compileCondition, compileRules, type Schema, validateExpressions } from '@strata/api'
import { chance, integer, pick, type Random } from '@strata/world'
import { createSimRandom } from '@strata/world/sim'
import { jsonObject } from '../generate/json.ts'
import { mutateText } from '../generate/mutate-text.ts'
import { text } from '../generate/text.ts'
import { expect, pureTarget, shown } from '../target.ts'
import { truthExpression } from './cel-expression.ts'

/** The expression is made from the seed when it is tried: a part of it left out would come to something else. */
export const cel = pureTarget<{ readonly seed: number; readonly depth: number }>({
  name: 'cel',
  about: 'CEL expressions, compared with a second evaluator of numbers, texts, lists and decisions',
  share: 10,
  open: () => ({
    generate: (random) => ({ seed: integer(random, 2 ** 40), depth: 1 + integer(random, 3) }),
    check: ({ seed, depth }) => {
      const { text: expression, value } = truthExpression(createSimRandom(String(seed)), depth)
      const condition = compileCondition(expression)
      expect(
        !('problem' in condition),
        () => `refused: ${shown(condition)}, the expression ${shown(expression)}`,
      )
      const outcome = condition.evaluate({ object: undefined, oldObject: undefined, request: undefined })
      const found = 'error' in outcome ? undefined : outcome.holds
      expect(
        found === value && outcome.cost >= 0,
        () => `comes to ${shown(outcome)} instead of ${value ?? 'an error'}: ${shown(expression)}`,
      )
      return value === undefined ? 'refused' : 'accepted'
    },
  }),
})

const schema: Schema = {
  type: 'object',
  properties: {
    a: { type: 'string', maxLength: 20 },
    b: { type: 'integer' },
    c: { type: 'array', maxItems: 8, items: { type: 'string', maxLength: 8 } },
    d: { type: 'object', maxProperties: 8, additionalProperties: { type: 'integer' } },
    e: { type: 'string', format: 'date-time' },
    f: { type: 'object', properties: { a: { type: 'boolean' }, 'b-c': { type: 'number' } } },
  },
}

/** Pieces of rules as projects write them. */
const rules = [
  'self.a.startsWith("x") || self.b > 3',
  'has(self.c) && self.c.all(x, x.size() < 5)',
  'self.c.map(x, x + self.a).exists(y, y.matches("^[a-z]+$"))',
  "self.d.all(k, self.d[k] > 0 && k != 'a')",
  "timestamp(self.e) < timestamp('2030-01-01T00:00:00Z')",
  'self.f.a == true && self.f.b__dash__c < 1.5',
  'self == oldSelf || self.b >= oldSelf.b',
  "quantity('1Ki').isGreaterThan(quantity(self.a))",
  "url(self.a).getHost() == 'a' || ip.isCanonical('::1')",
  'self.a.split(",").filter(x, x.trim() != "").size() > self.b',
  'self.c.isSorted() && self.c.sum() == ""',
  "self.a.lowerAscii().replace('a', 'b').find('[0-9]+') == ''",
  '[[1, 2], [3]].exists(x, x.exists(y, y == self.b))',
  "cidr('10.0.0.0/8').containsIP(self.a)",
  "duration('1h').getSeconds() > self.b",
] as const

const object = (random: Random): Record<string, unknown> => ({
  ...(chance(random, 0.7) ? { a: text(random).toWellFormed().slice(0, 20) } : {}),
  ...(chance(random, 0.7) ? { b: integer(random, 10) } : {}),
  ...(chance(random, 0.7)
    ? { c: Array.from({ length: integer(random, 4) }, () => text(random).slice(0, 8)) }
    : {}),
  ...(chance(random, 0.5) ? { d: { a: 1, b: integer(random, 5) } } : {}),
  ...(chance(random, 0.3) ? { f: { a: true, 'b-c': 0.5 } } : {}),
  ...(chance(random, 0.1) ? jsonObject(random, 2) : {}),
})

export const celRules = pureTarget<{ readonly rule: string; readonly object: Record<string, unknown> }>({
  name: 'cel-rules',
  about: 'rules of CRDs, damaged: refused when they are written, or run within their budget',
  share: 8,
  open: () => ({
    generate: (random) => {
      const rule = pick(random, rules)
      const damaged = chance(random, 0.8) ? mutateText(random, rule, pick(random, rules), 4_000) : rule
      return { rule: damaged, object: object(random) }
    },
    check: ({ rule, object: value }) => {
      const ruled: Schema = { ...schema, 'x-kubernetes-validations': [{ rule }] }
      const problems = validateExpressions(ruled, 'schema', { isWrong: () => false, limitsCost: true })
      const found = compileRules(ruled).evaluate(value, undefined)
      if (problems.length > 0) return 'refused'
      const uncompiled = found.find(({ detail = '' }) => detail.includes('rule compile error'))
      expect(uncompiled === undefined, () => `accepted, and does not compile: ${shown(uncompiled)}`)
      return 'accepted'
    },
  }),
})
