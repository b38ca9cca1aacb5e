import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideGate, type GatedKind, type GateVerdict } from './decide-gate.ts'
import { parseRequestInfo } from './request-info.ts'

const ordinary: GatedKind = {}
const bootstrap: GatedKind = { bootstrap: true }
const review: GatedKind = { isReview: true }
const custom: GatedKind = { isCustom: true }
const maps = '/api/v1/namespaces/d/configmaps'
const objects = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions'
const leases = '/apis/coordination.k8s.io/v1/namespaces'

type Row = [request: string, kind: GatedKind | undefined, rule: GateVerdict['rule'], does: GateVerdict['do']]
const rows: readonly Row[] = [
  ['GET /healthz', undefined, 3, 'pass'],
  ['POST /apis', undefined, 3, 'pass'],
  [`GET ${maps}/one`, ordinary, 4, 'pass'],
  [`GET ${maps}`, ordinary, 4, 'pass'],
  [`GET ${maps}?watch=true`, ordinary, 4, 'pass'],
  ['GET /api/v1/watch/namespaces/d/configmaps/one', ordinary, 4, 'pass'],
  [`HEAD ${maps}/one`, ordinary, 4, 'pass'],
  [`POST ${objects}`, bootstrap, 5, 'check'],
  [`PUT ${objects}/core.things/status`, bootstrap, 5, 'check'],
  [`DELETE ${objects}`, bootstrap, 5, 'check'],
  ['POST /api/v1/namespaces', bootstrap, 6, 'check'],
  ['PUT /api/v1/namespaces/d/finalize', bootstrap, 6, 'check'],
  [`PUT ${leases}/kube-system/leases/a`, bootstrap, 7, 'check'],
  [`DELETE ${leases}/default/leases/a`, bootstrap, 7, 'check'],
  ['POST /apis/authentication.k8s.io/v1/tokenreviews', review, 8, 'pass'],
  ['POST /apis/authorization.k8s.io/v1/subjectaccessreviews', review, 8, 'pass'],
  ['POST /apis/example.org/v1/namespaces/d/gadgets', custom, 8, 'pass'],
  ['DELETE /apis/example.org/v1/namespaces/d/gadgets', custom, 8, 'pass'],
  ['POST /apis/aggregated.example.org/v1/flunders', undefined, 8, 'pass'],
  [`POST ${maps}`, ordinary, 9, 'check'],
  [`POST ${maps}?dryRun=All`, ordinary, 9, 'check'],
  [`PUT ${maps}/one`, ordinary, 9, 'check'],
  [`PATCH ${maps}/one`, ordinary, 9, 'check'],
  [`DELETE ${maps}/one`, ordinary, 9, 'check'],
  [`DELETE ${maps}`, ordinary, 9, 'check'],
  ['POST /api/v1/namespaces/d/serviceaccounts/default/token', ordinary, 9, 'check'],
  ['PATCH /api/v1/namespaces/d/resourcequotas/one/status', ordinary, 9, 'check'],
  ['POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', ordinary, 9, 'check'],
]
for (const [request, kind, rule, does] of rows) {
  test(`the filter, rule ${rule}: ${request} ${does === 'pass' ? 'passes' : 'is asked about'}`, () => {
    const [method = '', target = ''] = request.split(' ')
    assert.deepEqual(decideGate(parseRequestInfo(method, target), kind), { rule, do: does })
  })
}
