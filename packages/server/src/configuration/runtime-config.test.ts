import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KnownApi, parseRuntimeConfig } from './runtime-config.ts'

const known: readonly KnownApi[] = [
  { group: '', versionName: 'v1', resource: 'configmaps' },
  { group: '', versionName: 'v1', resource: 'secrets' },
  { group: 'apps', versionName: 'v1', resource: 'deployments' },
  { group: 'apps', versionName: 'v1beta1', resource: 'deployments' },
  { group: 'apps', versionName: 'v2alpha1', resource: 'deployments' },
]

/** What is left, in short. */
const served: ReadonlyArray<[text: string, want: string]> = [
  ['', 'configmaps secrets v1 v1beta1 v2alpha1'],
  ['api/alpha=false', 'configmaps secrets v1 v1beta1'],
  ['api/beta=false,api/alpha=false', 'configmaps secrets v1'],
  ['api/ga=false', 'v1beta1 v2alpha1'],
  ['api/all=false,apps/v1=true', 'v1'],
  ['apps/v1=true,api/all=false', 'v1'],
  ['api/all=false,api/ga=true', 'configmaps secrets v1'],
  ['apps/v1beta1=false', 'configmaps secrets v1 v2alpha1'],
  ['/v1=false', 'v1 v1beta1 v2alpha1'],
  ['/v1/secrets=false', 'configmaps v1 v1beta1 v2alpha1'],
  ['/v1=false,/v1/secrets', 'secrets v1 v1beta1 v2alpha1'],
  ['/v1/secrets=true,/v1=false', 'secrets v1 v1beta1 v2alpha1'],
  [' apps/v1 = F ,', 'configmaps secrets v1beta1 v2alpha1'],
  ['apps/v1=false,apps/v1=true', 'configmaps secrets v1 v1beta1 v2alpha1'],
]
for (const [text, want] of served) {
  test(`runtime config: "${text}" serves ${want}`, () => {
    const read = parseRuntimeConfig(text, known)
    assert.ok('isServed' in read, JSON.stringify(read))
    const left = known.filter((each) => read.isServed(each.group, each.versionName, each.resource))
    assert.equal(left.map((each) => (each.group === '' ? each.resource : each.versionName)).join(' '), want)
  })
}

const all = 'there are: api/all, api/ga, api/beta, api/alpha, /v1, apps/v1, apps/v1beta1, apps/v2alpha1'
const refused: ReadonlyArray<[text: string, problem: string]> = [
  ['api/all=false', 'invalid runtime-config with only api/all=false'],
  ['v1=true', 'runtime-config invalid key v1; did you mean /v1?'],
  ['a/b/c/d=true', `runtime-config invalid key a/b/c/d; ${all}`],
  ['batch/v1=true,api/legacy=true,apps/v9', `unknown api groups api/legacy,batch/v1; ${all}`],
  ['foo/v1=true', `unknown api groups foo/v1; ${all}`],
  ['api/bta=false', 'unknown api groups api/bta; did you mean api/beta?'],
  ['api/lal=false,apsp/v1=false', 'unknown api groups api/lal,apsp/v1; did you mean api/all, apps/v1?'],
  ['v1/secrets=false', 'unknown api groups v1/secrets; did you mean /v1/secrets?'],
  ['app/v1/deployments=false', 'unknown api groups app/v1; did you mean apps/v1/deployments?'],
  ['api/beta=yes', 'invalid value api/beta=yes; say true or false'],
  ['api/beta', 'invalid value api/beta=; say true or false'],
  [
    'apps/v9=true',
    'group version apps/v9 that has not been registered; there are: apps/v1, apps/v1beta1, apps/v2alpha1',
  ],
  ['/v9=true', 'group version v9 that has not been registered; there are: /v1'],
  ['apps/v1=yes', 'invalid value of apps/v1: yes; say true or false'],
  [
    'apps/v1/Deployments=true',
    'invalid key apps/v1/Deployments: group/version/resource and resource is always lowercase plural, not "Deployments"',
  ],
  ['apps/v1/deployment=false', 'unknown resource apps/v1/deployment; there are: deployments'],
]
for (const [text, problem] of refused) {
  test(`runtime config: "${text}" is refused`, () =>
    assert.deepEqual(parseRuntimeConfig(text, known), { problem }))
}
