import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findTarget, parseRequestInfo } from './request-info.ts'

type Row = [method: string, target: string, verb: string, want: string | undefined]
// want: group/version/namespace/resource/subresource/name
const cases: readonly Row[] = [
  ['GET', '/api/v1/namespaces', 'list', '/v1//namespaces//'],
  ['GET', '/api/v1/namespaces/a', 'get', '/v1/a/namespaces//a'],
  ['PUT', '/api/v1/namespaces/a/finalize', 'update', '/v1/a/namespaces/finalize/a'],
  ['GET', '/api/v1/namespaces/a/configmaps', 'list', '/v1/a/configmaps//'],
  ['POST', '/api/v1/namespaces/a/configmaps', 'create', '/v1/a/configmaps//'],
  ['DELETE', '/api/v1/namespaces/a/configmaps', 'deletecollection', '/v1/a/configmaps//'],
  ['GET', '/api/v1/configmaps?watch=1', 'watch', '/v1//configmaps//'],
  ['GET', '/api/v1/configmaps?watch=false', 'list', '/v1//configmaps//'],
  ['GET', '/api/v1/namespaces/a/configmaps/b?watch=true', 'get', '/v1/a/configmaps//b'],
  ['PATCH', '/apis/apps/v1/namespaces/a/deployments/b/status', 'patch', 'apps/v1/a/deployments/status/b'],
  [
    'GET',
    '/apis/strata.dev/v1alpha1/storageagreements/x',
    'get',
    'strata.dev/v1alpha1//storageagreements//x',
  ],
  ['GET', '/api/v1/namespaces/a/configmaps/b%2Fc', 'get', '/v1/a/configmaps//b/c'],
  ['GET', '/api/v1/watch/configmaps', 'watch', '/v1//configmaps//'],
  ['GET', '/api/v1/watch/namespaces/a/configmaps', 'watch', '/v1/a/configmaps//'],
  ['GET', '/apis/apps/v1/watch/namespaces/a/deployments/b', 'watch', 'apps/v1/a/deployments//b'],
  ['GET', '/api/v1/watch', 'list', '/v1//watch//'],
  ['HEAD', '/api/v1/namespaces/a', 'get', '/v1/a/namespaces//a'],
  ['OPTIONS', '/api/v1/namespaces/a', 'options', '/v1/a/namespaces//a'],
  ['GET', '/api/v1/namespaces/', 'list', '/v1//namespaces//'],
  ['GET', '/apis/apps/v1', 'get', undefined],
  ['GET', '/livez', 'get', undefined],
  ['GET', '/api/v1/%zz', 'get', undefined],
  ['GET', '/api/v1/namespaces/a/configmaps/b/c/d', 'get', undefined],
]
for (const [method, target, verb, want] of cases) {
  test(`request info: ${method} ${target}`, () => {
    const info = parseRequestInfo(method, target)
    assert.equal(info.verb, verb)
    const t = info.target
    const got = t && [t.group, t.versionName, t.namespace, t.resource, t.subresource, t.name].join('/')
    assert.equal(got, want)
  })
}

test('request info: the old path of a watch of one object selects it by name', () => {
  const { query } = parseRequestInfo('GET', '/api/v1/watch/namespaces/a/configmaps/b')
  assert.equal(query.get('fieldSelector'), 'metadata.name=b')
})

const remote = { group: 'a.dev', versionName: 'v1', groupPriority: 1, versionPriority: 1, isRemote: true }
const elsewhere: ReadonlyArray<[target: string, want: string | undefined]> = [
  ['/apis/a.dev/v1', undefined],
  ['/apis/a.dev/v1/things/b', 'things b '],
  ['/apis/a.dev/v1/namespaces/n/things/b/proxy/c/d?e=f', 'things b proxy'],
  ['/apis/a.dev/v1/things/b/c/d/e', 'things b c'],
]
for (const [target, want] of elsewhere) {
  test(`request info: below the version of another server, ${target}`, () => {
    const api = { find: () => assert.fail('it is not served here'), elsewhere: () => remote }
    const { info, resource, elsewhere: found } = findTarget(api, { method: 'GET', target })
    const { target: named } = info
    assert.deepEqual([resource, found], [undefined, remote])
    assert.equal(named && [named.resource, named.name, named.subresource].join(' '), want)
  })
}
