import assert from 'node:assert/strict'
import { test } from 'node:test'
import { now, thingDefinition } from '../definition-for-test.ts'
import { approvalOf, decideApproval, isProtectedGroup } from './api-approval.ts'

const groups: readonly [group: string, isProtected: boolean][] = [
  ['k8s.io', true],
  ['x.k8s.io', true],
  ['kubernetes.io', true],
  ['a.b.kubernetes.io', true],
  ['x-k8s.io', false],
  ['cluster.x-k8s.io', false],
  ['k8s.io.example.com', false],
  ['example.com', false],
]
for (const [group, isProtected] of groups) {
  test(`approval: ${group} is ${isProtected ? '' : 'not '}protected`, () =>
    assert.equal(isProtectedGroup(group), isProtected))
}

const said: readonly [annotation: string, state: string][] = [
  ['', 'missing'],
  ['unapproved, experimental', 'bypassed'],
  ['https://github.com/kubernetes/enhancements/pull/1111', 'approved'],
  ['http://h', 'approved'],
  ['yes', 'invalid'],
  ['/path', 'invalid'],
  ['https:///path', 'invalid'],
  ['mailto:someone', 'invalid'],
]
for (const [annotation, state] of said) {
  test(`approval: ${JSON.stringify(annotation)} is ${state}`, () =>
    assert.equal(approvalOf({ 'api-approved.kubernetes.io': annotation }).state, state))
}

const reasons: readonly [annotation: string, status: string, reason: string, message: string][] = [
  ['https://h/1', 'True', 'ApprovedAnnotation', 'approved in https://h/1'],
  ['unapproved', 'False', 'UnapprovedAnnotation', 'not approved: "unapproved"'],
]
for (const [annotation, status, reason, message] of reasons) {
  test(`approval: ${reason} is reported once`, () => {
    const metadata = { annotations: { 'api-approved.kubernetes.io': annotation } }
    const spec = { group: 'x.k8s.io' }
    const next = decideApproval(thingDefinition({ metadata, spec }), now)
    const type = 'KubernetesAPIApprovalPolicyConformant'
    assert.deepEqual(next?.conditions, [{ type, status, reason, message, lastTransitionTime: now }])
    assert.equal(decideApproval(thingDefinition({ metadata, spec, status: next ?? {} }), now), undefined)
  })
}

test('approval: other groups need none', () =>
  assert.equal(decideApproval(thingDefinition(), now), undefined))
