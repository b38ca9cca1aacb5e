import assert from 'node:assert/strict'
import { test } from 'node:test'
import { welcome } from './welcome.ts'

const fleet = (servers: number, example: boolean) =>
  welcome({
    kubeconfig: '/data/admin.kubeconfig',
    members: Array.from({ length: servers }, (_, index) => ({
      name: `strata-${index + 1}`,
      pid: 100 + index,
    })),
    servers,
    logs: '/data/logs',
    example,
    command: 'strata',
  })

test('welcome: one server is not described as several', () => {
  assert.doesNotMatch(fleet(1, true), /--context|others|another,|strata-2/)
})

test('welcome: with several, the last is among the contexts that are used', () => {
  assert.match(fleet(2, true), /--context strata-2/)
  assert.doesNotMatch(fleet(2, true), /strata-3/)
})

test('welcome: the example kind is spoken of only if it is there', () => {
  assert.doesNotMatch(fleet(3, false), /lighthouse/)
})
