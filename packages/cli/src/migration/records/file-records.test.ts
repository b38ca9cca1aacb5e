import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { MigrationTarget } from '@strata/controllers'
import { silentLog, type World } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'
import { createFileRecords, stateDirectory } from './file-records.ts'
import type { HeldRecord, RecordEnd } from './record.ts'

const { signal } = new AbortController()
const resource = { group: 'light.example.dev', resource: 'lamps' }
const target: MigrationTarget = { resource, how: 'definition', fenced: false }
const end: RecordEnd = { outcome: 'succeeded', proof: 'observed clean', because: 'all is well' }

describe('migrations in files', () => {
  let directory = ''
  const world: World = createNodeWorld({ log: silentLog })
  const records = () => createFileRecords({ directory, resource, world })
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'strata-records-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  async function claimed(): Promise<HeldRecord> {
    const held = await records().claim(await records().readOpen(signal), target, signal)
    assert.ok(held)
    return held
  }

  test('what a killed process has left is gone on with, and what it writes afterwards counts for nothing', async () => {
    assert.equal(await records().readOpen(signal), undefined)
    const killed = await claimed()
    assert.equal(await killed.save({ migrated: 5 }, signal), 'saved')
    const open = await records().readOpen(signal)
    assert.deepEqual(
      [open?.progress, open?.claim?.pid, open?.isPaused],
      [{ migrated: 5 }, process.pid, false],
    )
    const next = await claimed()
    assert.deepEqual(next.progress, { migrated: 5 })
    assert.equal(await killed.save({ migrated: 6 }, signal), 'taken')
    assert.equal(await next.release({ migrated: 7 }, 'no server answers', signal), 'saved')
    const released = await records().readOpen(signal)
    assert.deepEqual(
      [released?.progress, released?.claim, released?.isPaused, released?.failure],
      [{ migrated: 7 }, undefined, true, 'no server answers'],
    )
    // The process that resumes it has no failure yet.
    const again = await claimed()
    assert.equal(await again.release({ migrated: 7 }, undefined, signal), 'saved')
    assert.equal((await records().readOpen(signal))?.failure, undefined)
  })

  test('of two who saw the same state, one gets it', async () => {
    const open = await records().readOpen(signal)
    const [one, other] = await Promise.all([1, 2].map(() => records().claim(open, target, signal)))
    assert.equal([one, other].filter(Boolean).length, 1)
  })

  test('each sign of life moves the mark', async () => {
    const held = await claimed()
    const before = await records().readOpen(signal)
    assert.equal(await held.renew(signal), 'saved')
    assert.notEqual((await records().readOpen(signal))?.mark, before?.mark)
  })

  test('one that is over is evidence until the next one begins', async () => {
    const held = await claimed()
    assert.equal(await held.finish(end, { quarantined: 0, target: { how: 'definition' } }, signal), 'saved')
    assert.equal(await records().readOpen(signal), undefined)
    const [past] = await records().readPast(signal)
    assert.deepEqual([past?.succeeded, past?.proof, past?.target], [true, 'observed clean', target])
    assert.match(past?.at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.equal(await held.save({}, signal), 'deleted')
    await claimed()
    assert.deepEqual(await records().readPast(signal), [])
  })

  test('a file that cannot be read is written anew, and nothing else is left lying about', async () => {
    const path = join(directory, 'lamps.light.example.dev.json')
    await writeFile(path, '{"id":')
    assert.equal(await records().readOpen(signal), undefined)
    await claimed()
    assert.match(await readFile(path, 'utf8'), /"writes": 1/)
    const lock = 'lamps.light.example.dev.json.lock'
    assert.deepEqual((await readdir(directory)).sort(), ['lamps.light.example.dev.json', lock])
  })
})

test('migrations in files: where the user keeps such things, by cluster', () => {
  assert.equal(stateDirectory({ XDG_STATE_HOME: '/s', HOME: '/h' }, 'u-1'), '/s/strata/migrations/u-1')
  assert.equal(stateDirectory({ HOME: '/h' }, 'https://c:1'), '/h/.local/state/strata/migrations/https_c_1')
})
