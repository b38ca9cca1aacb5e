import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { scenes } from '../scenes/all-scenes.ts'
import type { OwnFleet } from '../scenes/ground.ts'
import { playAll, summaryOf } from '../scenes/play-all.ts'
import { configurationFile } from '../support/encrypted-fleet.ts'
import { strataCommand } from '../support/serve-process.ts'
import { withLiveFleet } from './live-fleet.ts'

test('scenes: what users reported, and what Strata does instead', async (t) => {
  await withLiveFleet({ store: 'sqlite' }, async (fleet) => {
    const encryptionFile = join(fleet.directory, 'keys.json')
    const give = (...keys: string[]) =>
      writeFile(encryptionFile, JSON.stringify(configurationFile(keys, ['secrets'])), { mode: 0o600 })
    await give('aescbc:one')
    // Two releases: each writes beacons in another version.
    await Promise.all([
      fleet.start('a', 'x+1', { encryptionFile }),
      fleet.start('b', 'x+2', { encryptionFile }),
    ])
    const own: OwnFleet = {
      mixedResource: 'beacons.lighthouse.example.dev',
      contexts: ['a', 'b'],
      rotateKey: () => give('aescbc:two', 'aescbc:one'),
    }
    const tools = {
      ...{ kubeconfig: fleet.kubeconfig, kubectl: process.env['STRATA_KUBECTL'] ?? 'kubectl' },
      ...{ strata: [process.execPath, strataCommand], directory: fleet.directory },
    }
    const played = await playAll(scenes, tools, { concurrency: 3, own })
    t.diagnostic(`\n${summaryOf(played)}`)
    const failed = played.filter(({ result }) => result !== 'passed')
    assert.deepEqual(
      failed.map(({ scene }) => scene.thread),
      [],
      failed.map(({ why, transcript }) => `${transcript}\n${why}`).join('\n\n'),
    )
  })
})
