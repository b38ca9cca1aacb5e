import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compilePattern } from '@strata/api'
import { createSimRandom } from '@strata/world/sim'
import { textOfPattern } from './text-of-pattern.ts'

const quantity =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'

const cases: ReadonlyArray<[pattern: string, limits?: { minLength?: number; maxLength?: number }]> = [
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', { minLength: 1, maxLength: 63 }],
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', { minLength: 20 }],
  ['^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$'],
  [quantity],
  ['(^$|^[a-f0-9]{64}$)', { minLength: 1 }],
  ['^(?i)(abort|warn)?$'],
  ['^((?i)january|february)(?:((:((?i)january|february))$)|$)'],
  ['^[^*]*(\\*[^/]*)?\\.(json|yml|yaml|JSON|YML|YAML)$'],
  ['^\\PC*$', { minLength: 3 }],
  ["^[A-Za-z0-9!#$%&'*+\\-.^_\\x60|~]+$"],
  ['^[!-~]+([\\t ]?[!-~]+)*$'],
  ['^(([^:/?#]+):)(//([^/?#]*))([^?#]*)(\\?([^#]*))?(#(.*))?'],
  ['^[\\w\\s:/.\\\\-]+$'],
  ['^[0-9]{12}$'],
  ['ami-[0-9a-z]+'],
  ['^$|^a$'],
]

for (const [pattern, limits = {}] of cases) {
  test(`a text that ${pattern} matches, of ${JSON.stringify(limits)}`, () => {
    const matches = compilePattern(pattern)
    assert.ok(typeof matches === 'function')
    for (let seed = 0; seed < 20; seed++) {
      const text = textOfPattern(pattern, limits, createSimRandom(`${seed}`))
      assert.ok(matches(text), text)
      assert.ok(text.length >= (limits.minLength ?? 0) && text.length <= (limits.maxLength ?? 1e9), text)
      assert.equal(textOfPattern(pattern, limits, createSimRandom(`${seed}`)), text)
    }
  })
}

test('no text is made up where none is found', () => {
  assert.throws(() => textOfPattern('^a$', { minLength: 2 }, createSimRandom('1')), /found no text of 2 to/)
  assert.throws(() => textOfPattern('(', {}, createSimRandom('1')), /is no pattern/)
})
