import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLog } from '@strata/world'
import { Simulation } from '@strata/world/sim'
import { createCertificates } from './certificates.ts'
import { ClientIdentityFiles } from './client-identity-files.ts'

test('client identity: a new pair counts when it was read twice, and half a pair changes nothing', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'strata-identity-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const [cert, key] = [join(directory, 'cert'), join(directory, 'key')]
  const { admin, serving } = await createCertificates({ hostnames: [], addresses: [], nowMs: Date.now() })
  await writeFile(cert, admin.cert)
  await writeFile(key, admin.key)
  const errors: string[] = []
  const log = createLog((level, _, { problem }) => {
    if (level === 'error') errors.push(String(problem))
  })
  const { clock } = new Simulation('identity').process('server')
  const files = await ClientIdentityFiles.open(
    [
      ['--cert', cert],
      ['--key', key],
    ],
    { clock, log },
  )
  assert.ok(files)
  const changes: string[] = []
  files.onChange = (identity) => changes.push(identity.cert)
  const look = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time++) await files.look()
  }
  await look(3)
  await writeFile(cert, serving.cert)
  await look(1)
  assert.deepEqual(errors, [], 'the key may be on its way')
  await look(3)
  assert.equal(errors.length, 1)
  assert.match(errors[0] ?? '', /--cert .*: no certificate with its key in /)
  assert.equal(files.identity.cert, admin.cert)
  await writeFile(key, serving.key)
  await look(1)
  assert.equal(files.identity.cert, admin.cert)
  await look(3)
  assert.deepEqual([files.identity.cert, changes], [serving.cert, [serving.cert]])
  await rm(cert)
  await look(2)
  assert.deepEqual([files.identity.cert, errors.length], [serving.cert, 2])
})

test('client identity: without files there is none', async () => {
  const { clock, log } = new Simulation('identity').process('server')
  const none = await ClientIdentityFiles.open(
    [
      ['--cert', undefined],
      ['--key', undefined],
    ],
    { clock, log },
  )
  assert.equal(none, undefined)
})
