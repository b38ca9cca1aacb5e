import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ApiError,
  alreadyExists,
  type Namespace,
  notFound,
  type ServiceAccount,
  serviceAccounts,
} from '@strata/api'
import type { ResourceClient } from '@strata/client'
import { silentLog } from '@strata/world'
import { createDefaultAccounts } from './service-account-controller.ts'

const { signal } = new AbortController()
const alive: Namespace = { metadata: { name: 'ns' }, status: { phase: 'Active' } }
const terminating = new ApiError(403, 'Forbidden', 'no', { causes: [{ reason: 'NamespaceTerminating' }] })

function create(refusal?: Error) {
  const asked: ServiceAccount[] = []
  const accounts = {
    create: async (account: ServiceAccount) => {
      asked.push(account)
      if (refusal) throw refusal
    },
  } as unknown as ResourceClient<ServiceAccount>
  const known = { namespaces: new Map([['ns', alive]]), accounts: new Map<string, ServiceAccount>() }
  return { asked, known, reconciler: createDefaultAccounts({ accounts, known, log: silentLog }) }
}

test('default account: is created in the namespace only if it is missing', async () => {
  const { asked, known, reconciler } = create()
  await reconciler.reconcile('ns', signal)
  assert.deepEqual(asked, [{ metadata: { name: 'default', namespace: 'ns' } }])
  known.accounts.set('ns/default', { metadata: { name: 'default', namespace: 'ns' } })
  await reconciler.reconcile('ns', signal)
  await reconciler.reconcile('gone', signal)
  assert.equal(asked.length, 1)
})

const harmless: ReadonlyArray<[name: string, refusal: Error]> = [
  ['another client was faster', alreadyExists(serviceAccounts, 'default')],
  ['the namespace is gone', notFound({ group: '', resource: 'namespaces' }, 'ns')],
  ['the namespace is terminating', terminating],
]
for (const [name, refusal] of harmless) {
  test(`default account: ${name}: not an error`, async () =>
    assert.equal(await create(refusal).reconciler.reconcile('ns', signal), undefined))
}

test('default account: every other error is retried', async () => {
  for (const refusal of [
    new ApiError(500, 'InternalError', 'broken'),
    new ApiError(403, 'Forbidden', 'no'),
  ]) {
    await assert.rejects(create(refusal).reconciler.reconcile('ns', signal), refusal)
  }
})
