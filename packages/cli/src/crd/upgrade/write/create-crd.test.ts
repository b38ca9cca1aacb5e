import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type CustomResourceDefinition } from '@strata/api'
import type { MergePatch, ResourceClient } from '@strata/client'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { crdForTest } from '../../plan/crd-for-test.ts'
import { createCrd } from './create-crd.ts'

type Definition = CustomResourceDefinition

const crd = crdForTest({ versions: 'v1*' })
const entry = (manager: string, operation: string, subresource?: string) => ({
  ...{ manager, operation, fieldsV1: { [`of ${operation}`]: {} } },
  ...(subresource === undefined ? {} : { subresource }),
})
const withOwners = (resourceVersion: string, ...managedFields: readonly object[]): Definition =>
  ({ ...crd, metadata: { ...crd.metadata, resourceVersion, managedFields } }) as Definition

const applied = withOwners('0', entry('kubectl', 'Apply'))
const status = entry('kube-apiserver', 'Update', 'status')
const created = withOwners('1', entry('kubectl', 'Update'))
const served = withOwners('2', entry('kubectl', 'Update'), status)

async function create(refusals: readonly ApiError[]) {
  const patches: MergePatch[] = []
  const left = [...refusals]
  const definitions = {
    create: async () => created,
    get: async () => served,
    patch: async (_: unknown, patch: MergePatch) => {
      patches.push(patch)
      const refusal = left.shift()
      if (refusal) throw refusal
      return applied
    },
  } as unknown as ResourceClient<Definition>
  const context = { world: createNodeWorld({ log: silentLog }), signal: new AbortController().signal }
  const write = { writer: { manager: 'kubectl', operation: 'Apply' }, body: {} } as const
  return { answer: await createCrd({ context }, definitions, write, applied), patches }
}

const owned = (resourceVersion: string, ...managedFields: readonly object[]) => ({
  metadata: { uid: 'u', resourceVersion, managedFields },
})

test('a new CRD: created, and owned as the dry run of the apply said', async () => {
  const { patches } = await create([])
  assert.deepEqual(patches, [owned('1', entry('kubectl', 'Apply'))])
})

test('a new CRD: the server writes its status meanwhile, and that ownership stays', async () => {
  const { patches } = await create([new ApiError(409, 'Conflict', 'it was changed')])
  assert.deepEqual(patches[1], owned('2', entry('kubectl', 'Apply'), status))
})

test('a new CRD: without the right to patch it is there, owned as it was created', async () => {
  const { answer } = await create([new ApiError(403, 'Forbidden', 'no')])
  assert.equal(answer, created)
})
