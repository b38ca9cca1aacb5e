import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutSetAside } from './without-set-aside.ts'

const of = (namespace: string | undefined, name: string) => ({
  ...(namespace === undefined ? {} : { namespace }),
  ...{ name, reason: 'Denied', message: 'no' },
})
const progress = { migrated: 7, quarantined: 5, quarantine: [of('n', 'a'), of('m', 'a'), of(undefined, 'a')] }

test('taken off: only the object of that namespace, and what the list does not name stays counted', () => {
  const left = withoutSetAside(progress, [{ namespace: 'n', name: 'a' }])
  assert.deepEqual(left, { ...progress, quarantined: 4, quarantine: [of('m', 'a'), of(undefined, 'a')] })
  const none = withoutSetAside(progress, [
    { namespace: 'n', name: 'a' },
    { namespace: 'm', name: 'a' },
    { name: 'a' },
  ])
  assert.deepEqual([none?.quarantined, none?.quarantine], [2, []])
})

test('taken off: an object that is not named changes nothing', () => {
  assert.equal(withoutSetAside(progress, [{ namespace: 'other', name: 'a' }]), undefined)
  assert.equal(withoutSetAside({}, [{ name: 'a' }]), undefined)
})
