import assert from 'node:assert/strict'
import type { Transport } from '@strata/world'
import { ask } from '../support/ask.ts'
import { type LoadedVersion, loadedGadgets } from '../support/loaded-kind.ts'
import { until } from '../support/until.ts'

const { group, plural, kind } = loadedGadgets
const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const definitionPath = `${definitionsPath}/${plural}.${group}`

const versionsOf = (stored: LoadedVersion) =>
  (['v1', 'v2'] as const).map((name) => ({
    name,
    served: true,
    storage: name === stored,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { colour: { type: 'string' } } } },
      },
    },
  }))

/** Defines them through one server, stored in v1, and waits until another one shows them. */
export async function defineGadgets(through: Transport, seenThrough: Transport): Promise<void> {
  const made = await ask(through, 'POST', definitionsPath, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, kind }, versions: versionsOf('v1') },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  await until('the definition is established', async () => {
    const { body } = await ask(seenThrough, 'GET', definitionPath)
    return JSON.stringify(body.status.conditions ?? []).includes('InitialNamesAccepted')
  })
}

/** Switches the version in which they are stored. */
export async function storeGadgetsIn(through: Transport, stored: LoadedVersion): Promise<void> {
  const { body } = await ask(through, 'GET', definitionPath)
  body.spec.versions = versionsOf(stored)
  const put = await ask(through, 'PUT', definitionPath, body)
  assert.equal(put.status, 200, JSON.stringify(put.body))
}
