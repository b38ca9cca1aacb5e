import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderTable } from './render-table.ts'

test('a table for the docs', () => {
  const rows = [
    { name: 'startCluster', readyMs: 412.4, furtherMs: 17.6, memoryBytes: 120e6, suiteMs: 950 },
    { name: 'kube-apiserver and etcd', readyMs: 5_230, memoryBytes: 402e6, suiteMs: 3_049 },
  ]
  assert.equal(
    renderTable(rows, 100),
    `| | ready | each further one | memory | 100 tests |
|---|---|---|---|---|
| startCluster | 412 ms | 18 ms | 120 MB | 950 ms |
| kube-apiserver and etcd | 5.2 s | as the first | 402 MB | 3.0 s |`,
  )
})
