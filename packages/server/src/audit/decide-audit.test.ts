import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Policy, PolicyRule } from './audit-policy.ts'
import { type AuditAttributes, decideAudit } from './decide-audit.ts'

const any: PolicyRule = {
  level: 'Metadata',
  users: [],
  userGroups: [],
  verbs: [],
  resources: [],
  namespaces: [],
  nonResourceURLs: [],
  omitStages: [],
  omitManagedFields: false,
}
const request = {
  user: { name: 'ann', groups: ['dev', 'system:authenticated'] },
  verb: 'get',
  path: '/api/v1/namespaces/ns/secrets/s',
  target: { group: '', resource: 'secrets', subresource: '', namespace: 'ns', name: 's' },
}
const status = { ...request, target: { ...request.target, subresource: 'status' } }
const path = (to: string): AuditAttributes => ({ ...request, path: to, target: undefined })
const unknown: AuditAttributes = { ...request, user: undefined }
const resources = (group: string, ...names: string[]) => ({
  resources: [{ group, resources: names, resourceNames: [] }],
})
const named = (name: string) => ({
  resources: [{ group: '', resources: ['secrets'], resourceNames: [name] }],
})

const cases: ReadonlyArray<[name: string, rule: Partial<PolicyRule>, asked: AuditAttributes, fits: boolean]> =
  [
    ['a rule that asks for nothing fits everything', {}, request, true],
    ['… also unknown users', {}, unknown, true],
    ['a user', { users: ['bob', 'ann'] }, request, true],
    ['another user', { users: ['bob'] }, request, false],
    ['an unknown user is no user', { users: ['ann'] }, unknown, false],
    ['a group', { userGroups: ['dev'] }, request, true],
    ['another group', { userGroups: ['ops'] }, request, false],
    ['an unknown user is in no group', { userGroups: ['dev'] }, unknown, false],
    ['a verb', { verbs: ['get'] }, request, true],
    ['another verb', { verbs: ['list'] }, request, false],
    ['a namespace', { namespaces: ['ns'] }, request, true],
    ['another namespace', { namespaces: [''] }, request, false],
    ['a path is in no namespace', { namespaces: [''] }, path('/healthz'), false],
    ['a resource', resources('', 'secrets'), request, true],
    ['another resource', resources('', 'configmaps'), request, false],
    ['of another group', resources('apps', 'secrets'), request, false],
    ['of any group', resources('*', 'secrets'), request, true],
    ['all of a group', resources(''), request, true],
    ['all of another group', resources('apps'), request, false],
    ['every resource', resources('', '*'), status, true],
    ['a resource is not its parts', resources('', 'secrets'), status, false],
    ['a part', resources('', 'secrets/status'), status, true],
    ['all parts', resources('', 'secrets/*'), status, true],
    ['all parts are the whole as well', resources('', 'secrets/*'), request, true],
    ['such parts of anything', resources('', '*/status'), status, true],
    ['… are not the whole', resources('', '*/status'), request, false],
    ['a name', named('s'), request, true],
    ['another name', named('t'), request, false],
    ['a path is no resource', resources('', '*'), path('/api'), false],
    ['a path', { nonResourceURLs: ['/healthz'] }, path('/healthz'), true],
    ['another path', { nonResourceURLs: ['/healthz'] }, path('/healthz/ping'), false],
    ['a path below', { nonResourceURLs: ['/healthz*'] }, path('/healthz/ping'), true],
    ['every path', { nonResourceURLs: ['*'] }, path('/x'), true],
    ['a resource is no path', { nonResourceURLs: ['*'] }, request, false],
    ['all that is asked for must be there', { users: ['ann'], verbs: ['list'] }, request, false],
  ]
for (const [name, rule, asked, want] of cases) {
  test(`audit policy: ${name}`, () => {
    const policy: Policy = { rules: [{ ...any, ...rule }] }
    assert.equal(decideAudit(policy, asked).level, want ? 'Metadata' : 'None')
  })
}

test('audit policy: the first rule that fits decides, with all that it says', () => {
  const rules: readonly PolicyRule[] = [
    { ...any, level: 'Request', users: ['bob'] },
    { ...any, level: 'None', omitStages: ['Panic'], omitManagedFields: true },
    { ...any, level: 'RequestResponse' },
  ]
  assert.deepEqual(decideAudit({ rules }, request), rules[1])
  assert.equal(decideAudit({ rules: [] }, request).level, 'None')
})
