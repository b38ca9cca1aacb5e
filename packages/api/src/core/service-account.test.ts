import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ServiceAccount, serviceAccounts } from './service-account.ts'

const { prepareForCreate, prepareForUpdate } = serviceAccounts.strategy

test('service account: of its secrets only the names are kept', () => {
  const given = (): ServiceAccount => ({
    metadata: {},
    secrets: [{ name: 'a', namespace: 'elsewhere', uid: 'u' }, { kind: 'Secret' }],
  })
  const [created, updated] = [given(), given()]
  prepareForCreate?.(created, '')
  prepareForUpdate?.(updated, given())
  assert.deepEqual(created.secrets, [{ name: 'a' }, {}])
  assert.deepEqual(updated, created)
})

test('service account: one without secrets stays without', () => {
  const account: ServiceAccount = { metadata: {} }
  prepareForCreate?.(account, '')
  assert.deepEqual(account, { metadata: {} })
})
