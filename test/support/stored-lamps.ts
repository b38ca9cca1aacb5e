import assert from 'node:assert/strict'
import type { StorageCensusStatus, StorageReencodeStatus } from '@strata/api'
import { lamps, MigrationFleet } from './migration-fleet.ts'

export const [v1, v2] = ['light.example.dev/v1', 'light.example.dev/v2']
export const prefix = `/registry/${lamps.group}/lamps/`
export const questions = '/apis/strata.dev/v1alpha1'

export async function census(
  fleet: MigrationFleet,
  spec: object = { ...lamps, maxObjects: 10 },
): Promise<StorageCensusStatus> {
  const body = { apiVersion: 'strata.dev/v1alpha1', kind: 'StorageCensus', spec }
  const answer = await fleet.ask('POST', `${questions}/storagecensuses`, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.status
}

export async function epochOf(fleet: MigrationFleet, name = `${lamps.group}.lamps`): Promise<number> {
  const { body } = await fleet.ask('GET', `${questions}/storageagreements/${name}`)
  return body.status.epoch
}

export async function reencode(fleet: MigrationFleet, spec: object = {}): Promise<StorageReencodeStatus> {
  const epoch = await epochOf(fleet)
  const body = {
    ...{ apiVersion: 'strata.dev/v1alpha1', kind: 'StorageReencode' },
    spec: { ...lamps, epoch, encodingVersion: v2, ...spec },
  }
  const answer = await fleet.ask('POST', `${questions}/storagereencodes`, body)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.status
}

export async function switched(
  seed: string,
  count: number,
  more: ConstructorParameters<typeof MigrationFleet>[1] & { readonly spec?: object } = {},
): Promise<MigrationFleet> {
  const fleet = new MigrationFleet(seed, more)
  await fleet.startServer('a')
  await fleet.fill(count, more.spec ? { spec: more.spec } : {})
  await fleet.switchTo('v2')
  return fleet
}
