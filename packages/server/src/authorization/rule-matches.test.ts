import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '@strata/api'
import { type Access, resourceAccess } from './access.ts'
import { ruleAllows } from './rule-matches.ts'

const rule: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const pods = { resource: 'pods', namespace: 'ns', name: 'a' }
const path = (verb: string, at: string): Access => ({ verb, path: at, target: undefined })

const cases: ReadonlyArray<[name: string, rule: PolicyRule, access: Access, want: boolean]> = [
  ['what it names', rule, resourceAccess('get', pods), true],
  ['another verb', rule, resourceAccess('list', pods), false],
  ['another group', rule, resourceAccess('get', { ...pods, group: 'apps' }), false],
  ['another resource', rule, resourceAccess('get', { ...pods, resource: 'secrets' }), false],
  ['a part of what it names', rule, resourceAccess('get', { ...pods, subresource: 'log' }), false],
  [
    'the part it names',
    { ...rule, resources: ['pods/log'] },
    resourceAccess('get', { ...pods, subresource: 'log' }),
    true,
  ],
  [
    'the whole of the part it names',
    { ...rule, resources: ['pods/log'] },
    resourceAccess('get', pods),
    false,
  ],
  [
    'that part of anything',
    { ...rule, resources: ['*/log'] },
    resourceAccess('get', { ...pods, subresource: 'log' }),
    true,
  ],
  [
    'another part of anything',
    { ...rule, resources: ['*/log'] },
    resourceAccess('get', { ...pods, subresource: 'exec' }),
    false,
  ],
  [
    'any verb, group, resource and part',
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    resourceAccess('impersonate', { group: 'x', resource: 'y', subresource: 'z' }),
    true,
  ],
  ['an object it names', { ...rule, resourceNames: ['a'] }, resourceAccess('get', pods), true],
  [
    'an object it does not name',
    { ...rule, resourceNames: ['a'] },
    resourceAccess('get', { ...pods, name: 'b' }),
    false,
  ],
  [
    'all objects, where it names some',
    { ...rule, resourceNames: ['a'] },
    resourceAccess('get', { ...pods, name: '' }),
    false,
  ],
  ['no name, where it names none', { ...rule, resourceNames: [] }, resourceAccess('get', pods), true],
  ['a path, by a rule for resources', rule, path('get', '/pods'), false],
  [
    'a resource, by a rule for paths',
    { verbs: ['*'], nonResourceURLs: ['*'] },
    resourceAccess('get', pods),
    false,
  ],
  ['the path it names', { verbs: ['get'], nonResourceURLs: ['/livez'] }, path('get', '/livez'), true],
  [
    'below the path it names',
    { verbs: ['get'], nonResourceURLs: ['/livez'] },
    path('get', '/livez/ping'),
    false,
  ],
  [
    'below a path with a star',
    { verbs: ['get'], nonResourceURLs: ['/logs/*'] },
    path('get', '/logs/a/b'),
    true,
  ],
  [
    'beside a path with a star',
    { verbs: ['get'], nonResourceURLs: ['/logs/*'] },
    path('get', '/logs'),
    false,
  ],
  [
    'a star in the middle is a star',
    { verbs: ['get'], nonResourceURLs: ['/a*/b'] },
    path('get', '/ax/b'),
    false,
  ],
  ['any path', { verbs: ['get'], nonResourceURLs: ['*'] }, path('get', '/x'), true],
  ['any path, another verb', { verbs: ['get'], nonResourceURLs: ['*'] }, path('post', '/x'), false],
  ['nothing at all', {}, resourceAccess('', {}), false],
]
for (const [name, each, access, want] of cases) {
  test(`rule: ${name} is ${want ? 'allowed' : 'not allowed'}`, () =>
    assert.equal(ruleAllows(each, access), want))
}
