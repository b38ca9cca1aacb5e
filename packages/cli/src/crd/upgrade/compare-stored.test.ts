import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiObject, type CustomResourceDefinition, storageVersionNameOf } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { PagedList } from '../../migration/resources/paged-list-for-test.ts'
import { crdForTest } from '../plan/crd-for-test.ts'
import { compareStored } from './compare-stored.ts'
import type { LossFinding } from './loss-groups.ts'

const text = { type: 'string' } as const
const schemaOf = (fields: readonly string[], required: readonly string[] = []) => ({
  type: 'object',
  properties: {
    spec: {
      ...{ type: 'object', properties: Object.fromEntries(fields.map((each) => [each, text])) },
      required: [...required],
    },
  },
})
const live = crdForTest({ versions: 'v1*', schema: schemaOf(['color', 'watts']) })
const nextOf = (...schema: Parameters<typeof schemaOf>): CustomResourceDefinition =>
  crdForTest({ versions: 'v1 v2*', schema: schemaOf(...schema) })

async function findingsIn(stages: readonly CustomResourceDefinition[]): Promise<readonly string[]> {
  const metadata = { name: 'one', namespace: 'default', uid: 'u', resourceVersion: '7' }
  const simulation = new Simulation('compare')
  const context = { world: simulation.process('cli'), signal: new AbortController().signal }
  const items = [{ metadata, spec: { color: 'red', watts: '5' } }]
  const { client } = new PagedList(context.world.clock, [items], {})
  const found: LossFinding[] = []
  const onObject = (_: ApiObject, findings: readonly LossFinding[]) => found.push(...findings)
  const versionName = storageVersionNameOf(live) ?? ''
  const options = { client, live, stages, versionName, pageSize: 500, onObject }
  await simulation.settle(compareStored(options, context))
  return found.map(({ kind, path }) => `${kind} ${path}`)
}

test('compared with what would be stored: what is lost leaves an object that the new schema refuses', async () => {
  const lossy = nextOf(['color', 'lumen'], ['lumen'])
  assert.deepEqual(await findingsIn([lossy]), ['lost spec.watts', 'refused spec.lumen'])
})

test('compared with what would be stored: also if an earlier step lost it', async () => {
  const steps = [nextOf(['color']), nextOf(['color', 'lumen'], ['lumen'])]
  assert.deepEqual(await findingsIn(steps), ['lost spec.watts', 'refused spec.lumen'])
})

test('compared with what would be stored: without a loss, servers tolerate what stays as it is', async () => {
  assert.deepEqual(await findingsIn([nextOf(['color', 'watts', 'lumen'], ['lumen'])]), [])
})
