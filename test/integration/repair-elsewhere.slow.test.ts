import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { type TestContext, test } from 'node:test'
import { printedRights } from '@strata/cli'
import { startEtcd } from '../support/etcd.ts'
import type { Answer } from '../support/fleet.ts'
import { RightsCluster } from '../support/rights-cluster.ts'

const maps = '/api/v1/namespaces/default/configmaps'
const base = (text: string): string => Buffer.from(text).toString('base64')
const details = { name: 'broken', kind: 'configmaps' }
const refusal = (status: number, reason: string, message: string): Answer => ({
  ...{ status, headers: {} },
  body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: status, reason, message, details },
})

interface Row {
  readonly name: string
  /** What happens once the bytes were read for the first time. */
  readonly meanwhile?: 'written again' | 'stopped'
  /** What the servers behind the address answer to a read, in turn; all cannot read it if absent. */
  readonly read?: readonly (Answer | undefined)[]
  /** Nothing is saved either. */
  readonly isUnsaved?: true
  /** The answer to the deletion. */
  readonly answer: Answer | undefined
  /** Whether it is gone when it is looked at after the deletion. */
  readonly isGone?: true
  readonly code: number
  readonly result: string
  readonly because: RegExp
}
const unreadable = refusal(500, 'StorageReadError', 'data from the storage is not transformable')
const corrupt = (why: string): Answer =>
  refusal(500, 'InternalError', `StorageError: corrupt object, AdditionalErrorMsg: ${why}`)
const deleted: Answer = {
  status: 200,
  headers: {},
  body: { kind: 'Status', apiVersion: 'v1', status: 'Success' },
}
const noAnswer = refusal(504, 'Timeout', 'the server did not answer in time')
const rows: readonly Row[] = [
  {
    name: 'its bytes are the same after they were saved',
    ...{ answer: deleted, code: 0, result: 'deleted', because: /its 5 bytes are in / },
  },
  {
    name: 'its bytes changed while they were saved',
    ...{ meanwhile: 'written again', answer: undefined, code: 1, result: 'refused' },
    because: /^its bytes changed while they were saved: run it again$/,
  },
  {
    name: 'no answer comes, and it is still there',
    ...{ answer: noAnswer, code: 6, result: 'unknown' },
    because: /^the deletion was sent, and no answer came .*: run it again$/,
  },
  {
    name: 'no answer comes, and it is gone',
    ...{ answer: noAnswer, isGone: true, code: 0, result: 'deleted' },
    because: /^no answer came to the deletion, and it is gone$/,
  },
  {
    name: 'it is stopped after the deletion was sent',
    ...{ meanwhile: 'stopped', answer: deleted, code: 130, result: 'unknown' },
    because: /^it was stopped after the deletion was sent: run it again$/,
  },
  {
    name: 'another server behind the address can read it',
    ...{
      read: [unreadable, unreadable, undefined],
      isUnsaved: true,
      answer: undefined,
      code: 1,
      result: 'refused',
    },
    because: /^the API server behind .* can decode it/,
  },
  {
    name: 'a conversion webhook is away',
    read: [corrupt('object not decodable: conversion webhook for g/v1, Kind=A failed: Post')],
    ...{ isUnsaved: true, answer: undefined, code: 1, result: 'refused' },
    because: /its conversion webhook fails/,
  },
  {
    name: 'a KMS plugin is away',
    read: [corrupt('object not decodable: failed to decrypt DEK, error: rpc error: code = Unavailable')],
    ...{ isUnsaved: true, answer: undefined, code: 1, result: 'refused' },
    because: /its key provider may only be away/,
  },
]
for (const {
  name,
  meanwhile,
  read = [unreadable],
  isUnsaved,
  answer,
  isGone,
  code,
  result,
  because,
} of rows) {
  test(`repair on a cluster that does not compare revisions: ${name}`, async (t) => {
    const { cluster, put, store } = await started(t)
    let isSent = false
    let reads = 0
    cluster.intercept = async (method, url, body) => {
      if (!url.startsWith(maps)) return url.includes('/configmaps') ? unreadable : undefined
      if (method !== 'DELETE' && !url.includes('/broken')) return unreadable
      if (method !== 'DELETE')
        return isSent && isGone
          ? refusal(404, 'NotFound', 'configmaps "broken" not found')
          : (read[reads++ % read.length] ?? readable)
      if (body.includes('dryRun')) {
        if (meanwhile === 'written again') await put('other')
        return refusal(
          422,
          'Invalid',
          'dryRun and ignoreStoreReadErrorWithClusterBreakingPotential may not be together',
        )
      }
      assert.ok(answer, 'no deletion is sent')
      isSent = true
      // The server itself answers, which stops the command.
      return meanwhile === 'stopped' ? undefined : answer
    }
    const rights = printedRights(['repair', 'configmaps'], { deleteUndecodable: true })
    const user = await cluster.user(rights)
    const one = ['repair', 'configmaps', '--object', 'default/broken', '--delete-undecodable', '--yes']
    const ran = await cluster.run(user, [...one, '--etcd-servers', store, '-o', 'json'], () => isSent)
    const [object] = JSON.parse(ran.said).resources[0].objects
    assert.deepEqual([ran.code, object.result, isSent], [code, result, answer !== undefined], ran.said)
    assert.match(object.because, because)
    if (isUnsaved) return assert.equal(object.saved, undefined)
    assert.equal(await readFile(object.saved.file, 'utf8'), 'bytes')
  })
}

const readable: Answer = {
  status: 200,
  headers: {},
  body: {
    ...{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' },
    metadata: { name: 'broken', namespace: 'default' },
  },
}

async function started(t: TestContext) {
  const etcd = await startEtcd()
  t.after(() => etcd.stop())
  const cluster = await RightsCluster.start('strata.dev/v1alpha1=false')
  t.after(() => cluster.stop())
  const put = (text: string, key = '/registry/configmaps/default/broken') =>
    etcd.nodes[0]?.ask('/v3/kv/put', { key: base(key), value: base(text) })
  const system = await cluster.must('GET', '/api/v1/namespaces/kube-system')
  await put(JSON.stringify(system), '/registry/namespaces/kube-system')
  await put('bytes')
  return { cluster, put, store: etcd.endpoints.join(',') }
}
