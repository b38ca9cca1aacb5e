import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WebhookConfiguration, WebhookRule } from '@strata/api'
import { listenersAmong } from './admission-listeners.ts'

const lamps = { group: 'light.example.dev', resource: 'lamps' }
const rule: WebhookRule = {
  operations: ['UPDATE'],
  apiGroups: [lamps.group],
  apiVersions: ['v1'],
  resources: ['lamps'],
}
const asking = (name: string, ...rules: readonly WebhookRule[]): WebhookConfiguration => ({
  metadata: { name },
  webhooks: [{ name, rules }],
})

const rows: readonly [name: string, rule: WebhookRule, isHeard: boolean][] = [
  ['this very resource', rule, true],
  ['everything', { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }, true],
  ['everything and below', { ...rule, resources: ['*/*'] }, true],
  ['this resource and below', { ...rule, resources: ['lamps/*'] }, true],
  ['another version of it, which may be the same request', { ...rule, apiVersions: ['v9'] }, true],
  ['only what is below', { ...rule, resources: ['lamps/status'] }, false],
  ['only new ones', { ...rule, operations: ['CREATE', 'DELETE'] }, false],
  ['another resource', { ...rule, resources: ['things'] }, false],
  ['another group', { ...rule, apiGroups: ['other.example.dev'] }, false],
  ['nothing', {}, false],
]
for (const [name, each, isHeard] of rows) {
  test(`listeners: one that asks about ${name} is ${isHeard ? '' : 'not '}heard`, () => {
    assert.deepEqual(listenersAmong(lamps, [asking('one', each)]), isHeard ? ['one'] : [])
  })
}

test('listeners: each once, in order', () => {
  const all = [asking('two', rule), asking('one', rule, rule), asking('two', rule), { metadata: {} }]
  assert.deepEqual(listenersAmong(lamps, all), ['one', 'two'])
})
