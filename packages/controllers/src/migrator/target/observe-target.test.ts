import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceUnavailable } from '@strata/api'
import { never, targetOf } from '../engine-for-test.ts'
import { FakeCluster } from '../fake-cluster-for-test.ts'
import { observeTarget } from './observe-target.ts'

test('target: a group that cannot be discovered is not one that publishes nothing', async () => {
  const cluster = new FakeCluster('hash')
  const { hash } = await targetOf(cluster)
  assert.equal(hash, 'hash-of-v2')
  cluster.fault = async ({ path }) => (path.endsWith('/v2') ? serviceUnavailable('away') : undefined)
  await assert.rejects(observeTarget({ ...cluster, isNamed: true }, never), { code: 503 })
})
