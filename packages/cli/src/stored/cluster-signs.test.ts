import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterSigns } from './cluster-signs.ts'

test('signs of a cluster: when API servers renewed their identity Leases, and no other Leases', () => {
  const signs = new ClusterSigns()
  const see = (object: string, decoded: unknown) => signs.see({ prefix: 'leases', object }, () => decoded)
  const lease = { spec: { renewTime: '1970-01-01T00:00:07.250000Z' } }
  see('kube-system/apiserver-abc', lease)
  see('kube-system/kube-scheduler', lease)
  see('default/apiserver-abc', lease)
  see('kube-system/apiserver-damaged', undefined)
  assert.deepEqual([...signs.renewals], [['apiserver-abc', 7_250]])
})
