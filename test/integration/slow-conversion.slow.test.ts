import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { lampDefinition, lampsName } from '../e2e/lamps.ts'
import { RightsCluster } from '../support/rights-cluster.ts'

const crd = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${lampsName}`
const hidden = ['strata.dev', 'internal.apiserver.k8s.io', 'migration.k8s.io']
const conversion = {
  strategy: 'Webhook',
  webhook: {
    conversionReviewVersions: ['v1'],
    clientConfig: { url: 'https://convert.example.dev/lamps' },
  },
}
const named =
  /conversion webhook for light\.example\.dev\/v\d, Kind=\w+ failed: Post "https:\/\/convert\.example\.dev\/lamps\?timeout=30s": context deadline exceeded/

/** On a cluster that is not Strata's. A minute of patience is a second: of commands, and of the server with the webhook. */
describe('a conversion webhook that does not answer in time', () => {
  let cluster: RightsCluster
  let admin = ''

  before(async () => {
    cluster = await RightsCluster.start(hidden.map((each) => `${each}/v1alpha1=false`).join(','))
    await cluster.fill(2)
    admin = await cluster.user([{ verb: '*', group: '*', resource: '*' }])
  })
  after(() => cluster.stop())
  beforeEach(() => cluster.storeOld())

  test('migrate waits for ten minutes, and names it', async () => {
    await cluster.storeOld(conversion)
    const { code, said } = await cluster.run(admin, ['migrate', lampsName])
    assert.equal(code, 5, said)
    assert.match(said, /the objects cannot be listed: /)
    // The server's words arrive before the command gives up on its request; on a busy machine at least once in ten minutes.
    const [, because = ''] = /(?:waiting|cannot be listed): (conversion webhook .*)/.exec(said) ?? []
    assert.match(because, named, said)
  })

  test('crd upgrade names it, and takes the bridge back', async () => {
    const { spec, ...wanted } = lampDefinition('v3', ['v3'])
    const file = join(cluster.home, 'wanted.json')
    await writeFile(file, JSON.stringify({ ...wanted, spec: { ...spec, conversion } }))
    const before = (await cluster.must('GET', crd)).spec
    const upgrade = ['crd', 'upgrade', file, '--yes', '--accept', 'observed-clean']
    const { code, said } = await cluster.run(admin, upgrade)
    assert.equal(code, 1, said)
    assert.match(said, named)
    assert.match(said, /the bridge was taken back/)
    assert.deepEqual((await cluster.must('GET', crd)).spec, before)
  })
})
