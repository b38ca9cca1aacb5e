import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { saveBytes } from './save-bytes.ts'

const bytes = { key: '/registry/configmaps/default/a', value: Uint8Array.from([0, 255, 7]), revision: 12 }

test('bytes are saved for this user only, are found again, and never written over', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'strata-bytes-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const directory = join(home, 'deep', 'er')
  const saved = saveBytes(directory, bytes)
  assert.deepEqual(saved, {
    ...{
      file: join(directory, 'registry_configmaps_default_a.12.bin'),
      key: bytes.key,
      revision: 12,
      size: 3,
    },
    sha256: '92e469e6f34332f611f46cc5371592264628458db80d2a9c40310daec8384d23',
  })
  assert.equal(statSync(saved.file).mode & 0o777, 0o600)
  assert.equal(statSync(directory).mode & 0o777, 0o700)
  assert.deepEqual(Uint8Array.from(readFileSync(saved.file)), bytes.value)
  assert.equal(saveBytes(directory, bytes).file, saved.file)
  writeFileSync(saved.file, 'other')
  assert.throws(() => saveBytes(directory, bytes), /exists and has other bytes: .* --save-to/)
  assert.equal(readFileSync(saved.file, 'utf8'), 'other')
})
