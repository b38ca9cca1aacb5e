import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigurationProblem } from './configuration-problem.ts'
import { readAuthorities, readClientIdentity } from './read-certificates.ts'

const cases: readonly (readonly [content: string | undefined, says: RegExp])[] = [
  [undefined, /--client-ca-file .*: cannot be read \(ENOENT\)/],
  ['# A README', /--client-ca-file: no certificate in /],
  ['', /no certificate in /],
  ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', /certificate 1 cannot be read/],
]

test('certificates: a file without one that can be read is refused', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'strata-certificates-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  for (const [index, [content, says]] of cases.entries()) {
    const path = join(directory, String(index))
    if (content !== undefined) await writeFile(path, content)
    await assert.rejects(readAuthorities('--client-ca-file', path), (error) => {
      assert.ok(error instanceof ConfigurationProblem && !error.isTransient)
      assert.match(error.message, says)
      return true
    })
  }
})

test('a client certificate: both files or neither, and they belong together', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'strata-identity-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'file')
  await writeFile(file, 'no PEM')
  const read = (cert: string | undefined, key: string | undefined) =>
    readClientIdentity(['--cert', cert], ['--key', key])
  assert.equal(await read(undefined, undefined), undefined)
  await assert.rejects(read(file, undefined), /--cert: needs --key too/)
  await assert.rejects(read(undefined, file), /--key: needs --cert too/)
  await assert.rejects(read(join(directory, 'none'), file), /--cert .*: cannot be read \(ENOENT\)/)
  await assert.rejects(read(file, file), /--cert .*: no certificate with its key in /)
})
