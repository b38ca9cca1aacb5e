import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeyRule, keyRulesAnnotation, keyRulesOf, keysByRules } from './key-rules.ts'

const rules: readonly KeyRule[] = [
  { resources: ['secrets', 'gadgets.example.dev'], writes: 'one', reads: ['one', 'identity'] },
  { resources: ['*.example.dev'], writes: 'two', reads: ['two'] },
  { resources: ['gadgets.example.dev'], writes: 'three', reads: ['three', 'one'] },
  { resources: ['*.vault.dev'], reads: ['kms:vault:*'] },
]

const cases: ReadonlyArray<[resource: string, group: string, want: Omit<KeyRule, 'resources'>]> = [
  ['secrets', '', { writes: 'one', reads: ['one', 'identity'] }],
  // Named by two rules: they follow each other.
  ['gadgets', 'example.dev', { writes: 'one', reads: ['one', 'identity', 'three'] }],
  ['gizmos', 'example.dev', { writes: 'two', reads: ['two'] }],
  ['doors', 'vault.dev', { reads: ['kms:vault:*'] }],
  ['configmaps', '', { writes: 'identity', reads: ['identity'] }],
]
for (const [resource, group, want] of cases) {
  test(`key rules: ${resource}.${group}`, () =>
    assert.deepEqual(keysByRules(rules, { group, resource }), want))
}

const texts: ReadonlyArray<[name: string, text: string | undefined, want: readonly KeyRule[] | undefined]> = [
  ['what was said', JSON.stringify(rules), rules],
  ['that nothing is encrypted', '[]', []],
  ['nothing', undefined, undefined],
  ['no JSON', 'two', undefined],
  ['something else', '[{"resources":"secrets","reads":[]}]', undefined],
  ['null', '[null]', undefined],
]
for (const [name, text, want] of texts) {
  test(`key rules: a Lease that says ${name}`, () => {
    const annotations = text === undefined ? {} : { [keyRulesAnnotation]: text }
    assert.deepEqual(keyRulesOf({ metadata: { name: 'a', annotations } }), want)
  })
}
