import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNotAsWanted } from './as-applied.ts'
import { crdForTest } from './crd-for-test.ts'

const wanted = crdForTest({ versions: 'v1 v2*' })

test('an applied CRD: the order of versions does not matter', () => {
  assert.equal(whyNotAsWanted(crdForTest({ versions: 'v2* v1' }), wanted), undefined)
})

test('an applied CRD: what another writer put in place of the file is named', () => {
  const kept = whyNotAsWanted(crdForTest({ versions: 'v1* v2' }), wanted)
  assert.equal(kept, 'the server stored the versions v1 (storage), v2, and the file has v1, v2 (storage)')
  const hook = whyNotAsWanted(crdForTest({ versions: 'v1 v2*', webhook: 'https://h.example.dev' }), wanted)
  assert.equal(hook, 'the server stored the conversion strategy Webhook, and the file has None')
})
