import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigurationProblem } from '@strata/server'
import { configMap, maps, startServer } from '../support/one-server.ts'

const storageVersions = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions'
const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name)

test('runtime config: a version that is off is in no discovery, no OpenAPI and on no route', async () => {
  const { send } = await startServer('runtime-config', {
    runtimeConfig: 'internal.apiserver.k8s.io/v1alpha1=false',
  })
  assert.equal((await send('GET', storageVersions)).status, 404)
  assert.equal((await send('POST', storageVersions, {})).status, 404)
  assert.equal((await send('GET', '/apis/internal.apiserver.k8s.io')).status, 404)
  assert.equal((await send('GET', '/apis/internal.apiserver.k8s.io/v1alpha1')).status, 404)
  const { groups } = (await send('GET', '/apis')).body
  assert.ok(!names(groups).includes('internal.apiserver.k8s.io'))
  const { paths } = JSON.parse((await send('GET', '/openapi/v3')).body)
  assert.deepEqual(
    Object.keys(paths).filter((path) => path.includes('internal.apiserver')),
    [],
  )
  const { paths: swagger } = (await send('GET', '/openapi/v2')).body
  assert.deepEqual(
    Object.keys(swagger).filter((path) => path.includes('internal.apiserver')),
    [],
  )
})

test('runtime config: what the servers themselves are made of works on though it is not served', async () => {
  const { server, send } = await startServer('runtime-config-own', {
    runtimeConfig: 'api/all=false,/v1/configmaps=true',
    bootstrapPolicy: true,
  })
  assert.ok(server.ready)
  assert.equal((await send('POST', maps, configMap('one'))).status, 201, 'guarded by a namespace that exists')
  const absent = maps.replace('default', 'nowhere')
  assert.equal((await send('POST', absent, configMap('one'))).status, 404)
  for (const path of ['/api/v1/namespaces', '/apis/strata.dev/v1alpha1/storageagreements']) {
    assert.equal((await send('GET', path)).status, 404, path)
  }
  assert.deepEqual(names((await send('GET', '/api/v1')).body.resources), ['configmaps'])
  assert.deepEqual((await send('GET', '/apis')).body.groups, [])
  assert.equal((await send('GET', '/readyz')).status, 200)
})

test('runtime config: an entry names what is served, and not what is switched off', async () => {
  const { send } = await startServer('runtime-config-entry', {
    runtimeConfig: 'lighthouse.example.dev/v2=false,events.k8s.io/v1=false',
  })
  const entry = async (name: string) => {
    const { status } = (await send('GET', `${storageVersions}/${name}`)).body
    return [status.storageVersions[0].servedVersions, status.storageVersions[0].decodableVersions]
  }
  const both = ['lighthouse.example.dev/v1', 'lighthouse.example.dev/v2']
  assert.deepEqual(await entry('lighthouse.example.dev.beacons'), [['lighthouse.example.dev/v1'], both])
  assert.deepEqual(await entry('core.events'), [['v1'], ['events.k8s.io/v1', 'v1']])
})

test('runtime config: one that makes no sense is refused before anything is made', async () => {
  await assert.rejects(
    startServer('runtime-config-bad', { runtimeConfig: 'batch/v1=false' }),
    (error) =>
      error instanceof ConfigurationProblem &&
      error.message.startsWith('--runtime-config: unknown api groups batch/v1; there are: api/all,'),
  )
})
