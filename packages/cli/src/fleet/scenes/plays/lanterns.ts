import {
  type ApiObject,
  agreementName,
  type CustomResourceDefinition,
  customResourceDefinitions,
} from '@strata/api'
import { addressOf, isNotFound } from '@strata/client'
import { type RecordView, readRecord } from '../record-view.ts'
import type { Stage } from '../stage.ts'

/** A CRD with two versions of the same shape, which belongs to the scenes. */
export const lanterns = { group: 'scenes.example.dev', resource: 'lanterns' } as const
export const lanternRecord = agreementName(lanterns)
export const lanternCrd = `${lanterns.resource}.${lanterns.group}`

export type LanternVersion = 'v1' | 'v2'

export interface Lantern extends ApiObject {
  readonly spec: { readonly colour: string }
}

const schema = {
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', properties: { colour: { type: 'string' } } } },
  },
} as const

const names = { plural: lanterns.resource, singular: 'lantern', kind: 'Lantern' }
const versions = (['v1', 'v2'] as const).map((name) => ({
  ...{ name, served: true, storage: name === 'v1', schema },
}))
const definition = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  ...{
    metadata: { name: lanternCrd },
    spec: { group: lanterns.group, scope: 'Namespaced', names, versions },
  },
}

/** As a user would type it: no file with the CRD comes with the command. */
export const applyLanternCrd = `kubectl apply -f - <<< '${JSON.stringify(definition)}'`

/** Creates the CRD, which stores v1, and waits until every server writes it. It goes with the scene, and its objects with it. */
export async function defineLanterns(stage: Stage): Promise<RecordView> {
  const crds = stage.client.resource<CustomResourceDefinition>(addressOf(customResourceDefinitions, 'v1'))
  await crds.create(definition as unknown as CustomResourceDefinition, stage.signal)
  stage.later(async (after) => {
    const left = after.client.resource(addressOf(customResourceDefinitions, 'v1'))
    await left.delete({ name: lanternCrd }, {}, after.signal)
    // The next scene may define it anew.
    await after.until('the CRD is gone', () =>
      left.get({ name: lanternCrd }, after.signal).then(
        () => undefined,
        (error: unknown) => isNotFound(error) || Promise.reject(error),
      ),
    )
  })
  return untilAllWrite(stage, 'v1')
}

/** Waits until every server, but those that are away, writes this version. */
export async function untilAllWrite(
  stage: Stage,
  version: LanternVersion,
  away: readonly string[] = [],
): Promise<RecordView> {
  const { servers } = await stage.control.read()
  const there = servers.map(({ name }) => name).filter((name) => !away.includes(name))
  return stage.until(`${there.join(', ')} write ${version}`, async () => {
    const record = await readRecord(stage, lanterns).catch((error: unknown) => {
      if (isNotFound(error)) return undefined
      throw error
    })
    const doesWrite = (name: string): boolean =>
      record?.writers.some(({ server, writes }) => server === name && writes === version) ?? false
    return there.every(doesWrite) ? record : undefined
  })
}

export const lantern = (name: string): Lantern => ({
  ...{ apiVersion: `${lanterns.group}/v1`, kind: 'Lantern' },
  ...{ metadata: { namespace: 'default', name }, spec: { colour: 'white' } },
})

export async function createLanterns(stage: Stage, count: number): Promise<void> {
  const objects = stage.client.resource<Lantern>({ ...lanterns, versionName: 'v1', kind: 'Lantern' })
  const all = Array.from({ length: count }, (_, index) => lantern(`old-${index + 1}`))
  await Promise.all(all.map((each) => objects.create(each, stage.signal)))
}
