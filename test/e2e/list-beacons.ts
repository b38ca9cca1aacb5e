import assert from 'node:assert/strict'
import { ask } from '../support/ask.ts'
import { beaconPath } from '../support/fleet.ts'
import type { LiveFleet, ServerName } from './live-fleet.ts'

/** Names and colours of all beacons, as one server lists them. */
export async function listBeacons(
  fleet: LiveFleet,
  name: ServerName,
): Promise<Record<string, string | undefined>> {
  const { status, body } = await ask(fleet.transport(name), 'GET', beaconPath('v1'))
  assert.equal(status, 200, JSON.stringify(body))
  type Item = { metadata: { name: string }; spec: { colour?: string } }
  return Object.fromEntries(body.items.map(({ metadata, spec }: Item) => [metadata.name, spec.colour]))
}
